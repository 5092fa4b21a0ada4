/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `rarog bisect`: what becomes of its versions, and what it found. */
#ifndef RAROG_VIEW_HISTORY_BISECT_H
#define RAROG_VIEW_HISTORY_BISECT_H

#include <stdio.h>

#include "check/line.h"
#include "check/search.h"
#include "run/range.h"

#define RAROG_BISECT_ENOUGH 0.95 /* how likely one version must be */

/* All that is known while it searches. */
struct rarog_bisection {
	struct rarog_quantity_name metric;
	struct rarog_versions line; /* [0] good … [n] bad */
	struct rarog_search search;
	uint64_t built, runs, versions_measured, stored;
};

void rarog_bisection_release(struct rarog_bisection *b);

struct rarog_bisect_view {
	const struct rarog_bisection *of;
	FILE *out;
	bool json;  /* nothing but the result */
	bool quiet; /* likewise, for people */
	int width;
};

/** rarog_bisect_say() - @what ("measured", "skipped") happened to version @at. */
void rarog_bisect_say(const struct rarog_bisect_view *view, const char *what, size_t at);

/** rarog_bisect_report() - the result of the search; NULL: the ends do not differ. 0, -EIO. */
int rarog_bisect_report(const struct rarog_bisect_view *view,
			const struct rarog_search_result *result);

#endif
