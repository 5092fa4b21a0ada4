/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of several jobs, the one that most versions have is drawn; its name stands above. */
#include "cmd/log-chart.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "base/utf8.h"
#include "check/line.h"
#include "num/quantile.h"
#include "view/names.h"
#include "view/term/chart.h"

int rarog_log_take_metric(int argc, char **argv)
{
	static char option[] = "--metric";

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--graph=", 8) == 0) {
			argv[i] = rarog_asprintf("--metric=%s", argv[i] + 8);
			if (!argv[i])
				return rarog_oom();
		} else if (strcmp(argv[i], "--graph") == 0 && i + 1 < argc &&
			   rarog_quantity_name_is_plain(argv[i + 1])) {
			argv[i++] = option;
		}
	}
	return 0;
}

struct job {
	struct rarog_hash key, class;
	char *name;
	size_t versions;
};

struct point {
	char *version, *subject;
	double value; /* median of the runs */
	size_t runs;
	bool agrees; /* there are several, all of that value */
};

struct session {
	const struct rarog_log_chart *how;
	struct rarog_project project;
	struct rarog_quantity_name metric;
	RAROG_VEC(struct job) jobs;
	RAROG_VEC(struct point) points; /* oldest first */
	struct rarog_shifts shifts;
	const struct job *job;
};

static void session_release(struct session *s)
{
	rarog_quantity_name_release(&s->metric);
	rarog_project_release(&s->project);
	for (size_t i = 0; i < s->jobs.n; i++)
		free(s->jobs.v[i].name);
	for (size_t i = 0; i < s->points.n; i++) {
		free(s->points.v[i].version);
		free(s->points.v[i].subject);
	}
	rarog_vec_release(&s->jobs);
	rarog_vec_release(&s->points);
	rarog_vec_release(&s->shifts.list);
}

/* --- which versions, which job --- */

struct seen {
	struct session *session;
	const char *version;
	RAROG_VEC(size_t) jobs; /* of this version */
};

static int add_job(struct session *s, const struct rarog_record *record)
{
	struct job job = { .key = record->job_key, .class = record->machine_class };

	job.name = rarog_asprintf("%s%s%s%s%s", record->command ? record->command : "",
				  record->arguments && *record->arguments ? " " : "",
				  record->arguments ? record->arguments : "",
				  record->workload && *record->workload ? " " : "",
				  record->workload ? record->workload : "");
	if (!job.name || rarog_vec_push(&s->jobs, job) < 0) {
		free(job.name);
		return rarog_oom();
	}
	return 0;
}

static int see_record(const struct rarog_record *record, void *user)
{
	struct seen *seen = user;
	struct session *s = seen->session;
	size_t i = 0;

	while (i < s->jobs.n && !(rarog_hash_equal(&s->jobs.v[i].key, &record->job_key) &&
				  rarog_hash_equal(&s->jobs.v[i].class, &record->machine_class)))
		i++;
	if (i == s->jobs.n && add_job(s, record) < 0)
		return -ENOMEM;
	for (size_t k = 0; k < seen->jobs.n; k++)
		if (seen->jobs.v[k] == i)
			return 0;
	s->jobs.v[i].versions++;
	return rarog_vec_push(&seen->jobs, i) < 0 ? rarog_oom() : 0;
}

#define ENOUGH 1

static int see_version(const struct rarog_commit *commit, void *user)
{
	struct session *s = user;
	const struct rarog_record_filter filter = { .version = commit->name, .clean_only = true };
	struct seen seen = { .session = s };
	struct point point = { 0 };
	int r;

	if (s->how->limit > 0 && s->points.n == s->how->limit)
		return ENOUGH;
	r = rarog_record_each(s->project.store, &filter, see_record, &seen);
	bool is_measured = seen.jobs.n > 0;

	rarog_vec_release(&seen.jobs);
	if (r < 0 || !is_measured)
		return r;
	point.version = strdup(commit->name);
	point.subject = strdup(commit->subject ? commit->subject : "");
	if (!point.version || !point.subject || rarog_vec_push(&s->points, point) < 0) {
		free(point.version);
		free(point.subject);
		return rarog_oom();
	}
	return 0;
}

static int find_versions(struct session *s)
{
	struct rarog_walk walk = *s->how->range;
	int r;

	walk.first_parent = true;
	walk.reverse = false;
	walk.limit = 0;
	r = rarog_vcs_walk(s->project.vcs, &walk, see_version, s);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s->points.n / 2; i++) {
		struct point kept = s->points.v[i];

		s->points.v[i] = s->points.v[s->points.n - 1 - i];
		s->points.v[s->points.n - 1 - i] = kept;
	}
	for (size_t i = 0; i < s->jobs.n; i++)
		if (!s->job || s->jobs.v[i].versions > s->job->versions)
			s->job = &s->jobs.v[i];
	return 0;
}

/* --- values --- */

static int read_point(struct session *s, struct point *point)
{
	struct rarog_amounts_of_runs runs = { 0 };
	int r = rarog_quantity_of_version(s->project.store, point->version, &s->job->key,
					  &s->job->class, &s->metric, &runs);

	point->runs = runs.list.n;
	point->agrees = runs.list.n > 1;
	for (size_t i = 1; i < runs.list.n; i++)
		point->agrees &= runs.list.v[i] == runs.list.v[0];
	if (r == 0 && runs.list.n > 0)
		r = rarog_median(runs.list.n, runs.list.v, &point->value);
	rarog_vec_release(&runs.list);
	return r;
}

