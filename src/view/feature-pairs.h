/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What features and their regions cost in two runs: of two configurations, or of two versions,
 * whose lines are not the same. The n-th region of some features in a file is that of the other
 * run, if both have as many; else they are one row, as nothing says which is which.
 */
#ifndef RAROG_VIEW_FEATURE_PAIRS_H
#define RAROG_VIEW_FEATURE_PAIRS_H

#include "view/feature-sums.h"

struct rarog_feature_cost {
	bool is_there;
	bool is_total_unknown; /* a recursion of which calls are missing */
	uint64_t regions;      /* of exactly these features */
	uint64_t count, total_ns, exclusive_ns;
};

struct rarog_feature_pair {
	char *text; /* "A,B"; "A,B@file.c:10", as the newer has it; "A,B@file.c"; owned */
	struct rarog_feature_cost sides[2];
};

struct rarog_feature_pairs {
	RAROG_VEC(struct rarog_feature_pair) list; /* the largest difference first */
};

/** rarog_feature_pairs_sets() - of features and interactions; as rarog_feature_sums_read(). Release
 * in any case. */
int rarog_feature_pairs_sets(struct rarog_profile *const profiles[2],
			     struct rarog_feature_pairs *ret_pairs);

/** rarog_feature_pairs_regions() - 0; errors of the reader. Release in any case. */
int rarog_feature_pairs_regions(struct rarog_profile *const profiles[2],
				struct rarog_feature_pairs *ret_pairs);
void rarog_feature_pairs_release(struct rarog_feature_pairs *pairs);

#endif
