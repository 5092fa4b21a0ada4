/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/turns.h"

#include <math.h>

#define ROUNDS 6 /* in which noise that was 1 % of the run is a third of it */

static size_t n_open(const struct rarog_blow_result *result)
{
	size_t n = 0;

	for (size_t i = 0; i < result->corpus.v.n; i++)
		n += result->corpus.v.v[i].state == RAROG_BLOW_OPEN;
	return n;
}

double rarog_blow_round(const struct rarog_blow_mode *mode, size_t n)
{
	return (double)n + (mode->is_virtual ? (double)n : ceil(sqrt((double)n)));
}

/* Can @n functions have @rounds in the budget? One that is a number of runs is for all of them. */
static bool fits(const struct rarog_blow_options *options, uint64_t taken_ns, size_t n,
		 unsigned rounds)
{
	double runs = rounds * rarog_blow_round(options->mode, n);

	return options->budget_ns == 0 || runs * (double)taken_ns <= (double)options->budget_ns;
}

/* What of the run may hang on it, before anything is known. */
static uint64_t weight(const struct rarog_blow_options *options,
		       const struct rarog_blow_function *f)
{
	return options->mode->is_gain ? f->self_ns : f->total_ns;
}

static struct rarog_blow_function *heaviest(const struct rarog_blow_options *options,
					    struct rarog_blow_result *result)
{
	struct rarog_blow_function *found = NULL;

	for (size_t i = 0; i < result->corpus.v.n; i++) {
		struct rarog_blow_function *f = &result->corpus.v.v[i];

		if (f->awaits_turn && (!found || weight(options, f) > weight(options, found)))
			found = f;
	}
	return found;
}

bool rarog_blow_next_turn(const struct rarog_blow_options *options,
			  struct rarog_blow_result *result, uint64_t taken_ns)
{
	struct rarog_blow_function *f = heaviest(options, result);
	bool any = f;

	for (size_t n = 1; f && (n == 1 || fits(options, taken_ns, n, ROUNDS)); n++) {
		f->state = RAROG_BLOW_OPEN;
		f->awaits_turn = false;
		f = heaviest(options, result);
	}
	return any;
}

void rarog_blow_take_turns(const struct rarog_blow_options *options,
			   struct rarog_blow_result *result, uint64_t taken_ns)
{
	if (fits(options, taken_ns, n_open(result), RAROG_BLOW_LEAST_RUNS))
		return;
	for (size_t i = 0; i < result->corpus.v.n; i++) {
		struct rarog_blow_function *f = &result->corpus.v.v[i];

		f->awaits_turn = f->state == RAROG_BLOW_OPEN;
		f->state = f->awaits_turn ? RAROG_BLOW_LEFT : f->state;
	}
	rarog_blow_next_turn(options, result, taken_ns);
}
