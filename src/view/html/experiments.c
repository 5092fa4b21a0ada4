/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/experiments.h"

#include <string.h>

#include "view/html/columns.h"

static void write_bits(struct rarog_json *json, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	rarog_json_double(json, NULL, value);
}

static int write_trials(const struct rarog_run *run, struct rarog_json *json)
{
	const struct rarog_trial *v;
	long n = rarog_profile_trials(run->profile, &v);

	if (n <= 0)
		return (int)n;
	rarog_json_object(json, "trials");
	RAROG_COLUMN(json, "function", (size_t)n, i, rarog_html_index(json, v[i].location));
	RAROG_COLUMN(json, "strand", (size_t)n, i, rarog_html_index(json, v[i].strand));
	RAROG_COLUMN(json, "number", (size_t)n, i, rarog_json_uint(json, NULL, v[i].number));
	RAROG_COLUMN(json, "injected", (size_t)n, i, rarog_json_uint(json, NULL, v[i].injected));
	RAROG_COLUMN(json, "time", (size_t)n, i, rarog_json_uint(json, NULL, v[i].time));
	rarog_json_end_object(json);
	return 0;
}

int rarog_html_experiments_write(const struct rarog_run *run, struct rarog_json *json)
{
	const struct rarog_experiment *v;
	long n = rarog_profile_experiments(run->profile, &v);
	int r;

	if (n < 0)
		return (int)n;
	if (n == 0) {
		rarog_json_null(json, "experiments");
		return 0;
	}
	rarog_json_object(json, "experiments");
	RAROG_COLUMN(json, "function", (size_t)n, i, rarog_html_index(json, v[i].location));
	RAROG_COLUMN(json, "line", (size_t)n, i, rarog_json_uint(json, NULL, v[i].line));
	RAROG_COLUMN(json, "kind", (size_t)n, i, rarog_json_string(json, NULL, v[i].kind));
	RAROG_COLUMN(json, "amount", (size_t)n, i, rarog_json_uint(json, NULL, v[i].amount));
	RAROG_COLUMN(json, "runs", (size_t)n, i, rarog_json_uint(json, NULL, v[i].runs));
	RAROG_COLUMN(json, "effect", (size_t)n, i, write_bits(json, v[i].effect));
	RAROG_COLUMN(json, "low", (size_t)n, i, write_bits(json, v[i].low));
	RAROG_COLUMN(json, "high", (size_t)n, i, write_bits(json, v[i].high));
	r = write_trials(run, json);
	rarog_json_end_object(json);
	return r;
}
