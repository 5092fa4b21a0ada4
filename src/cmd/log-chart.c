/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of several jobs, the one of which most versions have the amount is drawn; its name stands
 * above. */
#include "cmd/log-chart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "num/quantile.h"
#include "store/jobs-apart.h"
#include "view/history/metric.h"

int rarog_log_take_metric(int argc, char **argv, const char **ret_after)
{
	static char option[] = "--metric";

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--graph=", 8) == 0) {
			argv[i] = rarog_asprintf("--metric=%s", argv[i] + 8);
			if (!argv[i])
				return rarog_oom();
		} else if (strcmp(argv[i], "--graph") == 0 && i + 1 < argc) {
			if (rarog_quantity_name_is_plain(argv[i + 1]))
				argv[i++] = option;
			else
				*ret_after = argv[i + 1];
		}
	}
	return 0;
}

struct job {
	struct rarog_hash key, class;
	char *name;
	size_t versions;
	bool is_tried; /* does it have the amount? */
	bool is_other; /* than --job asks for */
};

struct session {
	const struct rarog_log_chart *how;
	struct rarog_project project;
	RAROG_VEC(struct job) jobs;
	const struct job *job;
	struct rarog_metric_line line;
	struct rarog_history_calls calls;
};

static void session_release(struct session *s)
{
	rarog_project_release(&s->project);
	for (size_t i = 0; i < s->jobs.n; i++)
		free(s->jobs.v[i].name);
	rarog_vec_release(&s->jobs);
	rarog_metric_line_release(&s->line);
	rarog_history_calls_release(&s->calls);
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

	rarog_cleanup(rarog_str_release) struct rarog_str options = { 0 };

	if (rarog_configuration_words(record->configuration, " ", &options) < 0)
		return -ENOMEM;
	job.name =
		rarog_asprintf("%s%s%s%s%s%s", record->command ? record->command : "",
			       record->arguments && *record->arguments ? " " : "",
			       record->arguments ? record->arguments : "",
			       record->workload && *record->workload ? " " : "",
			       record->workload ? record->workload : "", rarog_str_text(&options));
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
	s->jobs.v[i].is_other = s->how->job && !strstr(s->jobs.v[i].name, s->how->job) &&
				!(record->job_name && strcmp(record->job_name, s->how->job) == 0);
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
	const struct rarog_record_filter filter = { .version = commit->name,
						    .options = s->project.options,
						    .clean_only = true };
	struct seen seen = { .session = s };
	struct rarog_metric_point point = { 0 };
	int r;

	if (s->how->limit > 0 && s->line.points.n == s->how->limit)
		return ENOUGH;
	r = rarog_record_each(s->project.store, &filter, see_record, &seen);
	bool is_measured = seen.jobs.n > 0;

	rarog_vec_release(&seen.jobs);
	if (r < 0 || !is_measured)
		return r;
	point.version = strdup(commit->name);
	point.subject = strdup(commit->subject ? commit->subject : "");
	if (!point.version || !point.subject || rarog_vec_push(&s->line.points, point) < 0) {
		rarog_metric_point_release(&point);
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
	for (size_t i = 0; i < s->line.points.n / 2; i++) {
		struct rarog_metric_point kept = s->line.points.v[i];

		s->line.points.v[i] = s->line.points.v[s->line.points.n - 1 - i];
		s->line.points.v[s->line.points.n - 1 - i] = kept;
	}
	return 0;
}

/* --- values --- */

static int read_point(struct session *s, struct rarog_metric_point *point)
{
	struct rarog_amounts_of_runs runs = { .calls = &s->calls };
	int r = rarog_quantity_of_version(s->project.store, point->version, &s->job->key,
					  &s->job->class, &s->line.metric, &runs);

	point->runs = runs.list.n;
	point->set = runs.set;
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
static int read_once(struct session *s)
{
	bool has_any = false;
	int n = 0;

	s->calls.is_stale = false;
	for (size_t i = 0; i < s->line.points.n; i++) {
		int r = read_point(s, &s->line.points.v[i]);

		if (r < 0)
			return r;
		n += s->line.points.v[i].runs > 0;
		has_any |= rarog_series_is_count(s->line.metric.metric)
				   ? s->line.points.v[i].value > 0
				   : s->line.points.v[i].runs > 0;
	}
	return has_any ? n : 0;
}

/* A later version may tell what an earlier one's times contain. */
static int read_all(struct session *s)
{
	int n = read_once(s);

	return n >= 0 && s->calls.is_stale ? read_once(s) : n;
}

static struct job *most_measured(struct session *s)
{
	struct job *found = NULL;

	for (size_t i = 0; i < s->jobs.n; i++)
		if (!s->jobs.v[i].is_tried && !s->jobs.v[i].is_other &&
		    (!found || s->jobs.v[i].versions > found->versions))
			found = &s->jobs.v[i];
	return found;
}

static int read_of(struct session *s, const struct job *job)
{
	s->job = job;
	for (size_t i = 0; i < s->line.points.n; i++) {
		s->line.points.v[i].runs = 0;
		s->line.points.v[i].value = 0;
	}
	return read_all(s);
}

/* A project may count blocks in one job and calls in another, and techniques may leave a function
 * out in most versions of a third: the job of which most versions have the amount; if none has it,
 * that with most versions. Return: as read_all(). */
static int choose_job(struct session *s)
{
	const struct job *best = most_measured(s);
	struct job *job;
	int n = 0, most = 0;

	while (n >= 0 && (job = most_measured(s)) && job->versions > (size_t)most) {
		job->is_tried = true;
		n = read_of(s, job);
		if (n > most) {
			most = n;
			best = job;
		}
	}
	if (n < 0 || s->job == best)
		return n;
	return read_of(s, best);
}

/* What is drawn where no version has what was asked for: there is nothing else of that kind. */
static const struct instead {
	enum rarog_series_metric metric, other;
} substitutes[] = {
	{ RAROG_SERIES_WALL, RAROG_SERIES_TRACED_WALL },
	{ RAROG_SERIES_EXCLUSIVE, RAROG_SERIES_INSTRUCTIONS },
};

static int try_instead(struct session *s, const struct instead *instead)
{
	enum rarog_series_metric asked = s->line.metric.metric;
	int n;

	if (asked != instead->metric)
		return 0;
	for (size_t i = 0; i < s->jobs.n; i++)
		s->jobs.v[i].is_tried = false;
	s->line.metric.metric = instead->other;
	n = choose_job(s);
	if (n == 0)
		s->line.metric.metric = asked;
	return n;
}

static int read_points(struct session *s)
{
	size_t kept = 0;
	int n = choose_job(s);

	for (size_t i = 0; i < RAROG_COUNT(substitutes) && n == 0; i++)
		n = try_instead(s, &substitutes[i]);
	for (size_t i = 0; n >= 0 && i < s->line.points.n; i++) {
		struct rarog_metric_point *point = &s->line.points.v[i];

		if (n > 0 && point->runs > 0) {
			s->line.points.v[kept++] = *point;
			continue;
		}
		rarog_metric_point_release(point);
	}
	s->line.points.n = n >= 0 ? kept : s->line.points.n;
	return n < 0 ? n : 0;
}

static int add_shifts(struct session *s, const struct rarog_series *series)
{
	struct rarog_shifts shifts = { { 0 } };
	int r = rarog_series_shifts(series, &shifts);

	for (size_t i = 0; r == 0 && i < shifts.list.n; i++)
		if (rarog_vec_push(&s->line.shifts.list, shifts.list.v[i]) < 0)
			r = rarog_oom();
	rarog_vec_release(&shifts.list);
	return r;
}

/* From point @from on those of one set; @ret_end: after them. */
static int analyse_set(struct session *s, size_t from, size_t *ret_end)
{
	const struct rarog_metric_point *v = s->line.points.v;
	struct rarog_series series = { .metric = s->line.metric.metric };
	size_t i = from;
	int r = 0;

	for (; r == 0 && i < s->line.points.n && v[i].set == v[from].set; i++)
		r = v[i].runs == 1 ? rarog_series_add(&series, (uint32_t)i, v[i].value)
				   : rarog_series_add_several(&series, (uint32_t)i, v[i].value,
							      v[i].agrees);
	if (r == 0)
		r = add_shifts(s, &series);
	rarog_series_release(&series);
	*ret_end = i;
	return r;
}

static int analyse(struct session *s)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->line.points.n;)
		r = analyse_set(s, i, &i);
	return r;
}

