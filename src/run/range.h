/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which versions: what --commit and its companions say. */
#ifndef RAROG_RUN_RANGE_H
#define RAROG_RUN_RANGE_H

#include "base/options.h"
#include "base/vec.h"
#include "store/vcs.h"

struct rarog_range {
	const struct rarog_strings *revisions; /* REV, A..B, ^A, --all */
	const struct rarog_strings *paths;     /* only commits of a range that touch these */
	bool first_parent;
	uint64_t every; /* of a range, each n-th; 0, 1: all */
};

/* Newest first; each once. */
struct rarog_versions {
	RAROG_VEC(struct rarog_commit) list;
};

/** rarog_range_read() - append the versions. 0; as rarog_vcs_resolve(); -ENOENT: the ranges are
 * empty. */
int rarog_range_read(struct rarog_vcs *vcs, const struct rarog_range *range,
		     struct rarog_versions *versions);
void rarog_versions_release(struct rarog_versions *versions);

#endif
