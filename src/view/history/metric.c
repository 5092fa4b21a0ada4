/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/history/metric.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/table.h"
#include "base/utf8.h"
#include "view/history/series.h"
#include "view/names.h"
#include "view/term/chart.h"

void rarog_metric_point_release(struct rarog_metric_point *point)
{
	free(point->version);
	free(point->subject);
}

void rarog_metric_line_release(struct rarog_metric_line *line)
{
	rarog_quantity_name_release(&line->metric);
	for (size_t i = 0; i < line->points.n; i++)
		rarog_metric_point_release(&line->points.v[i]);
	rarog_vec_release(&line->points);
	rarog_vec_release(&line->shifts.list);
}

static struct rarog_amount label_time(double value)
{
	return rarog_series_amount(RAROG_SERIES_WALL, value);
}

static struct rarog_amount label_count(double value)
{
	return value < 1e6 ? rarog_format_count(value > 0 ? (uint64_t)llround(value) : 0)
			   : rarog_format_short_count((uint64_t)llround(value));
}

static double relative(const struct rarog_shift *shift)
{
	return shift->before > 0 ? (shift->after - shift->before) / shift->before : INFINITY;
}

static int draw(const struct rarog_metric_view *view, FILE *out)
{
	const struct rarog_metric_line *s = view->line;
	rarog_cleanup(rarog_freep) double *values = calloc(s->points.n + 1, sizeof(*values));
	rarog_cleanup(rarog_freep) struct rarog_chart_mark *marks =
		calloc(s->shifts.list.n + 1, sizeof(*marks));
	struct rarog_short first = rarog_short_name(view->vcs, s->points.v[0].version);
	struct rarog_short last = rarog_short_name(view->vcs, s->points.v[s->points.n - 1].version);
	int width = view->width;

	if (!values || !marks)
		return rarog_oom();
	for (size_t i = 0; i < s->points.n; i++)
		values[i] = s->points.v[i].value;
	for (size_t i = 0; i < s->shifts.list.n; i++)
		marks[i] = (struct rarog_chart_mark){ s->shifts.list.v[i].version,
						      relative(&s->shifts.list.v[i]) > 0 };
	const struct rarog_chart chart = {
		.n = s->points.n,
		.values = values,
		.n_marks = s->shifts.list.n,
		.marks = marks,
		.label = rarog_series_is_count(s->metric.metric) ? label_count : label_time,
		.left = first.text,
		.right = last.text,
		.width = width < 40    ? 40
			 : width > 120 ? 120
				       : width,
		.height = 12,
		.is_ascii = !rarog_utf8_is_spoken(),
		.colour = view->colour,
	};

	return rarog_chart_print(&chart, out);
}

static void say_shift(const struct rarog_metric_view *view, const struct rarog_shift *shift,
		      FILE *out)
{
	const struct rarog_metric_line *s = view->line;
	const struct rarog_metric_point *point = &s->points.v[shift->version];
	enum rarog_style style = !view->colour         ? RAROG_STYLE_PLAIN
				 : relative(shift) > 0 ? RAROG_STYLE_RED
						       : RAROG_STYLE_GREEN;
	char percent[24] = "new";
	int room = view->width - 26;

	if (isfinite(relative(shift)))
		snprintf(percent, sizeof(percent), "%+.1f %%", 100 * relative(shift));
	fprintf(out, "%s%s%s %s %10s  ", rarog_style_on(style), rarog_utf8_is_spoken() ? "▲" : "^",
		rarog_style_off(style), rarog_short_name(view->vcs, point->version).text, percent);
	rarog_utf8_print(out, point->subject, room > 20 ? room : 20);
	fputc('\n', out);
}

int rarog_metric_print(const struct rarog_metric_view *view, FILE *out)
{
	const struct rarog_metric_line *s = view->line;
	int r;

	fprintf(out, "%s%s%s  %s, ", s->metric.function ? s->metric.function : "",
		s->metric.function ? ":" : "", rarog_series_metric_name(s->metric.metric), s->job);
	if (s->versions > s->points.n)
		fprintf(out, "known of %zu of ", s->points.n);
	fprintf(out, "%zu version%s\n", s->versions, s->versions == 1 ? "" : "s");
	r = draw(view, out);
	for (size_t i = 0; r == 0 && i < s->shifts.list.n; i++)
		say_shift(view, &s->shifts.list.v[i], out);
	return r;
}

int rarog_metric_json(const struct rarog_metric_line *s, FILE *out)
{
	struct rarog_json json;

	rarog_json_start_object(&json, out);
	rarog_json_string(&json, "metric", rarog_series_metric_name(s->metric.metric));
	rarog_json_string(&json, "location", s->metric.function);
	rarog_json_string(&json, "job", s->job);
	rarog_json_uint(&json, "versions", s->versions);
	rarog_json_array(&json, "values");
	for (size_t i = 0; i < s->points.n; i++) {
		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "version", s->points.v[i].version);
		rarog_json_double(&json, "value", s->points.v[i].value);
		rarog_json_uint(&json, "runs", s->points.v[i].runs);
		rarog_json_end_object(&json);
	}
	rarog_json_end_array(&json);
	rarog_json_array(&json, "changes");
	for (size_t i = 0; i < s->shifts.list.n; i++) {
		const struct rarog_shift *shift = &s->shifts.list.v[i];

		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "version", s->points.v[shift->version].version);
		rarog_json_string(&json, "previous", s->points.v[shift->previous].version);
		rarog_json_double(&json, "before", shift->before);
		rarog_json_double(&json, "after", shift->after);
		rarog_json_double(&json, "relative", relative(shift));
		rarog_json_double(&json, "p", shift->p);
		rarog_json_end_object(&json);
	}
	return rarog_json_finish(&json);
}
