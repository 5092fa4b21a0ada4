/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One entry for each sample of an argument's calls. */
#include "view/html/arguments.h"

#include <math.h>

#include "base/cleanup.h"
#include "binary/value-path.h"
#include "view/argument-samples.h"
#include "view/html/columns.h"

static void write_begin(struct rarog_json *json, const struct rarog_run *run, uint64_t ticks)
{
	if (ticks >= run->start_ticks && ticks > 0)
		rarog_json_uint(json, NULL, ticks - run->start_ticks);
	else
		rarog_json_null(json, NULL);
}

static void write_sample(struct rarog_json *json, const struct rarog_run *run,
			 const struct rarog_argument *argument,
			 const struct rarog_argument_sample *sample)
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
	rarog_cleanup(rarog_argument_samples_release) struct rarog_argument_samples samples = { 0 };
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(run->profile, &arguments);
	int r = n > 0 ? rarog_argument_samples_read(run->profile, &samples) : (int)n;

	if (r < 0)
		return r;
	if (n == 0) {
		rarog_json_null(json, "arguments");
		return 0;
	}
	rarog_json_array(json, "arguments");
	for (size_t i = 0; i < samples.list.n; i++)
		write_sample(json, run, &arguments[samples.list.v[i].argument], &samples.list.v[i]);
	rarog_json_end_array(json);
	return 0;
}
