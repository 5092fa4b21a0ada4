/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/history/changes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "view/history/series.h"
#include "view/names.h"
#include "view/text.h"
#include "view/verdict/verdict-view.h"

#define NAMED 3 /* functions whose own time begins anew */

static const char *version_name(const struct rarog_history_view *s, uint32_t version)
{
	return s->history->versions.v[version];
}

/* What it is about. */
static const char *title(const struct rarog_history_change *change)
{
	return *change->row->name ? change->row->name : "the whole program";
}

static size_t count_shown(const struct rarog_history_view *s)
{
	size_t n = s->changes->list.n;

	return s->limit > 0 && n > s->limit ? s->limit : n;
}

static const char *metric_words(enum rarog_series_metric metric)
{
	static const char *const words[] = { "wall time", "traced time", "own time",
					     "time",      "calls",       "cpu time",
					     "own CPU",   "own waiting", "instructions" };

	return words[metric];
}

/* What moved, and how if not at once. NULL: no memory. */
static char *kind_of(const struct rarog_history_view *s, const struct rarog_history_change *change)
{
	const char *words = metric_words(change->metric);
	const struct rarog_shift *shift = &change->shift;
	const struct rarog_short until = rarog_short_name(s->vcs, version_name(s, shift->until));

	if (shift->shape == RAROG_SHIFT_DRIFT)
		return rarog_asprintf("%s, drifts until %s", words, until.text);
	if (shift->shape == RAROG_SHIFT_STAIRS)
		return rarog_asprintf("%s, in %u steps until %s", words, shift->steps, until.text);
	if (change->metric == RAROG_SERIES_INCLUSIVE)
		return strdup("time with what it calls");
	if (change->is_of_machine)
		return rarog_asprintf("%s, of %s: maybe the machine's", words,
				      *change->row->name ? "all functions" : "no function");
	if (rarog_shift_is_weak(shift))
		return rarog_asprintf("%s, of few runs: it may vary", words);
	return strdup(words);
}

struct percent {
	char text[24];
};

static struct percent percent_of(double relative)
{
	struct percent percent = { "new" };

	if (isfinite(relative))
		snprintf(percent.text, sizeof(percent.text),
			 fabs(relative) >= 9.995   ? "%+.0f %%"
			 : fabs(relative) >= 0.005 ? "%+.1f %%"
						   : "%+.2f %%",
			 100 * relative);
	return percent;
}

const char *rarog_history_class(const struct rarog_history_change *change)
{
	if (change->relative < 0)
		return rarog_history_is_maybe(change) ? "MaybeOptimization" : "Optimization";
	return rarog_history_is_maybe(change) ? "MaybeDegradation" : "Degradation";
}

/* Was the version before it measured? If not, others may have done it. */
static int is_gap(const struct rarog_history_view *s, const struct rarog_history_change *change,
		  struct rarog_commit *commit)
{
	return commit->n_parents > 0 && change->shift.shape != RAROG_SHIFT_DRIFT &&
	       strcmp(commit->parents[0], version_name(s, change->shift.previous)) != 0;
}

/* --- for people --- */

static const struct rarog_column columns[] = {
	{ .title = "version" },
	{ .title = "change", .is_right = true },
	{ .title = "what", .is_elastic = true },
	{ .title = "" },
	{ .title = "before", .is_right = true },
	{ .title = "after", .is_right = true },
};

static int add_line(const struct rarog_history_view *s, struct rarog_table *table,
		    const struct rarog_history_change *change, const char *version, bool is_gap_)
{
	const struct rarog_short name = rarog_short_name(s->vcs, version);
	struct rarog_amount before = rarog_series_amount(change->metric, change->shift.before);
	struct rarog_amount after = rarog_series_amount(change->metric, change->shift.after);
	struct percent percent = percent_of(change->relative);
	rarog_cleanup(rarog_freep) char *kind = kind_of(s, change);
	char marked[24];

	if (!kind)
		return rarog_oom();
	snprintf(marked, sizeof(marked), "%s%s", name.text, is_gap_ ? "*" : "");
	return rarog_table_add(
		table, (struct rarog_cell[]){
			       { marked, NULL, RAROG_STYLE_YELLOW },
			       { percent.text, NULL,
				 change->relative > 0 ? RAROG_STYLE_RED : RAROG_STYLE_GREEN },
			       { title(change), NULL, RAROG_STYLE_PLAIN },
			       { kind, NULL, RAROG_STYLE_DIM },
			       { before.text, NULL, RAROG_STYLE_PLAIN },
			       { after.text, NULL, RAROG_STYLE_PLAIN },
		       });
}