int rarog_log_chart(const struct rarog_log_chart *how)
{
	rarog_cleanup(session_release) struct session s = { .how = how };
	rarog_cleanup(rarog_jobs_apart_release) struct rarog_jobs_apart apart = { 0 };
	rarog_cleanup(rarog_freep) char *name = NULL;
	const char *text = "";
	int r = rarog_quantity_name_parse(how->metric, &s.line.metric);

	if (r < 0)
		return rarog_usage_error(r);
	r = rarog_project_open(how->context, RAROG_NEED_STORE, &s.project);
	if (r == 0)
		r = rarog_option_choice_apply(how->options, &s.project);
	if (r == 0)
		r = find_versions(&s);
	if (r == 0 && s.jobs.n > 0)
		r = read_points(&s);
	if (r < 0)
		return r;
	if (s.line.points.n == 0)
		return rarog_fail(-ENODATA,
				  "%s: no version%s%s has it; make profiles (rarog run "
				  "--commit=REV..) or name another function",
				  how->metric, how->job ? " with a job like " : "",
				  how->job ? how->job : "");
	r = analyse(&s);
	if (r < 0)
		return r;
	r = rarog_jobs_apart(&apart, s.project.store, &s.job->key, &text);
	name = r == 0 ? rarog_asprintf("%s%s", s.job->name, text) : NULL;
	if (!name)
		return r < 0 ? r : rarog_oom();
	s.line.job = name;
	s.line.versions = s.job->versions;
	const struct rarog_metric_view view = { .line = &s.line,
						.vcs = s.project.vcs,
						.width = how->context->width,
						.colour = how->context->colour };

	return how->json ? rarog_metric_json(&s.line, stdout) : rarog_metric_print(&view, stdout);
}
