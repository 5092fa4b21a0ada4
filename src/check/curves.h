/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What methods that compare models see of a comparison: the points of each function on each side,
 * all runs together, and the models of them.
 */
#ifndef RAROG_CHECK_CURVES_H
#define RAROG_CHECK_CURVES_H

#include "check/comparison.h"
#include "model/points.h"

/* Of one function on one side; the models are fitted when they are asked for. */
struct rarog_curves {
	struct rarog_points points;
	const char *x; /* the captured value that is their x; NULL: what the profile offers */
	bool is_mixed; /* not in all runs */
	bool is_fitted;
	struct rarog_models fitted;
	struct rarog_models stored; /* brought along by an imported profile */
};

struct rarog_curve_table {
	size_t n; /* rows of the comparison */
	struct rarog_curves *of[2];
};

/** rarog_curve_table_fill() - read the points of all runs. 0; -ENODATA no function has any on both
 * sides, the message says what would; -EBADMSG, -ENOMEM. */
int rarog_curve_table_fill(const struct rarog_comparison *comparison,
			   struct rarog_curve_table *ret_table);
void rarog_curve_table_release(struct rarog_curve_table *table);

/**
 * rarog_curve_models() - the models of row @row on both sides, both fitted or both stored
 * @prefer_stored: else those that came along are taken only where there are too few points
 * @ret: borrowed; NULL each if one side has none
 *
 * Return: 0, -ENOMEM.
 */
int rarog_curve_models(struct rarog_curve_table *table, size_t row, bool prefer_stored,
		       const struct rarog_models *ret[2]);

/** rarog_curves_differ() - have the points of both sides an x of their own? Then @ret_reason. */
bool rarog_curves_differ(const struct rarog_curve_table *table, size_t row, size_t n,
			 char ret_reason[n]);

/** rarog_curves_any() - has the function points or models on that side? */
bool rarog_curves_any(const struct rarog_curve_table *table, size_t row, int side);

#endif
