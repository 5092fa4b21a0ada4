/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a thread was: addresses as functions, numbered. What a process generated itself gets its
 * name at the end, when its map of that code is complete.
 */
#ifndef RAROG_ENGINE_SAMPLE_PLACES_H
#define RAROG_ENGINE_SAMPLE_PLACES_H

#include "base/index.h"
#include "engine/sample/images.h"
#include "engine/sample/kernel.h"
#include "plan/region-places.h"
#include "profile/profile.h"

enum rarog_place_kind {
	RAROG_PLACE_FUNCTION,  /* of a file */
	RAROG_PLACE_REST,      /* of a file, in no function */
	RAROG_PLACE_GENERATED, /* in no file */
	RAROG_PLACE_KERNEL,    /* function: of its symbols; RAROG_NONE: which is not known */
	RAROG_PLACE_CUT,       /* callers that were not copied */
	RAROG_PLACE_REGION,    /* function: of the regions' names */
	RAROG_PLACE_NO_REGION, /* where none is open */
};

struct rarog_sample_place {
	enum rarog_place_kind kind;
	uint32_t file;     /* of the spaces; generated: process id */
	uint32_t function; /* of the file, of the kernel */
	uint64_t address;  /* generated … */
	uint64_t ns;       /* … and when it was seen first */
};

struct rarog_sample_places {
	struct rarog_images *images; /* borrowed */
	const struct rarog_kernel *kernel;
	const struct rarog_region_places *regions; /* NULL: functions are asked for */
	RAROG_VEC(struct rarog_sample_place) list;
	struct rarog_index index;
};

/** rarog_sample_place_at() - number of the place at @address of @space (NULL: nothing is known of
 * it) of process @pid at @ns; RAROG_NONE: no memory, with message. */
uint32_t rarog_sample_place_at(struct rarog_sample_places *places, const struct rarog_space *space,
			       uint32_t pid, uint64_t address, uint64_t ns);

/** rarog_sample_place_kernel() - in the kernel, at @address, 0: somewhere. */
uint32_t rarog_sample_place_kernel(struct rarog_sample_places *places, uint64_t address);

/** rarog_sample_place_cut() - outside of the part of a stack that was copied. */
uint32_t rarog_sample_place_cut(struct rarog_sample_places *places);

/**
 * rarog_sample_place_regions() - those that are open at @address
 * @ret_places: from outside to inside, @max at most
 *
 * Return: how many; RAROG_NONE among them: no memory, with message.
 */
size_t rarog_sample_place_regions(struct rarog_sample_places *places,
				  const struct rarog_space *space, uint64_t address, size_t max,
				  uint32_t ret_places[max]);

/** rarog_sample_place_no_region() - outside of all of them. */
uint32_t rarog_sample_place_no_region(struct rarog_sample_places *places);
void rarog_sample_places_release(struct rarog_sample_places *places);

#endif