/* How many versions have it, or -errno. A function that none ever called is most likely misspelt.
 */
static int read_all(struct session *s)
{
	bool has_any = false;
	int n = 0;

	for (size_t i = 0; i < s->points.n; i++) {
		int r = read_point(s, &s->points.v[i]);

		if (r < 0)
			return r;
		n += s->points.v[i].runs > 0;
		has_any |= rarog_series_is_count(s->metric.metric) ? s->points.v[i].value > 0
								   : s->points.v[i].runs > 0;
	}
	return has_any ? n : 0;
}

static int read_points(struct session *s)
{
	size_t kept = 0;
	int n = read_all(s);

	if (n == 0 && s->metric.metric == RAROG_SERIES_WALL) {
		s->metric.metric = RAROG_SERIES_TRACED_WALL; /* there is no other */
		n = read_all(s);
	}
	for (size_t i = 0; n >= 0 && i < s->points.n; i++) {
		struct point *point = &s->points.v[i];

		if (n > 0 && point->runs > 0) {
			s->points.v[kept++] = *point;
			continue;
		}
		free(point->version);
		free(point->subject);
	}
	s->points.n = n >= 0 ? kept : s->points.n;
	return n < 0 ? n : 0;
}

static int analyse(struct session *s)
{
	struct rarog_series series = { .metric = s->metric.metric };
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->points.n; i++)
		r = s->points.v[i].agrees
			    ? rarog_series_add_agreed(&series, (uint32_t)i, s->points.v[i].value)
			    : rarog_series_add(&series, (uint32_t)i, s->points.v[i].value);
	if (r == 0)
		r = rarog_series_shifts(&series, &s->shifts);
	rarog_series_release(&series);
	return r;
}

/* --- output --- */

static struct rarog_amount label_ns(double value)
{
	return rarog_format_ns(value > 0 ? (uint64_t)llround(value) : 0);
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

static int draw(const struct session *s)
{
	rarog_cleanup(rarog_freep) double *values = calloc(s->points.n, sizeof(*values));
	rarog_cleanup(rarog_freep) struct rarog_chart_mark *marks =
		calloc(s->shifts.list.n + 1, sizeof(*marks));
	struct rarog_short first = rarog_short_name(s->project.vcs, s->points.v[0].version);
	struct rarog_short last =
		rarog_short_name(s->project.vcs, s->points.v[s->points.n - 1].version);
	int width = s->how->context->width;

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
		.label = rarog_series_is_count(s->metric.metric) ? label_count : label_ns,
		.left = first.text,
		.right = last.text,
		.width = width < 40    ? 40
			 : width > 120 ? 120
				       : width,
		.height = 12,
		.is_ascii = !rarog_utf8_is_spoken(),
		.colour = s->how->context->colour,
	};

	return rarog_chart_print(&chart, stdout);
}

static void say_shift(const struct session *s, const struct rarog_shift *shift)
{
	const struct point *point = &s->points.v[shift->version];
	bool is_worse = relative(shift) > 0, colour = s->how->context->colour;
	enum rarog_style style = is_worse ? RAROG_STYLE_RED : RAROG_STYLE_GREEN;
	char percent[24] = "new";
	int room = s->how->context->width - 26;

	if (isfinite(relative(shift)))
		snprintf(percent, sizeof(percent), "%+.1f %%", 100 * relative(shift));
	printf("%s%s%s %s %10s  ", colour ? rarog_style_on(style) : "",
	       rarog_utf8_is_spoken() ? "▲" : "^", colour ? rarog_style_off(style) : "",
	       rarog_short_name(s->project.vcs, point->version).text, percent);
	rarog_utf8_print(stdout, point->subject, room > 20 ? room : 20);
	putchar('\n');
}

static int print(const struct session *s)
{
	int r;

	printf("%s%s%s  %s, %zu versions\n", s->metric.function ? s->metric.function : "",
	       s->metric.function ? ":" : "", rarog_series_metric_name(s->metric.metric),
	       s->job->name, s->points.n);
	r = draw(s);
	for (size_t i = 0; r == 0 && i < s->shifts.list.n; i++)
		say_shift(s, &s->shifts.list.v[i]);
	return r;
}

static int write_json(const struct session *s)
{
	struct rarog_json json;

	rarog_json_start(&json, stdout, true);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "metric", rarog_series_metric_name(s->metric.metric));
	rarog_json_string(&json, "location", s->metric.function);
	rarog_json_string(&json, "job", s->job->name);
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
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}

int rarog_log_chart(const struct rarog_log_chart *how)
{
	rarog_cleanup(session_release) struct session s = { .how = how };
	int r = rarog_quantity_name_parse(how->metric, &s.metric);

	if (r < 0)
		return rarog_usage_error(r);
	r = rarog_project_open(how->context, RAROG_NEED_STORE, &s.project);
	if (r == 0)
		r = find_versions(&s);
	if (r == 0 && s.job)
		r = read_points(&s);
	if (r < 0)
		return r;
	if (s.points.n == 0)
		return rarog_fail(-ENODATA,
				  "%s: no version has it; make profiles (rarog run "
				  "--commit=REV..) or name another function",
				  how->metric);
	r = analyse(&s);
	if (r < 0)
		return r;
	return how->json ? write_json(&s) : print(&s);
}
