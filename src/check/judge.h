/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the standard method (method-runs.c): tests that are made together, and what is tested.
 */
#ifndef RAROG_CHECK_JUDGE_H
#define RAROG_CHECK_JUDGE_H

#include "check/comparison.h"
#include "check/effect.h"
#include "check/verdict.h"
#include "num/random.h"

/* Its thresholds. */
enum {
	RAROG_RUNS_ALPHA,
	RAROG_RUNS_SMALLEST_EFFECT,
	RAROG_RUNS_SEVERE_EFFECT,
	RAROG_RUNS_LEAST_SHARE,
};

struct rarog_judge {
	const struct rarog_comparison *comparison;
	const double *limits;
	struct rarog_effect effect;
	struct rarog_verdict *verdict;
	struct rarog_random *random;
	/* Of the tests that are made together: */
	size_t draws;
	bool is_paired;
	bool are_too_few; /* for anything to be significant; pairs may still show that nothing is */
};

/**
 * rarog_judge_prepare() - how @tests comparisons of @nx and @ny values are made
 * @are_pairs: rather pairs too few for anything to be significant than none
 *
 * By numbers of runs alone, so that the choice favours nothing. Pairs take out what the machine did
 * meanwhile, but need more runs until any p can be small enough; too few of either tell nothing.
 */
void rarog_judge_prepare(struct rarog_judge *judge, size_t nx, size_t ny, size_t tests,
			 bool are_pairs);

/** rarog_judge_values() - compare y (target) with x (baseline); fills in @change. As
 * rarog_two_sides(). */
int rarog_judge_values(struct rarog_judge *judge, size_t nx, const double x[], size_t ny,
		       const double y[], struct rarog_change *change);

/** rarog_judge_conclude() - class of the verdict's changes from @first on, which were tested
 * together, of @nx and @ny values each. 0, -ENOMEM. */
int rarog_judge_conclude(struct rarog_judge *judge, size_t first, size_t nx, size_t ny);

/** rarog_judge_coming() - of a function that only one version called, add that. 1 it was, 0 it is
 * in both, negative on failure. */
int rarog_judge_coming(struct rarog_judge *judge, size_t row, enum rarog_measure measure,
		       const struct rarog_metric *metric);

/** rarog_judge_change() - of row @row, nothing measured yet; texts are borrowed. */
struct rarog_change rarog_judge_change(const struct rarog_comparison *comparison, size_t row,
				       const struct rarog_metric *metric);

/** rarog_judge_functions() - their own time. 1 all that could matter is decided, 0 not, negative on
 * failure. */
int rarog_judge_functions(struct rarog_judge *judge);

/** rarog_judge_waiting() - what functions wait, where .has_waiting: only what changes the run by as
 * much as matters. 1 all of it is decided, 0 not, negative on failure. */
int rarog_judge_waiting(struct rarog_judge *judge);

/** rarog_judge_run_ns() - typical time of a run of the baseline, with what it waits if that is
 * known; NAN: unknown. */
double rarog_judge_run_ns(const struct rarog_comparison *comparison);

#endif
