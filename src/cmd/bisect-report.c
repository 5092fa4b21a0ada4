/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cmd/bisect.h"

void rarog_bisect_say(const struct rarog_bisect *s, const char *what, size_t at)
{
	const struct rarog_commit *commit = &s->line.list.v[at];

	if (s->context->quiet || s->args->json)
		return;
	printf("%-10s %.10s  %zu run%s  ", what, commit->name, s->search.positions[at].values.n,
	       s->search.positions[at].values.n == 1 ? " " : "s");
	rarog_utf8_print(stdout, commit->subject ? commit->subject : "", s->context->width - 34);
	putchar('\n');
	fflush(stdout);
}

static struct rarog_amount amount(const struct rarog_bisect *s, double value)
{
	uint64_t rounded = value > 0 ? (uint64_t)llround(value) : 0;

	return rarog_series_is_count(s->metric.metric) ? rarog_format_count(rounded)
						       : rarog_format_ns(rounded);
}

static void say_versions(const struct rarog_bisect *s, const struct rarog_search_result *result)
{
	for (size_t c = result->first; c <= result->last; c++) {
		const struct rarog_commit *commit = &s->line.list.v[c];

		printf("%.10s  ", commit->name);
		rarog_utf8_print(stdout, commit->subject ? commit->subject : "",
				 s->context->width - 12);
		printf("%s\n", s->search.positions[c].is_broken ? "  (cannot be measured)" : "");
	}
}

static void print(const struct rarog_bisect *s, const struct rarog_search_result *result)
{
	double relative = 100 * (result->after - result->before) / result->before;

	if (!s->context->quiet)
		putchar('\n');
	if (result->likely < RAROG_BISECT_ENOUGH)
		printf("Not sure: the likeliest is (%.0f %%)\n", 100 * result->likely);
	else if (result->first < result->last)
		printf("One of these changed it (together %.1f %% likely):\n",
		       100 * result->likely);
	say_versions(s, result);
	printf("%s%s%s: %s before, %s after", s->metric.function ? s->metric.function : "",
	       s->metric.function ? ":" : "", rarog_series_metric_name(s->metric.metric),
	       amount(s, result->before).text, amount(s, result->after).text);
	if (isfinite(relative))
		printf(", %+.1f %%", relative);
	printf("; %.1f %% sure\n", 100 * result->likely);
	printf("%llu of %zu versions measured now, %llu built; %llu runs; %llu were stored\n",
	       (unsigned long long)s->versions_measured, s->line.list.n,
	       (unsigned long long)s->built, (unsigned long long)s->runs,
	       (unsigned long long)s->stored);
}

static int write_json(const struct rarog_bisect *s, const struct rarog_search_result *result,
		      const char *verdict)
{
	struct rarog_json json;

	rarog_json_start(&json, stdout, true);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "verdict", verdict);
	rarog_json_string(&json, "metric", rarog_series_metric_name(s->metric.metric));
	rarog_json_string(&json, "location", s->metric.function);
	rarog_json_array(&json, "versions");
	for (size_t c = result->first; result->first > 0 && c <= result->last; c++)
		rarog_json_string(&json, NULL, s->line.list.v[c].name);
	rarog_json_end_array(&json);
	rarog_json_double(&json, "confidence", result->likely);
	rarog_json_double(&json, "before", result->before);
	rarog_json_double(&json, "after", result->after);
	rarog_json_double(&json, "relative", (result->after - result->before) / result->before);
	rarog_json_uint(&json, "n_versions", s->search.n);
	rarog_json_uint(&json, "measured", s->versions_measured);
	rarog_json_uint(&json, "built", s->built);
	rarog_json_uint(&json, "runs", s->runs);
	rarog_json_uint(&json, "stored", s->stored);
	rarog_json_array(&json, "skipped");
	for (size_t at = 0; at <= s->search.n; at++)
		if (s->search.positions[at].is_broken)
			rarog_json_string(&json, NULL, s->line.list.v[at].name);
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}

/* A function whose name is mistyped costs nothing anywhere. */
static bool is_nothing(const struct rarog_search_position *end)
{
	for (size_t i = 0; i < end->values.n; i++)
		if (end->values.v[i] > 0)
			return false;
	return true;
}

int rarog_bisect_report_same(const struct rarog_bisect *s)
{
	const struct rarog_search_result none = { 0, 0, 0, NAN, NAN };
	const struct rarog_search_position *good = &s->search.positions[0];
	int r = 0;

	if (s->metric.function && is_nothing(good) && is_nothing(&s->search.positions[s->search.n]))
		return rarog_fail(-ENOENT,
				  "%s: nothing of it ran in %.10s or in %.10s; rarog show has the "
				  "functions that did",
				  s->metric.function, s->line.list.v[0].name,
				  s->line.list.v[s->search.n].name);
	if (s->args->json)
		r = write_json(s, &none, "same");
	else
		printf("%.10s and %.10s do not differ beyond noise in %zu runs each\n",
		       s->line.list.v[0].name, s->line.list.v[s->search.n].name, good->values.n);
	return r < 0 ? r : RAROG_EXIT_INCONCLUSIVE;
}

int rarog_bisect_report(const struct rarog_bisect *s, const struct rarog_search_result *result)
{
	bool is_found = result->likely >= RAROG_BISECT_ENOUGH;
	int r = 0;

	if (s->args->json)
		r = write_json(s, result, is_found ? "found" : "inconclusive");
	else
		print(s, result);
	if (r < 0)
		return r;
	return is_found ? RAROG_EXIT_OK : RAROG_EXIT_INCONCLUSIVE;
}
