/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which version another one is compared with when the user names none. */
#ifndef RAROG_CHECK_BASE_H
#define RAROG_CHECK_BASE_H

#include "store/store.h"
#include "store/vcs.h"

struct rarog_base {
	char *version;    /* in full */
	const char *rule; /* "tagged stable", for people; static */
	uint64_t between; /* commits between it and the target that were passed over */
};

/**
 * rarog_base_find() - the base of @target
 * @options: only profiles with these options of the program; as in struct rarog_record_filter
 * @only_ancestors: only the last two rules, as in a walk over a history
 *
 * In this order, and only versions that share a job and a class of machine with it:
 *   the newest ancestor that carries the tag "stable" (rarog tag stable REV);
 *   the merge base with the main branch, if the target is not on it;
 *   the nearest ancestor along first parents: a merge is compared with what it was merged into;
 *   the newest of all other ancestors.
 *
 * Return: 0; -ENOENT there is none; the target has no profiles either; -errno.
 */
int rarog_base_find(struct rarog_vcs *vcs, struct rarog_store *store,
		    const struct rarog_commit *target, const char *options, bool only_ancestors,
		    struct rarog_base *ret_base);

/** rarog_base_choose() - by the same rules, of all versions: both are going to be measured. 0;
 * -ENOENT: it has no ancestor; -errno. */
int rarog_base_choose(struct rarog_vcs *vcs, struct rarog_store *store,
		      const struct rarog_commit *target, struct rarog_base *ret_base);
void rarog_base_release(struct rarog_base *base); /* fits rarog_cleanup() */

#endif
