/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/judge.h"

#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "check/two-sides.h"
#include "num/multiple.h"
#include "num/permutation.h"

#define LEVEL      0.95 /* of intervals */
#define LEAST_DRAW 9999

/* --- one change --- */

int rarog_judge_values(struct rarog_judge *judge, size_t nx, const double x[], size_t ny,
		       const double y[], struct rarog_change *change)
{
	struct rarog_two_sides two;
	int r = rarog_two_sides(nx, x, ny, y, judge->is_paired, LEVEL, judge->draws, judge->random,
				&two);

	if (r < 0)
		return r;
	change->baseline = two.baseline;
	change->target = two.target;
	change->relative = two.relative;
	change->low = two.low;
	change->high = two.high;
	change->p = two.p;
	return 0;
}

/* --- several, tested together: they are the last of the verdict's changes --- */

static int adjust(struct rarog_judge *judge, size_t first, size_t runs)
{
	struct rarog_change *changes = judge->verdict->changes.v + first;
	size_t n = judge->verdict->changes.n - first;
	rarog_cleanup(rarog_freep) double *q = calloc(n + 1, sizeof(*q));
	int r;

	if (!q)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		q[i] = changes[i].p;
	r = rarog_multiple_adjust(RAROG_MULTIPLE_BH, n, q, q);
	for (size_t i = 0; r == 0 && i < n; i++) {
		changes[i].q = q[i];
		changes[i].class = rarog_effect_class(&judge->effect, changes[i].relative,
						      changes[i].low, changes[i].high,
						      q[i] <= judge->limits[RAROG_RUNS_ALPHA]);
		rarog_change_say(&changes[i].reason,
				 rarog_effect_reason(&judge->effect, &changes[i], runs));
	}
	return r;
}

/* @is_all: of those that are tested together, else those that nothing is known of. */
static int give_up(struct rarog_judge *judge, size_t first, size_t nx, size_t ny, bool is_all)
{
	struct rarog_verdict *verdict = judge->verdict;
	size_t tests = verdict->changes.n - first;
	size_t least = rarog_permutation_least_runs(judge->limits[RAROG_RUNS_ALPHA], tests, 1,
						    judge->is_paired);

	for (size_t i = first; i < verdict->changes.n; i++) {
		if (!is_all && verdict->changes.v[i].class != RAROG_CLASS_UNKNOWN)
			continue;
		verdict->runs_needed = least > verdict->runs_needed ? least : verdict->runs_needed;
		verdict->changes.v[i].class = RAROG_CLASS_UNKNOWN;
		rarog_change_say(&verdict->changes.v[i].reason,
				 rarog_asprintf("too few runs: %zu and %zu, %zu each are needed",
						nx, ny, least));
	}
	return 0;
}

int rarog_judge_conclude(struct rarog_judge *judge, size_t first, size_t nx, size_t ny)
{
	size_t tests = judge->verdict->changes.n - first;
	int r;

	if (tests == 0)
		return 0;
	if (judge->are_too_few && !judge->is_paired)
		return give_up(judge, first, nx, ny, true);
	r = adjust(judge, first, nx < ny ? nx : ny);
	return r == 0 && judge->are_too_few ? give_up(judge, first, nx, ny, false) : r;
}

void rarog_judge_prepare(struct rarog_judge *judge, size_t nx, size_t ny, size_t tests,
			 bool are_pairs)
{
	size_t least = 2 * rarog_permutation_least_draws(judge->limits[RAROG_RUNS_ALPHA],
							 tests ? tests : 1, 1);
	double wanted = judge->limits[RAROG_RUNS_ALPHA] / (double)(tests ? tests : 1);
	double paired = judge->comparison->is_paired && nx == ny
				? rarog_two_sides_least_p(nx, ny, true)
				: INFINITY;

	judge->draws = least > LEAST_DRAW ? least : LEAST_DRAW;
	judge->is_paired = paired <= (are_pairs ? fmax(wanted, 1 - LEVEL) : wanted);
	judge->are_too_few = judge->is_paired ? paired > wanted
					      : rarog_two_sides_least_p(nx, ny, false) > wanted;
}
