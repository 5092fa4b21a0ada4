/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the source files of a profile are found: in its commit, or as they are now. */
#ifndef RAROG_VIEW_HTML_SOURCE_ORIGIN_H
#define RAROG_VIEW_HTML_SOURCE_ORIGIN_H

#include "profile/reader.h"
#include "store/facts.h"
#include "store/vcs.h"

struct rarog_source_origin {
	struct rarog_vcs *vcs; /* NULL: only as they are now */
	const char *root;      /* of the project; NULL: unknown */
	struct rarog_facts facts;
	char *stale; /* those that had been changed before (rarog_stale_list()) */
};

struct rarog_source_text {
	char *text; /* the caller's; NULL: not in the page */
	size_t n;
	const char *state; /* "whole", "changed" after the build, "missing", "large"; static */
};

/** rarog_source_origin_init() - of @profile. @vcs: asked for its commit, NULL: none. 0; -EBADMSG,
 * -ENOMEM. */
int rarog_source_origin_init(struct rarog_source_origin *origin, struct rarog_profile *profile,
			     struct rarog_vcs *vcs);
void rarog_source_origin_release(struct rarog_source_origin *origin); /* fits rarog_cleanup() */

/**
 * rarog_source_origin_read() - the file that the profile calls @path, of at most @room bytes
 *
 * It is the one of the profile's commit; where that does not have it, or what ran had changes that
 * are in no commit, it is the file as it is now.
 *
 * Return: 0, also if there is none; -ENOMEM.
 */
int rarog_source_origin_read(const struct rarog_source_origin *origin, const char *path,
			     size_t room, struct rarog_source_text *ret_source);

#endif
