/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function's index is its row in the comparison, -1 means the whole program or none. What rarog
 * check says in words is written in its words, so that page and terminal never disagree.
 */
#include "view/html/pair-data.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "num/quantile.h"
#include "view/html/columns.h"
#include "view/html/features.h"
#include "view/html/pair-sources.h"
#include "view/html/sources.h"
#include "view/html/texts.h"
#include "view/verdict/verdict-view.h"

static const char *const sides_keys[2] = { "before", "now" };

/* --- functions --- */

static double median_of(const struct rarog_comparison *c, size_t row, size_t side,
			enum rarog_measure measure)
{
	double median;

	if (rarog_median(c->sides[side].runs.n, c->rows[row].values[side][measure], &median) == 0)
		return median;
	rarog_error_clear();
	return NAN;
}

/* Times to a tenth of a nanosecond. */
static void write_ns(struct rarog_json *json, double ns)
{
	rarog_json_double(json, NULL, round(ns * 10) / 10);
}

static void write_measure(struct rarog_json *json, const struct rarog_comparison *c,
			  const char *key, enum rarog_measure measure)
{
	rarog_json_object(json, key);
	for (size_t side = 0; side < 2; side++)
		RAROG_COLUMN(json, sides_keys[side], c->n, i,
			     write_ns(json, median_of(c, i, side, measure)));
	rarog_json_end_object(json);
}

/* What a function takes itself, by the verdict where that says something: the page must not show
 * other numbers beside the change. */
static void judge_exclusive(const struct rarog_verdict *verdict, size_t n, double ns[][2])
{
	for (size_t i = verdict->changes.n; i-- > 0;) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (change->row >= n || change->metric != &rarog_metric_exclusive ||
		    isnan(change->baseline) || isnan(change->target))
			continue;
		ns[change->row][RAROG_BASELINE] = change->baseline;
		ns[change->row][RAROG_TARGET] = change->target;
	}
}

static int write_exclusive(struct rarog_json *json, const struct rarog_check *check)
{
	const struct rarog_comparison *c = &check->comparison;
	rarog_cleanup(rarog_freep) double(*ns)[2] = calloc(c->n + 1, sizeof(*ns));

	if (!ns)
		return rarog_oom();
	for (size_t i = 0; i < c->n; i++)
		for (size_t side = 0; side < 2; side++)
			ns[i][side] = median_of(c, i, side, RAROG_MEASURE_EXCLUSIVE);
	judge_exclusive(&check->verdict, c->n, ns);
	rarog_json_object(json, "exclusive");
	for (size_t side = 0; side < 2; side++)
		RAROG_COLUMN(json, sides_keys[side], c->n, i, write_ns(json, ns[i][side]));
	rarog_json_end_object(json);
	return 0;
}

/* The name before, where it is another. */
static const char *former_name(const struct rarog_row *row)
{
	const char *before = row->form[RAROG_BASELINE].name, *now = row->form[RAROG_TARGET].name;

	return before && now && strcmp(before, now) != 0 ? before : NULL;
}

static const char *symbol_of(const struct rarog_row *row)
{
	const struct rarog_row_form *form = rarog_row_form(row);

	return form->mangled && strcmp(form->mangled, form->name) != 0 ? form->mangled : NULL;
}

static int index_texts(const struct rarog_comparison *c, struct rarog_html_texts *texts)
{
	long r = 0;

	for (size_t i = 0; r >= -1 && i < c->n; i++) {
		r = rarog_html_texts_index(texts, rarog_row_form(&c->rows[i])->binary);
		if (r >= -1)
			r = rarog_html_texts_index(texts, rarog_row_form(&c->rows[i])->file);
	}
	return r < -1 ? (int)r : 0;
}

