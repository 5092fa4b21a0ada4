/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function leaves by itself when its interval excludes an influence that matters, or is narrow.
 * By halves (successive halving: K. Jamieson, A. Talwalkar, AISTATS 2016) those leave, too, that
 * can matter least, after 4, 8, 16 … rounds, so that the runs go to those that may matter most. It
 * is their upper ends that are compared: a function that is not known well yet stays.
 */
#include "blow/shrink.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

#define FIRST_ROUND 4 /* after which half of them may leave */

/* Was all the noise in it that there may be? */
static bool is_at_most(const struct rarog_blow_options *o, const struct rarog_blow_result *result,
		       const struct rarog_blow_function *f)
{
	if (!o->mode->grows)
		return true;
	if (o->mode->is_virtual)
		return f->part >= 1;
	return f->delay_ns >= o->most_ns || f->target_ns >= o->most_share * result->base_ns;
}

static void judge(const struct rarog_blow_options *o, const struct rarog_blow_result *result,
		  struct rarog_blow_function *f)
{
	if (!f->has_estimate || f->n_runs < RAROG_BLOW_SURE_RUNS ||
	    (o->is_full && !is_at_most(o, result, f)))
		return;
	if (f->answer.high < o->small && f->answer.low > -o->surely)
		f->state = RAROG_BLOW_SMALL;
	else if (f->width < o->narrow)
		f->state = RAROG_BLOW_NARROW;
}

/* What of the run may hang on it at the most. */
static double most_of(const struct rarog_blow_options *o, const struct rarog_blow_result *result,
		      const struct rarog_blow_function *f)
{
	double share = (double)f->total_ns / (double)result->corpus.traced_ns;

	if (!f->has_estimate)
		return INFINITY;
	return o->mode->is_gain ? f->answer.high : f->answer.high * share;
}

struct ranked {
	struct rarog_blow_function *function;
	double most;
};

static int largest_first(const void *left, const void *right)
{
	double x = ((const struct ranked *)left)->most, y = ((const struct ranked *)right)->most;

	return (x < y) - (x > y);
}

static bool is_time_to_halve(uint64_t rounds)
{
	return rounds >= FIRST_ROUND && (rounds & (rounds - 1)) == 0;
}

static int halve(const struct rarog_blow_options *o, struct rarog_blow_result *result)
{
	struct ranked *open = calloc(result->corpus.v.n + 1, sizeof(*open));
	size_t n = 0;

	if (!open)
		return rarog_oom();
	for (size_t i = 0; i < result->corpus.v.n; i++) {
		struct rarog_blow_function *f = &result->corpus.v.v[i];

		if (f->state == RAROG_BLOW_OPEN)
			open[n++] = (struct ranked){ f, most_of(o, result, f) };
	}
	qsort(open, n, sizeof(*open), largest_first);
	for (size_t i = (n + 1) / 2; i < n; i++)
		if (isfinite(open[i].most))
			open[i].function->state = RAROG_BLOW_LEFT;
	free(open);
	return 0;
}

int rarog_blow_shrink(const struct rarog_blow_options *options, struct rarog_blow_result *result)
{
	for (size_t i = 0; i < result->corpus.v.n; i++)
		if (result->corpus.v.v[i].state == RAROG_BLOW_OPEN)
			judge(options, result, &result->corpus.v.v[i]);
	return options->halves && is_time_to_halve(result->rounds) ? halve(options, result) : 0;
}
