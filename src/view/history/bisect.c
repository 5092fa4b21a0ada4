/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "base/json-writer.h"
#include "base/units.h"
#include "base/utf8.h"
#include "view/history/bisect.h"
#include "view/history/series.h"

void rarog_bisection_release(struct rarog_bisection *b)
{
	rarog_search_release(&b->search);
	rarog_versions_release(&b->line);
	rarog_quantity_name_release(&b->metric);
}

void rarog_bisect_say(const struct rarog_bisect_view *view, const char *what, size_t at)
{
	const struct rarog_bisection *s = view->of;
	const struct rarog_commit *commit = &s->line.list.v[at];

	if (view->quiet || view->json)
		return;
	fprintf(view->out, "%-10s %.10s  %zu run%s  ", what, commit->name,
		s->search.positions[at].values.n,
		s->search.positions[at].values.n == 1 ? " " : "s");
	rarog_utf8_print(view->out, commit->subject ? commit->subject : "", view->width - 34);
	fputc('\n', view->out);
	fflush(view->out);
}

static void say_versions(const struct rarog_bisect_view *view,
			 const struct rarog_search_result *result)
{
	const struct rarog_bisection *s = view->of;

	for (size_t c = result->first; c <= result->last; c++) {
		const struct rarog_commit *commit = &s->line.list.v[c];

		fprintf(view->out, "%.10s  ", commit->name);
		rarog_utf8_print(view->out, commit->subject ? commit->subject : "",
				 view->width - 12);
		fprintf(view->out, "%s\n",
			s->search.positions[c].is_broken ? "  (cannot be measured)" : "");
	}
}

static void print(const struct rarog_bisect_view *view, const struct rarog_search_result *result)
{
	const struct rarog_bisection *s = view->of;
	double relative = 100 * (result->after - result->before) / result->before;

	if (!view->quiet)
		fputc('\n', view->out);
	if (result->likely < RAROG_BISECT_ENOUGH)
		fprintf(view->out, "Not sure: the likeliest is (%.0f %%)\n", 100 * result->likely);
	else if (result->first < result->last)
		fprintf(view->out, "One of these changed it (together %.1f %% likely):\n",
			100 * result->likely);
	say_versions(view, result);
	fprintf(view->out, "%s%s%s: %s before, %s after",
		s->metric.function ? s->metric.function : "", s->metric.function ? ":" : "",
		rarog_series_metric_name(s->metric.metric),
		rarog_series_amount(s->metric.metric, result->before).text,
		rarog_series_amount(s->metric.metric, result->after).text);
	if (isfinite(relative))
		fprintf(view->out, ", %+.1f %%", relative);
	fprintf(view->out, "; %.1f %% sure\n", 100 * result->likely);
	fprintf(view->out,
		"%llu of %zu versions measured now, %llu built; %llu runs; %llu were stored\n",
		(unsigned long long)s->versions_measured, s->line.list.n,
		(unsigned long long)s->built, (unsigned long long)s->runs,
		(unsigned long long)s->stored);
}

static int write_json(const struct rarog_bisect_view *view,
		      const struct rarog_search_result *result, const char *verdict)
{
	const struct rarog_bisection *s = view->of;
	struct rarog_json json;

	rarog_json_start_object(&json, view->out);
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
	return rarog_json_finish(&json);
}

static int report_same(const struct rarog_bisect_view *view)
{
	static const struct rarog_search_result none = { 0, 0, 0, NAN, NAN };
	const struct rarog_bisection *s = view->of;

	if (view->json)
		return write_json(view, &none, "same");
	fprintf(view->out, "%.10s and %.10s do not differ beyond noise in %zu runs each\n",
		s->line.list.v[0].name, s->line.list.v[s->search.n].name,
		s->search.positions[0].values.n);
	return 0;
}

int rarog_bisect_report(const struct rarog_bisect_view *view,
			const struct rarog_search_result *result)
{
	if (!result)
		return report_same(view);
	if (view->json)
		return write_json(view, result,
				  result->likely >= RAROG_BISECT_ENOUGH ? "found" : "inconclusive");
	print(view, result);
	return 0;
}