static int add_lines(const struct rarog_history_view *s, struct rarog_table *table, size_t n,
		     size_t *ret_gaps)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_history_change *change = &s->changes->list.v[i];
		const char *version = version_name(s, change->shift.version);
		struct rarog_commit commit = { 0 };
		int gap = 0;

		/* a version that is gone from the repository is still a result */
		if (rarog_vcs_resolve(s->vcs, version, &commit) == 0)
			gap = is_gap(s, change, &commit);
		rarog_commit_release(&commit);
		r = add_line(s, table, change, version, gap);
		*ret_gaps += (size_t)gap;
	}
	return r;
}

static bool has_times(const struct rarog_history_view *s)
{
	bool has = false;

	for (size_t i = 0; i < s->history->groups.n; i++)
		has |= !s->history->groups.v[i].is_blocks;
	return has;
}

/* Which series of own times begin anew within the history, and why. */
static void say_sets(const struct rarog_history *history, FILE *out)
{
	size_t n = 0;

	for (size_t g = 0; g < history->groups.n; g++)
		for (size_t i = 0; i < history->groups.v[g].rows.n; i++) {
			const struct rarog_history_row *row = &history->groups.v[g].rows.v[i];

			if (row->sets.n < 2)
				continue;
			if (n++ < NAMED)
				fprintf(out, "%s%s", n > 1 ? ", " : "Own time begins anew of ",
					row->name);
		}
	if (n > NAMED)
		fprintf(out, " and %zu more", n - NAMED);
	if (n > 0)
		fputs(", where a function called from there was left out or only counted, and in "
		      "other versions not; there, time with what is called is compared\n",
		      out);
}

/* Versions of a job that begins anew are those since. */
static size_t count_comparable(const struct rarog_history *history)
{
	size_t most = 0;

	for (size_t i = 0; i < history->groups.n; i++)
		if (!history->groups.v[i].is_blocks && history->groups.v[i].sittings.n > most)
			most = history->groups.v[i].sittings.n;
	return most;
}

static void say_few(const struct rarog_history_view *s, FILE *out)
{
	size_t n = count_comparable(s->history);

	if (!has_times(s) || n >= RAROG_CHANGES_MANY)
		return;
	if (n < RAROG_CHANGES_LEAST)
		fprintf(out,
			"For changes of times, %d versions are needed that can be compared; there "
			"are %zu.\n",
			RAROG_CHANGES_LEAST, n);
	else
		fprintf(out,
			"Of %zu versions that can be compared, fewer than %d, few changes of times "
			"can be told.\n",
			n, RAROG_CHANGES_MANY);
}

static void say_sum(const struct rarog_history_view *s, FILE *out)
{
	size_t n = s->changes->list.n, n_jobs = rarog_history_jobs(s->history);

	fprintf(out, "%zu change%s in %zu measured version%s, %zu job%s\n", n, rarog_plural(n),
		s->history->versions.n, rarog_plural(s->history->versions.n), n_jobs,
		rarog_plural(n_jobs));
	say_few(s, out);
	for (size_t i = 0; i < s->splits->list.n; i++) {
		const struct rarog_history_split *split = &s->splits->list.v[i];
		const struct rarog_short name =
			rarog_short_name(s->vcs, version_name(s, split->version));

		fprintf(out, "%s begins anew, nothing is compared with versions before: %s\n",
			name.text, split->words);
	}
	say_sets(s->history, out);
}

int rarog_history_text(const struct rarog_history_view *s, FILE *out)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	size_t n = count_shown(s), gaps = 0;
	int r = table ? 0 : rarog_oom();

	if (r == 0)
		r = add_lines(s, table, n, &gaps);
	if (r < 0)
		return r;
	say_sum(s, out);
	if (n > 0) {
		fputc('\n', out);
		rarog_table_print(table, out, s->width, s->colour);
	}
	if (n < s->changes->list.n)
		fprintf(out, "… and %zu more; -n 0 shows all\n", s->changes->list.n - n);
	if (gaps > 0)
		fprintf(out,
			"* this one or one before it that was not measured; rarog bisect finds "
			"it\n");
	return 0;
}

/* --- for a comment on a pull request --- */

