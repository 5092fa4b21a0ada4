/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One program image (made by an execve) and the processes forked from it: the memory of their
 * counters, which is theirs and ours, and the copies in each of them.
 */
#ifndef RAROG_ENGINE_REWRITE_IMAGE_H
#define RAROG_ENGINE_REWRITE_IMAGE_H

#include "engine/rewrite/module.h"
#include "process/remote.h"

/* A module that is in the memory of an image. */
struct rarog_rewrite_there {
	struct rarog_rewrite_module *module;
	uint64_t bias;
};

/* A function that stays as it is in one image. */
struct rarog_rewrite_changed {
	uint64_t address, size;
};

/* Each task has a row of counters of its own; row 0 is for those whose counts nobody wants. */
struct rarog_rewrite_image {
	struct rarog_rewrite_modules *modules;
	uint64_t base; /* where the program has the rows */
	uint8_t *rows; /* … and we */
	size_t stride, size;
	size_t half; /* where the half begins in which what runs inside of roots counts; 0: none */
	uint32_t n_rows; /* were given out */
	RAROG_VEC(uint32_t) free_rows;
	RAROG_VEC(struct rarog_rewrite_there) there;
	uint64_t loaded;    /* where the dynamic linker says that libraries came; 0: nobody asks */
	uint8_t was;        /* the byte there, where a breakpoint is */
	uint32_t n_tasks;   /* that live */
	uint64_t n_unknown; /* tasks that found no row */
	RAROG_VEC(struct rarog_rewrite_changed) changed; /* not in memory as in the file */
};

/** rarog_rewrite_image_new() - put the copies of @program into a process that is stopped before its
 * first instruction. 0; negative with message: it is as it was. */
int rarog_rewrite_image_new(struct rarog_rewrite_modules *modules, struct rarog_remote *remote,
			    const char *program, struct rarog_rewrite_image **ret_image);

/** rarog_rewrite_image_libraries() - the same of libraries that were loaded since. */
int rarog_rewrite_image_libraries(struct rarog_rewrite_image *image, struct rarog_remote *remote);

/** rarog_rewrite_image_row() - a row for a task that begins; 0: there is none. */
uint32_t rarog_rewrite_image_row(struct rarog_rewrite_image *image);

/** rarog_rewrite_image_gs() - what leads to @row. */
uint64_t rarog_rewrite_image_gs(const struct rarog_rewrite_image *image, uint32_t row,
				bool is_inside);

/** rarog_rewrite_image_inherit() - the loops and the root that are open in @from are so in @row. */
void rarog_rewrite_image_inherit(struct rarog_rewrite_image *image, uint32_t from, uint32_t row);

/** rarog_rewrite_image_sample() - a thread was at @address. */
void rarog_rewrite_image_sample(struct rarog_rewrite_image *image, uint64_t address);

/** rarog_rewrite_image_original(), rarog_rewrite_image_is_midway() - as in mapping.h, of @address
 * in the program's memory. */
uint64_t rarog_rewrite_image_original(const struct rarog_rewrite_image *image, uint64_t address);
bool rarog_rewrite_image_is_midway(const struct rarog_rewrite_image *image, uint64_t address);

/** rarog_rewrite_image_copied() - where a thread that wants to go on at @address has to go on. */
uint64_t rarog_rewrite_image_copied(const struct rarog_rewrite_image *image, uint64_t address);

/** rarog_rewrite_image_give_back() - the task of that row is no more. */
void rarog_rewrite_image_give_back(struct rarog_rewrite_image *image, uint32_t row);

/** rarog_rewrite_image_free() - and add its counts to those of the modules. */
void rarog_rewrite_image_free(struct rarog_rewrite_image *image);

#endif
