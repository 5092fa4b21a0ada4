/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run has for itself in the store: an own directory, the right to measure, and the duty to
 * clean up after runs that were killed.
 */
#ifndef RAROG_RUN_SCRATCH_H
#define RAROG_RUN_SCRATCH_H

#include "store/repository.h"

struct rarog_scratch {
	struct rarog_repository *repository;
	char *path; /* the directory */
	int lock;   /* on it: held by us and all processes that work for us */
	int64_t lease;
};

#define RAROG_SCRATCH_NONE                                                                         \
	{                                                                                          \
		.lock = -1                                                                         \
	}

/** rarog_scratch_clean() - what killed runs left: directories, worktrees. 0 or -errno. */
int rarog_scratch_clean(struct rarog_repository *repository);

/** rarog_scratch_make() - 0 or -errno. */
int rarog_scratch_make(struct rarog_repository *repository, struct rarog_scratch *ret_scratch);
void rarog_scratch_release(struct rarog_scratch *scratch); /* and remove it */

/** rarog_scratch_compilers() - the directory for wrappers of compilers; the caller frees. */
int rarog_scratch_compilers(struct rarog_store *store, char **ret_path);

/**
 * rarog_measure_lock() - the right to measure: one at a time in a store
 * @tick: called while we wait; non-zero ends it
 *
 * Return: a descriptor to close; -ECANCELED, -errno.
 */
int rarog_measure_lock(struct rarog_store *store, int (*tick)(void *user), void *user);

#endif
