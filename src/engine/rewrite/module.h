/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program or library: which of its functions are rewritten, their copies, and what was counted.
 */
#ifndef RAROG_ENGINE_REWRITE_MODULE_H
#define RAROG_ENGINE_REWRITE_MODULE_H

#include <sys/stat.h>

#include "engine/rewrite/copy.h"
#include "plan/plan.h"

struct rarog_rewritten {
	struct rarog_rewrite_shape shape;
	struct rarog_rewrite_points points;
	bool is_left; /* after all: the copy does not reach what it refers to */
};

struct rarog_rewrite_left {
	uint32_t function;
	uint8_t reason; /* enum rarog_rewrite_reason */
};

struct rarog_rewrite_module {
	char *path;
	struct stat file;
	struct rarog_binary *binary;
	RAROG_VEC(struct rarog_rewritten) functions; /* by address */
	RAROG_VEC(struct rarog_rewrite_left) left;   /* wanted, and left as they are */
	uint32_t first_counter, n_counters;          /* words of a row */
	uint32_t n_blocks;                           /* of all functions */
	uint32_t n_roots;   /* functions that --within or --not-below means */
	uint64_t low, high; /* of its memory, in the file's numbering */
	uint64_t room;      /* bytes that the copies need at most */
	uint64_t distance;  /* of the copies from address 0 of the file; 0: not made yet */
	struct rarog_copies copies;
	struct rarog_overwrites overwrites;
	uint64_t *counts; /* [n_counters], of all threads that have ended */
	struct rarog_rewrite_samples_of {
		uint64_t own, probes; /* in what counts where control comes to it */
	} * samples;                  /* [n_blocks] */
	bool was_there;               /* in a process */
	struct rarog_rewrite_module *next;
};

struct rarog_rewrite_modules {
	struct rarog_rewrite_module *first;
	struct rarog_plan *plan; /* borrowed */
	uint32_t n_counters;     /* of all, where one process may have several */
};

/** rarog_rewrite_module_get() - of the file at @path, judged at the first call. 0; negative with
 * message. */
int rarog_rewrite_module_get(struct rarog_rewrite_modules *modules, const char *path,
			     struct rarog_rewrite_module **ret_module);

/** rarog_rewrite_module_copy() - make the copies for @distance. 0; negative with message. */
int rarog_rewrite_module_copy(struct rarog_rewrite_module *module, uint64_t distance);

void rarog_rewrite_modules_release(struct rarog_rewrite_modules *modules);

#endif
