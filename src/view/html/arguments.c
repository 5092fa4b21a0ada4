/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One entry for each argument that has values; of what a mark told one for each function that it
 * was passed in. Of many calls every second one is left out, again and again, until they are few
 * enough: so they stay spread evenly, and of one function's arguments they are the same calls.
 */
#include "view/html/arguments.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/vec.h"
#include "binary/value-path.h"
#include "model/points-arguments.h"
#include "view/html/columns.h"

#define MOST 4000 /* calls of one argument */

struct sample {
	uint32_t argument, within;
	uint64_t seen, step; /* each step-th is kept */
	RAROG_VEC(struct rarog_argument_call) calls;
};

struct samples {
	RAROG_VEC(struct sample) list;
};

static void samples_release(struct samples *samples)
{
	for (size_t i = 0; i < samples->list.n; i++)
		rarog_vec_release(&samples->list.v[i].calls);
	rarog_vec_release(&samples->list);
}

static struct sample *sample_of(struct samples *samples, const struct rarog_argument_call *call)
{
	struct sample one = { .argument = call->argument, .within = call->within, .step = 1 };

	for (size_t i = 0; i < samples->list.n; i++)
		if (samples->list.v[i].argument == one.argument &&
		    samples->list.v[i].within == one.within)
			return &samples->list.v[i];
	if (rarog_vec_push(&samples->list, one) < 0)
		return NULL;
	return &samples->list.v[samples->list.n - 1];
}

static void thin_out(struct sample *sample)
{
	size_t n = 0;

	for (size_t i = 0; i < sample->calls.n; i += 2)
		sample->calls.v[n++] = sample->calls.v[i];
	sample->calls.n = n;
	sample->step *= 2;
}

static int take(void *arg, const struct rarog_argument_call *call)
{
	struct sample *sample;

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
	const struct sample *a = left, *b = right;
	bool a_is_own = a->within == RAROG_NONE, b_is_own = b->within == RAROG_NONE;

	if (a_is_own != b_is_own)
		return a_is_own ? -1 : 1;
	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	return (a->within > b->within) - (a->within < b->within);
}

static void write_begin(struct rarog_json *json, const struct rarog_run *run, uint64_t ticks)
{
	if (ticks >= run->start_ticks && ticks > 0)
		rarog_json_uint(json, NULL, ticks - run->start_ticks);
	else
		rarog_json_null(json, NULL);
}

static void write_sample(struct rarog_json *json, const struct rarog_run *run,
			 const struct rarog_argument *argument, const struct sample *sample)
{
	const struct rarog_argument_call *v = sample->calls.v;
	size_t n = sample->calls.n;

	if (argument->kind == RAROG_VALUE_COST)
		return;
	rarog_json_object(json, NULL);
	rarog_html_index_member(json, "function", argument->location);
	rarog_html_index_member(json, "within", sample->within);
	rarog_json_string(json, "name", argument->name);
	rarog_json_string(json, "type", argument->type);
	rarog_json_uint(json, "seen", sample->seen);
	RAROG_COLUMN(json, "x", n, i, rarog_json_double(json, NULL, v[i].x));
	RAROG_COLUMN(json, "y", n, i, rarog_json_double(json, NULL, round(v[i].y)));
	RAROG_COLUMN(json, "strand", n, i, rarog_json_uint(json, NULL, v[i].strand));
	RAROG_COLUMN(json, "begin", n, i, write_begin(json, run, v[i].entered_ticks));
	rarog_json_end_object(json);
}

int rarog_html_arguments_write(const struct rarog_run *run, struct rarog_json *json)
{
	rarog_cleanup(samples_release) struct samples samples = { 0 };
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(run->profile, &arguments);
	int r = n > 0 ? rarog_argument_calls(run->profile, NULL, take, &samples) : (int)n;

	if (r < 0)
		return r;
	if (n == 0) {
		rarog_json_null(json, "arguments");
		return 0;
	}
	if (samples.list.n > 0)
		qsort(samples.list.v, samples.list.n, sizeof(*samples.list.v), compare_samples);
	rarog_json_array(json, "arguments");
	for (size_t i = 0; i < samples.list.n; i++)
		write_sample(json, run, &arguments[samples.list.v[i].argument], &samples.list.v[i]);
	rarog_json_end_array(json);
	return 0;
}
