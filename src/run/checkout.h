/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds of versions: each tree, built by the same lines with the same compilers, is a directory
 * builds/KEY of the store, made once. The sources come by a git worktree that git forgets again
 * when the build is done; the user's work tree, index, branch and stash are not touched.
 *
 * The names of the directories are hashes: all paths are of one length, and which version gets
 * which is as good as drawn by lot.
 */
#ifndef RAROG_RUN_CHECKOUT_H
#define RAROG_RUN_CHECKOUT_H

#include "run/guard.h"
#include "run/matrix.h"
#include "run/toolchain.h"
#include "store/attempt.h"
#include "store/repository.h"

struct rarog_checkout {
	struct rarog_kept_build build;
	bool is_new;   /* it was not at hand: to be built, or just built */
	int64_t lease; /* while it is being built */
	struct rarog_guard guard;
	int log; /* what the build says; -1: none */
	/* for the worker */
	const struct rarog_repository *repository;
	const struct rarog_toolchain *toolchain;
	const struct rarog_commit *commit;
	const struct rarog_matrix *matrix;
};

#define RAROG_CHECKOUT_NONE                                                                        \
	{                                                                                          \
		.build = RAROG_BUILD_NONE, .log = -1                                               \
	}

/** rarog_checkout_key() - of a commit's tree, the lines that build it, and the compilers. */
int rarog_checkout_key(const struct rarog_commit *commit, const struct rarog_matrix *matrix,
		       const struct rarog_toolchain *toolchain, struct rarog_hash *ret_key);

/**
 * rarog_checkout_begin() - the build with @key, or the beginning of it
 * @checkout: repository, toolchain, commit and matrix are set
 * @again: although it is known that it does not build
 *
 * Return: 1: it is being built, rarog_checkout_end() follows once the guard is over; 0: it is
 * there, good or not; -errno.
 */
int rarog_checkout_begin(struct rarog_checkout *checkout, const struct rarog_hash *key, bool again,
			 const char *scratch);

/** rarog_checkout_end() - when .guard is over: keep the build, or the knowledge that it failed
 * (then the recorded message says why). Return: 0; -ECANCELED: called off, nothing is kept; -errno.
 */
int rarog_checkout_end(struct rarog_checkout *checkout);

/** rarog_checkout_release() - it may be pruned now. */
void rarog_checkout_release(struct rarog_checkout *checkout);

/** rarog_checkout_clean() - what a killed process left at @path (a lease of ours). */
int rarog_checkout_clean(struct rarog_vcs *vcs, const char *path);

#define RAROG_LEASE_WORKTREE "worktree"
#define RAROG_LEASE_SCRATCH  "scratch"

#endif