static int write_markdown_change(const struct rarog_history_view *s,
				 const struct rarog_history_change *change, FILE *out)
{
	const struct rarog_short version =
		rarog_short_name(s->vcs, version_name(s, change->shift.version));
	rarog_cleanup(rarog_freep) char *kind = kind_of(s, change);
	int r;

	if (!kind)
		return rarog_oom();

	fprintf(out, "| `%s` | %s | ", version.text, percent_of(change->relative).text);
	r = rarog_markdown_add(out, title(change));
	fprintf(out, " | %s | %s | %s | ", kind,
		rarog_series_amount(change->metric, change->shift.before).text,
		rarog_series_amount(change->metric, change->shift.after).text);
	if (r == 0)
		r = rarog_markdown_add(out, change->group->job);
	fputs(" |\n", out);
	return r;
}

int rarog_history_markdown(const struct rarog_history_view *s, FILE *out)
{
	size_t n = s->changes->list.n, shown = count_shown(s);
	int r = 0;

	fputs("### ", out);
	say_sum(s, out);
	if (n > 0)
		fputs("\n| version | change | what | | before | after | job |\n"
		      "|---|--:|---|---|--:|--:|---|\n",
		      out);
	for (size_t i = 0; r == 0 && i < shown; i++)
		r = write_markdown_change(s, &s->changes->list.v[i], out);
	if (shown < n)
		fprintf(out, "\nand %zu more\n", n - shown);
	return r;
}

/* --- for programs --- */

static void write_change(const struct rarog_history_view *s, struct rarog_json *json,
			 const struct rarog_history_change *change)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "version", version_name(s, change->shift.version));
	rarog_json_string(json, "previous", version_name(s, change->shift.previous));
	rarog_json_string(json, "job", change->group->job);
	rarog_json_string(json, "location", change->row->name);
	rarog_json_string(json, "binary", *change->row->binary ? change->row->binary : NULL);
	rarog_json_string(json, "metric", rarog_series_metric_name(change->metric));
	rarog_json_string(json, "class", rarog_history_class(change));
	rarog_json_string(json, "shape", rarog_shift_shape_name(change->shift.shape));
	rarog_json_string(json, "until", version_name(s, change->shift.until));
	rarog_json_double(json, "before", change->shift.before);
	rarog_json_double(json, "after", change->shift.after);
	rarog_json_double(json, "relative", change->relative);
	rarog_json_double(json, "impact", change->impact);
	rarog_json_double(json, "p", change->shift.p);
	rarog_json_double(json, "q", change->q);
	rarog_json_end_object(json);
}

/* Each version from which on a function's own time has other functions in it than before. */
static void write_anew(const struct rarog_history_view *s, struct rarog_json *json)
{
	rarog_json_array(json, "begins_anew");
	for (size_t g = 0; g < s->history->groups.n; g++) {
		const struct rarog_history_group *group = &s->history->groups.v[g];

		for (size_t i = 0; i < group->rows.n; i++)
			for (size_t k = 1; k < group->rows.v[i].sets.n; k++) {
				const struct rarog_history_row *row = &group->rows.v[i];

				rarog_json_object(json, NULL);
				rarog_json_string(json, "version",
						  version_name(s, row->sets.v[k].version));
				rarog_json_string(json, "job", group->job);
				rarog_json_string(json, "location", row->name);
				rarog_json_string(json, "binary",
						  *row->binary ? row->binary : NULL);
				rarog_json_end_object(json);
			}
	}
	rarog_json_end_array(json);
}

int rarog_history_json(const struct rarog_history_view *s, FILE *out)
{
	struct rarog_json json;

	rarog_json_start_object(&json, out);
	rarog_json_string(&json, "tip", s->history->tip);
	rarog_json_uint(&json, "n_versions", s->history->versions.n);
	rarog_json_uint(&json, "n_profiles", s->history->profiles);
	rarog_json_uint(&json, "n_tested", s->changes->tested);
	rarog_json_array(&json, "changes");
	for (size_t i = 0; i < s->changes->list.n; i++)
		write_change(s, &json, &s->changes->list.v[i]);
	rarog_json_end_array(&json);
	rarog_json_array(&json, "splits");
	for (size_t i = 0; i < s->splits->list.n; i++) {
		const struct rarog_history_split *split = &s->splits->list.v[i];

		rarog_json_object(&json, NULL);
		rarog_json_string(&json, "version", version_name(s, split->version));
		rarog_json_string(&json, "previous", version_name(s, split->previous));
		rarog_json_string(&json, "job", split->job);
		rarog_json_string(&json, "reason", split->words);
		rarog_json_end_object(&json);
	}
	rarog_json_end_array(&json);
	write_anew(s, &json);
	return rarog_json_finish(&json);
}
