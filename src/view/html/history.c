/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Versions, then series: an amount of a function in the versions that have it. A series that
 * changed is always there; of the others the largest, as many as a page can carry.
 */
#include "view/html/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "store/jobs-apart.h"
#include "store/version.h"
#include "view/history/changes.h"
#include "view/html/columns.h"
#include "view/html/pack.h"
#include "view/html/page.h"

#define MOST_VALUES 400000

struct series {
	const struct rarog_history_row *row;
	uint32_t group, which;
	size_t n;        /* values in the range */
	double weight;   /* the largest share that it has of its group */
	bool is_changed; /* in the range */
};

struct data {
	const struct rarog_html_history *how;
	struct rarog_json json;
	size_t n_versions;
	uint32_t *number; /* in the range, by version of the history */
	char **jobs;      /* [groups], each told from the others */
	RAROG_VEC(struct series) series;
	size_t left_out;
};

static void data_release(struct data *data)
{
	for (size_t i = 0; data->jobs && i < data->how->history->groups.n; i++)
		free(data->jobs[i]);
	free(data->jobs);
	free(data->number);
	rarog_vec_release(&data->series);
}

/* --- which series --- */

static double total_of(const struct rarog_history_group *group, uint32_t version)
{
	for (size_t i = 0; i < group->totals.n; i++)
		if (group->totals.v[i].version == version)
			return group->totals.v[i].value;
	return 0;
}

/* A number of calls counts by the time of its function, which is the other series of the row. */
static double weight_of(const struct rarog_history_group *group,
			const struct rarog_history_row *row)
{
	double most = *row->name ? 0 : INFINITY; /* the program comes first */

	for (size_t i = 0; i < row->values[0].n; i++) {
		const struct rarog_history_value *value = &row->values[0].v[i];
		double total = total_of(group, value->version);

		most = fmax(most, total > 0 ? value->value / total : 0);
	}
	return most;
}

static bool is_changed(const struct rarog_html_history *how, const struct rarog_history_row *row,
		       enum rarog_series_metric metric)
{
	for (size_t i = 0; i < how->changes->list.n; i++)
		if (how->changes->list.v[i].row == row && how->changes->list.v[i].metric == metric)
			return true;
	return false;
}

static int add_row(struct data *data, uint32_t g, const struct rarog_history_row *row)
{
	const struct rarog_history_group *group = &data->how->history->groups.v[g];
	double weight = weight_of(group, row);

	for (uint32_t which = 0; which < RAROG_COUNT(row->values); which++) {
		struct series series = { .row = row,
					 .group = g,
					 .which = which,
					 .weight = weight,
					 .is_changed = is_changed(data->how, row,
								  row->series[which].metric) };

		/* time with what is called is looked at where exclusive time begins anew */
		if (row->series[which].metric == RAROG_SERIES_INCLUSIVE && !series.is_changed)
			continue;
		for (size_t i = 0; i < row->values[which].n; i++)
			series.n += data->how->in_range[row->values[which].v[i].version];
		if (series.n > 0 && rarog_vec_push(&data->series, series) < 0)
			return rarog_oom();
	}
	return 0;
}

static int compare_series(const void *left, const void *right)
{
	const struct series *a = left, *b = right;

	if (a->is_changed != b->is_changed)
		return a->is_changed ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->which > b->which) - (a->which < b->which);
}

static int choose_series(struct data *data)
{
	const struct rarog_history *history = data->how->history;
	size_t n = 0, values = 0;
	int r = 0;

	for (uint32_t g = 0; r == 0 && g < history->groups.n; g++)
		for (size_t i = 0; r == 0 && i < history->groups.v[g].rows.n; i++)
			r = add_row(data, g, &history->groups.v[g].rows.v[i]);
	if (data->series.n > 0)
		qsort(data->series.v, data->series.n, sizeof(*data->series.v), compare_series);
	for (; n < data->series.n && values <= MOST_VALUES; n++)
		values += data->series.v[n].n;
	data->left_out = data->series.n - n;
	data->series.n = n;
	return r;
}

static int64_t series_of(const struct data *data, const struct rarog_history_change *change)
{
	for (size_t i = 0; i < data->series.n; i++)
		if (data->series.v[i].row == change->row &&
		    change->row->series[data->series.v[i].which].metric == change->metric)
			return (int64_t)i;
	return -1;
}

