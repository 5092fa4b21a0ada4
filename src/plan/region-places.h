/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions whose places are known otherwise than by marks: where features' code begins and ends
 * (feature/). Engines measure them as regions between marks.
 */
#ifndef RAROG_PLAN_REGION_PLACES_H
#define RAROG_PLAN_REGION_PLACES_H

#include "base/vec.h"
#include "plan/marks.h"

struct rarog_region_name {
	char *text; /* owned */
};

struct rarog_region_place {
	uint64_t address; /* vaddr */
	uint32_t region;  /* index into names */
	uint8_t action;   /* RAROG_MARK_BEGIN, RAROG_MARK_STOP */
};

/* Code in which the same regions are open, from outside to inside: n from first on in .open. */
struct rarog_region_range {
	uint64_t start, end; /* vaddr */
	uint32_t first, n;
};

/* Of one binary. */
struct rarog_region_places {
	char *path; /* absolute; owned */
	RAROG_VEC(struct rarog_region_name) names;
	RAROG_VEC(struct rarog_region_place) v;
	RAROG_VEC(uint64_t) hosts; /* functions whose return ends regions: they are measured, too */
	RAROG_VEC(struct rarog_region_range) ranges; /* by start */
	RAROG_VEC(uint32_t) open;                    /* names */
};

void rarog_region_places_release(struct rarog_region_places *places);

/** rarog_region_places_add() - those of @plan to the end of @marks, if @binary is theirs. 0;
 * -ENOMEM, -EFBIG. */
int rarog_region_places_add(struct rarog_binary *binary, const char *path,
			    const struct rarog_plan *plan, struct rarog_marks *marks);

/** rarog_region_places_are_of() - of the file @path? */
bool rarog_region_places_are_of(const struct rarog_region_places *places, const char *path);

/** rarog_region_range_at() - NULL: no region is open at @address. */
const struct rarog_region_range *rarog_region_range_at(const struct rarog_region_places *places,
						       uint64_t address);

#endif
