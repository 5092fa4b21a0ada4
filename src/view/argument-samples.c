/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/argument-samples.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

#define MOST 4000 /* calls of one argument */

void rarog_argument_samples_release(struct rarog_argument_samples *samples)
{
	for (size_t i = 0; i < samples->list.n; i++)
		rarog_vec_release(&samples->list.v[i].calls);
	rarog_vec_release(&samples->list);
}

static struct rarog_argument_sample *sample_of(struct rarog_argument_samples *samples,
					       const struct rarog_argument_call *call)
{
	struct rarog_argument_sample one = { .argument = call->argument,
					     .within = call->within,
					     .step = 1 };

	for (size_t i = 0; i < samples->list.n; i++)
		if (samples->list.v[i].argument == one.argument &&
		    samples->list.v[i].within == one.within)
			return &samples->list.v[i];
	if (rarog_vec_push(&samples->list, one) < 0)
		return NULL;
	return &samples->list.v[samples->list.n - 1];
}

static void thin_out(struct rarog_argument_sample *sample)
{
	size_t n = 0;

	for (size_t i = 0; i < sample->calls.n; i += 2)
		sample->calls.v[n++] = sample->calls.v[i];
	sample->calls.n = n;
	sample->step *= 2;
}

static int take(void *arg, const struct rarog_argument_call *call)
{
	struct rarog_argument_sample *sample;

	if (!isfinite(call->x)) /* has no place in a plot */
		return 0;
	sample = sample_of(arg, call);
	if (!sample)
		return rarog_oom();
	if (sample->seen++ % sample->step != 0)
		return 0;
	if (rarog_vec_push(&sample->calls, *call) < 0)
		return rarog_oom();
	if (sample->calls.n > MOST)
		thin_out(sample);
	return 0;
}

static int compare_samples(const void *left, const void *right)
{
	const struct rarog_argument_sample *a = left, *b = right;
	bool a_is_own = a->within == RAROG_NONE, b_is_own = b->within == RAROG_NONE;

	if (a_is_own != b_is_own)
		return a_is_own ? -1 : 1;
	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	return (a->within > b->within) - (a->within < b->within);
}

int rarog_argument_samples_read(struct rarog_profile *profile,
				struct rarog_argument_samples *ret_samples)
{
	int r = rarog_argument_calls(profile, NULL, take, ret_samples);

	if (r == 0 && ret_samples->list.n > 0)
		qsort(ret_samples->list.v, ret_samples->list.n, sizeof(*ret_samples->list.v),
		      compare_samples);
	return r;
}