/* --- versions --- */

static int number_versions(struct data *data)
{
	const struct rarog_history *history = data->how->history;

	data->number = calloc(history->versions.n + 1, sizeof(*data->number));
	if (!data->number)
		return rarog_oom();
	for (size_t i = 0; i < history->versions.n; i++) {
		data->number[i] = (uint32_t)data->n_versions;
		data->n_versions += data->how->in_range[i];
	}
	return 0;
}

/* A version that is gone from the repository has its name only. */
static int write_version(struct data *data, const char *name)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit commit = { 0 };
	struct rarog_json *json = &data->json;
	struct rarog_load load;
	const struct rarog_record_filter of = { .options = data->how->options };
	int r = rarog_version_load(data->how->store, name, &of, &load);

	if (r < 0)
		return r;
	if (rarog_vcs_resolve(data->how->vcs, name, &commit) < 0)
		rarog_error_clear();
	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", name);
	rarog_json_string(json, "parent", commit.n_parents > 0 ? commit.parents[0] : NULL);
	rarog_json_string(json, "subject", commit.subject);
	rarog_json_string(json, "author", commit.author);
	rarog_json_int(json, "time_s", commit.author_time);
	rarog_json_uint(json, "profiles", load.profiles);
	rarog_json_string(json, "verdict", *load.verdict ? load.verdict : NULL);
	rarog_json_end_object(json);
	return 0;
}

static int write_versions(struct data *data)
{
	const struct rarog_history *history = data->how->history;
	int r = 0;

	rarog_json_array(&data->json, "versions");
	for (size_t i = 0; r == 0 && i < history->versions.n; i++)
		if (data->how->in_range[i])
			r = write_version(data, history->versions.v[i]);
	rarog_json_end_array(&data->json);
	return r;
}

/* --- amounts --- */

#define VALUES(data, key, series, v, write)                                                        \
	do {                                                                                       \
		rarog_json_array(&(data)->json, key);                                              \
		for (size_t k = 0; k < (series)->row->values[(series)->which].n; k++) {            \
			const struct rarog_history_value *v =                                      \
				&(series)->row->values[(series)->which].v[k];                      \
                                                                                                   \
			if ((data)->how->in_range[v->version])                                     \
				write;                                                             \
		}                                                                                  \
		rarog_json_end_array(&(data)->json);                                               \
	} while (0)

static void write_series(struct data *data, const struct series *series)
{
	const enum rarog_series_metric metric = series->row->series[series->which].metric;
	struct rarog_json *json = &data->json;

	rarog_json_object(json, NULL);
	rarog_json_uint(json, "job", series->group);
	rarog_json_string(json, "name", series->row->name);
	rarog_json_string(json, "binary", series->row->binary);
	rarog_json_string(json, "metric", rarog_series_metric_name(metric));
	rarog_json_string(json, "unit", rarog_series_is_count(metric) ? "count" : "ns");
	VALUES(data, "version", series, v, rarog_json_uint(json, NULL, data->number[v->version]));
	VALUES(data, "value", series, v, rarog_json_double(json, NULL, v->value));
	VALUES(data, "low", series, v, rarog_json_double(json, NULL, v->low));
	VALUES(data, "high", series, v, rarog_json_double(json, NULL, v->high));
	VALUES(data, "runs", series, v, rarog_json_uint(json, NULL, v->runs));
	rarog_json_end_object(json);
}

static void write_change(struct data *data, const struct rarog_history_change *change)
{
	struct rarog_json *json = &data->json;
	bool has_previous = data->how->in_range[change->shift.previous];

	rarog_json_object(json, NULL);
	rarog_json_int(json, "series", series_of(data, change));
	rarog_json_uint(json, "version", data->number[change->shift.version]);
	rarog_json_int(json, "previous",
		       has_previous ? (int64_t)data->number[change->shift.previous] : -1);
	rarog_json_uint(json, "until", data->number[change->shift.until]);
	rarog_json_string(json, "shape", rarog_shift_shape_name(change->shift.shape));
	rarog_json_string(json, "class", rarog_history_class(change));
	rarog_json_double(json, "before", change->shift.before);
	rarog_json_double(json, "after", change->shift.after);
	rarog_json_double(json, "relative", change->relative);
	rarog_json_double(json, "impact", change->impact);
	rarog_json_double(json, "q", change->q);
	rarog_json_end_object(json);
}