static int write_functions(struct rarog_json *json, const struct rarog_check *check)
{
	const struct rarog_comparison *c = &check->comparison;
	rarog_cleanup(rarog_html_texts_release) struct rarog_html_texts texts = { 0 };
	const struct rarog_row *v = c->rows;
	int r = index_texts(c, &texts);

	if (r < 0)
		return r;
	RAROG_COLUMN(json, "texts", texts.n, i, rarog_json_string(json, NULL, texts.v[i]));
	rarog_json_object(json, "functions");
	RAROG_COLUMN(json, "name", c->n, i, rarog_json_string(json, NULL, rarog_row_name(&v[i])));
	RAROG_COLUMN(json, "symbol", c->n, i, rarog_json_string(json, NULL, symbol_of(&v[i])));
	RAROG_COLUMN(json, "was", c->n, i, rarog_json_string(json, NULL, former_name(&v[i])));
	RAROG_COLUMN(json, "matched_by", c->n, i, rarog_json_string(json, NULL, v[i].matched_by));
	RAROG_COLUMN(json, "folded", c->n, i, rarog_json_string(json, NULL, v[i].folded));
	RAROG_COLUMN(json, "is_folded", c->n, i, rarog_json_int(json, NULL, v[i].is_folded));
	RAROG_COLUMN(json, "binary", c->n, i,
		     rarog_json_int(json, NULL,
				    rarog_html_texts_index(&texts, rarog_row_form(&v[i])->binary)));
	RAROG_COLUMN(json, "file", c->n, i,
		     rarog_json_int(json, NULL,
				    rarog_html_texts_index(&texts, rarog_row_form(&v[i])->file)));
	RAROG_COLUMN(json, "line", c->n, i,
		     rarog_json_uint(json, NULL, rarog_row_form(&v[i])->line));
	RAROG_COLUMN(json, "share", c->n, i, rarog_json_double(json, NULL, v[i].share));
	r = write_exclusive(json, check);
	write_measure(json, c, "inclusive", RAROG_MEASURE_INCLUSIVE);
	write_measure(json, c, "calls", RAROG_MEASURE_CALLS);
	rarog_json_end_object(json);
	return r;
}

/* --- the verdict --- */

/* What a change was found in: one value a run. */
static size_t values_of(const struct rarog_comparison *c, const struct rarog_change *change,
			size_t side, const double **ret_values)
{
	const struct rarog_side *of = &c->sides[side];
	static const struct {
		const struct rarog_metric *metric;
		enum rarog_measure measure;
	} measures[] = { { &rarog_metric_exclusive, RAROG_MEASURE_EXCLUSIVE },
			 { &rarog_metric_inclusive, RAROG_MEASURE_INCLUSIVE },
			 { &rarog_metric_calls, RAROG_MEASURE_CALLS },
			 { &rarog_metric_waiting, RAROG_MEASURE_WAITING } };

	if (rarog_change_is_program(change)) {
		bool is_wall = change->metric == &rarog_metric_wall;

		*ret_values = is_wall ? of->wall_ns.v : of->cpu_ns.v;
		return is_wall                               ? of->wall_ns.n
		       : change->metric == &rarog_metric_cpu ? of->cpu_ns.n
							     : 0;
	}
	for (size_t i = 0; i < RAROG_COUNT(measures) && change->row < c->n; i++)
		if (measures[i].metric == change->metric) {
			*ret_values = c->rows[change->row].values[side][measures[i].measure];
			return of->runs.n;
		}
	return 0;
}

static void write_values(struct rarog_json *json, const struct rarog_comparison *c,
			 const struct rarog_change *change)
{
	for (size_t side = 0; side < 2; side++) {
		const double *values = NULL;
		size_t n = values_of(c, change, side, &values);

		RAROG_COLUMN(json, side == RAROG_BASELINE ? "runs_before" : "runs_now", n, i,
			     write_ns(json, values[i]));
	}
}

static void write_words(struct rarog_json *json, const struct rarog_change *change)
{
	rarog_json_object(json, "words");
	rarog_json_string(json, "class", rarog_class_words(change->class));
	rarog_json_string(json, "before", rarog_change_amount(change, change->baseline).text);
	rarog_json_string(json, "now", rarog_change_amount(change, change->target).text);
	rarog_json_string(json, "change", rarog_change_percent(change->relative).text);
	rarog_json_string(json, "interval", rarog_change_interval(change).text);
	rarog_json_string(json, "sure", rarog_change_odds(change).text);
	rarog_json_string(
		json, "impact",
		rarog_change_is_program(change) ? "" : rarog_change_percent(change->impact).text);
	rarog_json_end_object(json);
}

static void write_change(struct rarog_json *json, const struct rarog_comparison *c,
			 const struct rarog_change *change)
{
	bool is_function = !rarog_change_is_program(change) && change->row < c->n;

	rarog_json_object(json, NULL);
	rarog_json_int(json, "row", is_function ? (int64_t)change->row : -1);
	rarog_json_string(json, "location", change->location);
	rarog_json_string(json, "class", rarog_class_name(change->class));
	rarog_json_string(json, "metric", change->metric->name);
	rarog_json_string(json, "unit", change->metric->unit);
	rarog_json_double(json, "before", change->baseline);
	rarog_json_double(json, "now", change->target);
	rarog_json_double(json, "relative", change->relative);
	rarog_json_double(json, "low", change->low);
	rarog_json_double(json, "high", change->high);
	rarog_json_double(json, "p", change->p);
	rarog_json_double(json, "q", change->q);
	rarog_json_double(json, "impact", change->impact);
	rarog_json_string(json, "method", change->method);
	rarog_json_string(json, "reason", change->reason);
	rarog_json_string(json, "path", change->path);
	rarog_json_string(json, "lines", change->lines);
	write_words(json, change);
	write_values(json, c, change);
	rarog_json_end_object(json);
}