/* --- jobs --- */

static int name_jobs(struct data *data)
{
	const struct rarog_history *history = data->how->history;
	rarog_cleanup(rarog_jobs_apart_release) struct rarog_jobs_apart apart = { 0 };
	int r = 0;

	data->jobs = calloc(history->groups.n + 1, sizeof(*data->jobs));
	if (!data->jobs)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < history->groups.n; i++) {
		const struct rarog_history_group *group = &history->groups.v[i];
		const char *text = "";

		r = rarog_jobs_apart(&apart, data->how->store, &group->job_key, &text);
		data->jobs[i] = r < 0 ? NULL : rarog_asprintf("%s%s", group->job, text);
		if (r == 0 && !data->jobs[i])
			r = rarog_oom();
	}
	return r;
}

static bool is_named_before(const struct data *data, size_t group)
{
	size_t i = 0;

	while (strcmp(data->jobs[i], data->jobs[group]) != 0)
		i++;
	return i < group;
}

/* Of the job before and of the one after it: both have its words. */
static void write_split(struct data *data, const struct rarog_history_split *split)
{
	const struct rarog_history *history = data->how->history;
	struct rarog_json *json = &data->json;

	for (size_t i = 0; i < history->groups.n; i++) {
		if (strcmp(history->groups.v[i].job, split->job) != 0 || is_named_before(data, i))
			continue;
		rarog_json_object(json, NULL);
		rarog_json_uint(json, "version", data->number[split->version]);
		rarog_json_string(json, "job", data->jobs[i]);
		rarog_json_string(json, "reason", split->words);
		rarog_json_end_object(json);
	}
}

static void write_lists(struct data *data)
{
	const struct rarog_html_history *how = data->how;
	struct rarog_json *json = &data->json;

	RAROG_COLUMN(json, "jobs", how->history->groups.n, i,
		     rarog_json_string(json, NULL, data->jobs[i]));
	RAROG_COLUMN(json, "series", data->series.n, i, write_series(data, &data->series.v[i]));
	RAROG_COLUMN(json, "changes", how->changes->list.n, i,
		     write_change(data, &how->changes->list.v[i]));
	RAROG_COLUMN(json, "splits", how->splits->list.n, i,
		     write_split(data, &how->splits->list.v[i]));
}

static int write_data(const struct rarog_html_history *how, FILE *out)
{
	rarog_cleanup(data_release) struct data data = { .how = how };
	int r = number_versions(&data);

	if (r == 0)
		r = name_jobs(&data);
	if (r == 0)
		r = choose_series(&data);
	if (r < 0)
		return r;
	rarog_json_start(&data.json, out, false);
	rarog_json_object(&data.json, NULL);
	rarog_json_uint(&data.json, "version", 1);
	rarog_json_string(&data.json, "rarog", how->version);
	rarog_json_string(&data.json, "title", how->title);
	rarog_json_string(&data.json, "range", how->range);
	rarog_json_uint(&data.json, "profiles", how->history->profiles);
	rarog_json_uint(&data.json, "tested", how->changes->tested);
	rarog_json_uint(&data.json, "left_out", data.left_out);
	r = write_versions(&data);
	if (r < 0)
		return r;
	write_lists(&data);
	return rarog_json_finish(&data.json);
}

/* --- the page --- */

static int write_title(const struct rarog_html_history *how, FILE *out)
{
	rarog_cleanup(rarog_freep) char *usual =
		rarog_asprintf("%s – rarog", how->range ? how->range : "all versions");

	if (!usual)
		return rarog_oom();
	return rarog_page_write_title(how->title ? how->title : usual, out);
}

static int write_packed(const struct rarog_html_history *how, FILE *out)
{
	rarog_cleanup(rarog_pack_freep) struct rarog_pack *pack = NULL;
	int r = rarog_pack_new(out, &pack);

	if (r == 0)
		r = write_data(how, rarog_pack_stream(pack));
	return r < 0 ? r : rarog_pack_finish(pack);
}

int rarog_html_history_write(const struct rarog_html_history *how, FILE *out)
{
	struct rarog_page page = rarog_page();
	int r;

	rarog_page_write_part(page.head, out);
	r = write_title(how, out);
	rarog_page_write_part(page.middle, out);
	if (r == 0)
		r = write_packed(how, out);
	rarog_page_write_part(page.tail, out);
	return r;
}