static void write_texts(struct rarog_json *json, const char *key, size_t n, char *const texts[])
{
	RAROG_COLUMN(json, key, n, i, rarog_json_string(json, NULL, texts[i]));
}

static void write_side(struct rarog_json *json, const char *key, const struct rarog_side *side)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < side->runs.n; i++) {
		uint64_t at = side->runs.v[i].started_ns;

		first = at && at < first ? at : first;
		last = at > last ? at : last;
	}
	rarog_json_object(json, key);
	rarog_json_string(json, "name", side->name);
	rarog_json_string(json, "version", side->version);
	rarog_json_uint(json, "runs", side->runs.n);
	rarog_json_uint(json, "untraced_runs", side->wall_ns.n);
	rarog_json_uint(json, "first_ns", last ? first : 0);
	rarog_json_uint(json, "last_ns", last);
	rarog_json_string(json, "profile", rarog_profile_path(side->runs.v[0].profile));
	rarog_json_string(json, "header", rarog_profile_header(side->runs.v[0].profile));
	rarog_json_end_object(json);
}

static double total_of(const struct rarog_comparison *c, size_t side)
{
	double ns;

	if (rarog_median(c->sides[side].runs.n, c->total_ns[side], &ns) == 0)
		return ns;
	rarog_error_clear();
	return NAN;
}

/* Of the first run of each version. */
static int write_features(struct rarog_json *json, const struct rarog_comparison *c)
{
	struct rarog_profile *const profiles[2] = { c->sides[0].runs.v[0].profile,
						    c->sides[1].runs.v[0].profile };

	return rarog_html_features_compare(profiles, json);
}

static int write_check(struct rarog_json *json, const struct rarog_checks *checks, size_t at,
		       size_t max_frames, struct rarog_pair_texts *sources)
{
	const struct rarog_check *check = &checks->list.v[at];
	const struct rarog_comparison *c = &check->comparison;
	const struct rarog_verdict *verdict = &check->verdict;
	int r;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "job", check->job);
	rarog_json_string(json, "verdict", rarog_finding_name(verdict->finding));
	rarog_json_string(json, "sentence", rarog_verdict_sentence(verdict->finding));
	rarog_json_bool(json, "is_forced", verdict->is_forced);
	rarog_json_bool(json, "has_times", c->has_times);
	rarog_json_string(json, "function_time", c->is_cpu_time ? "cpu" : "wall");
	rarog_json_uint(json, "tests", verdict->tests);
	rarog_json_uint(json, "runs_needed", verdict->runs_needed);
	write_texts(json, "notes", verdict->notes.n, verdict->notes.v);
	for (size_t side = 0; side < 2; side++)
		write_side(json, sides_keys[side], &c->sides[side]);
	RAROG_COLUMN(json, "traced_ns", 2, side, write_ns(json, total_of(c, side)));
	RAROG_COLUMN(json, "changes", verdict->changes.n, i,
		     write_change(json, c, &verdict->changes.v[i]));
	r = write_functions(json, check);
	if (r == 0)
		r = rarog_pair_blocks_write(check, json);
	if (r == 0)
		r = rarog_pair_sources_write(check, sources, json);
	if (r == 0)
		r = rarog_pair_models_write(checks, at, json);
	if (r == 0)
		r = write_features(json, c);
	if (r == 0)
		r = rarog_pair_tree_write(c, max_frames, json);
	if (r == 0)
		rarog_json_end_object(json);
	return r;
}

int rarog_pair_data_write(const struct rarog_checks *checks,
			  const struct rarog_pair_options *options, FILE *out)
{
	size_t n = checks->list.n, frames = options->max_frames / (n ? n : 1);
	rarog_cleanup(rarog_pair_texts_release) struct rarog_pair_texts sources = {
		.room = RAROG_REPORT_SOURCES,
		.vcs = options->vcs,
		.is_wanted = !options->without_sources,
	};
	struct rarog_json json;
	int r = 0;

	rarog_json_start(&json, out, false);
	rarog_json_object(&json, NULL);
	rarog_json_uint(&json, "version", 1);
	rarog_json_string(&json, "rarog", options->version);
	rarog_json_string(&json, "title", options->title);
	rarog_json_string(&json, "baseline", options->baseline);
	rarog_json_string(&json, "target", options->target);
	write_texts(&json, "notes", checks->notes.n, checks->notes.v);
	rarog_json_array(&json, "checks");
	for (size_t i = 0; r == 0 && i < n; i++)
		r = write_check(&json, checks, i, frames ? frames : 1, &sources);
	if (r < 0)
		return r;
	rarog_json_end_array(&json);
	rarog_pair_texts_write(&sources, &json);
	return rarog_json_finish(&json);
}
