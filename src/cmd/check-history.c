/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "check/history.h"
#include "view/names.h"
#include "view/verdict/verdict-view.h"

enum { ALPHA, SMALLEST_EFFECT, LEAST_SHARE, SMALLEST };

static const struct rarog_threshold thresholds[] = {
	[ALPHA] = { "alpha", 0.05, 1e-9, 0.5,
		    "part of the changes reported that may be false alarms" },
	[SMALLEST_EFFECT] = { "smallest-effect", 0.02, 0, 10,
			      "relative change that is too small to matter" },
	[LEAST_SHARE] = { "least-share", 0.005, 0, 1,
			  "part of all time from which on a function is followed" },
	[SMALLEST] = { "smallest", 0.0005, 0, 1,
		       "least change of instructions that matters, as a part of the program's" },
	{ .name = NULL },
};

const struct rarog_check_method rarog_check_history_rules = {
	.name = "history",
	.summary =
		"of --history: where a series of versions moves to another level and stays there",
	.thresholds = thresholds,
};

struct session {
	const struct rarog_check_history *how;
	struct rarog_history history;
	struct rarog_history_changes changes;
	struct rarog_commit tip;
	RAROG_VEC(char *) range; /* sorted names; empty: all */
	struct rarog_progress progress;
};

static void session_release(struct session *s)
{
	rarog_vec_release(&s->changes.list);
	rarog_history_release(&s->history);
	rarog_commit_release(&s->tip);
	for (size_t i = 0; i < s->range.n; i++)
		free(s->range.v[i]);
	rarog_vec_release(&s->range);
}

/* --- the range --- */

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static int note_version(const struct rarog_commit *commit, void *user)
{
	struct session *s = user;
	char *name = strdup(commit->name);

	if (!name || rarog_vec_push(&s->range, name) < 0) {
		free(name);
		return rarog_oom();
	}
	return 0;
}

static int read_range(struct session *s)
{
	const char *text = s->how->range, *dots = text ? strstr(text, "..") : NULL;
	const struct rarog_walk walk = { .n_from = 1, .from = &text, .first_parent = true };
	const char *end = dots ? dots + 2 + (dots[2] == '.') : text;
	int r = rarog_vcs_resolve(s->how->project->vcs, end && *end ? end : "HEAD", &s->tip);

	if (r == 0 && dots)
		r = rarog_vcs_walk(s->how->project->vcs, &walk, note_version, s);
	if (r < 0)
		return r;
	if (dots && s->range.n == 0)
		return rarog_fail(-ENOENT, "%s: there is no version in this range", text);
	if (s->range.n > 0)
		qsort(s->range.v, s->range.n, sizeof(*s->range.v), compare_names);
	return 0;
}

static const char *version_name(const struct session *s, uint32_t version)
{
	return s->history.versions.v[version];
}

static bool is_in_range(const struct session *s, const struct rarog_history_change *change)
{
	const char *name = version_name(s, change->shift.version);

	return s->range.n == 0 ||
	       bsearch(&name, s->range.v, s->range.n, sizeof(*s->range.v), compare_names) != NULL;
}

static void keep_range(struct session *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->changes.list.n; i++)
		if (is_in_range(s, &s->changes.list.v[i]))
			s->changes.list.v[kept++] = s->changes.list.v[i];
	s->changes.list.n = kept;
}

/* --- words --- */

static const char *metric_words(enum rarog_series_metric metric)
{
	static const char *const words[] = { "wall time", "traced time", "own time",
					     "time",      "calls",       "cpu time",
					     "own CPU",   "own waiting", "instructions" };

	return words[metric];
}

static struct rarog_amount amount(enum rarog_series_metric metric, double value)
{
	uint64_t rounded = value > 0 ? (uint64_t)llround(value) : 0;

	return rarog_series_is_count(metric) ? rarog_format_count(rounded)
					     : rarog_format_ns(rounded);
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

/* More time or instructions are worse; more calls may be, as may be what only moved. */
static bool is_maybe(const struct rarog_history_change *change)
{
	return change->metric == RAROG_SERIES_CALLS || change->is_moved;
}

static const char *class_of(const struct rarog_history_change *change)
{
	if (change->relative < 0)
		return is_maybe(change) ? "MaybeOptimization" : "Optimization";
	return is_maybe(change) ? "MaybeDegradation" : "Degradation";
}

/* Was the version before it measured? If not, others may have done it. */
static int is_gap(const struct session *s, const struct rarog_history_change *change,
		  struct rarog_commit *commit)
{
	return commit->n_parents > 0 &&
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

static int add_line(struct session *s, struct rarog_table *table,
		    const struct rarog_history_change *change, const char *version, bool is_gap_)
{
	const struct rarog_short name = rarog_short_name(s->how->project->vcs, version);
	struct rarog_amount before = amount(change->metric, change->shift.before);
	struct rarog_amount after = amount(change->metric, change->shift.after);
	struct percent percent = percent_of(change->relative);
	char marked[24];

	snprintf(marked, sizeof(marked), "%s%s", name.text, is_gap_ ? "*" : "");
	return rarog_table_add(
		table, (struct rarog_cell[]){
			       { marked, NULL, RAROG_STYLE_YELLOW },
			       { percent.text, NULL,
				 change->relative > 0 ? RAROG_STYLE_RED : RAROG_STYLE_GREEN },
			       { *change->row->name ? change->row->name : "the whole program", NULL,
				 RAROG_STYLE_PLAIN },
			       { metric_words(change->metric), NULL, RAROG_STYLE_DIM },
			       { before.text, NULL, RAROG_STYLE_PLAIN },
			       { after.text, NULL, RAROG_STYLE_PLAIN },
		       });
}

static int add_lines(struct session *s, struct rarog_table *table, size_t n, size_t *ret_gaps)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_history_change *change = &s->changes.list.v[i];
		const char *version = version_name(s, change->shift.version);
		struct rarog_commit commit = { 0 };
		int gap = 0;

		/* a version that is gone from the repository is still a result */
		if (rarog_vcs_resolve(s->how->project->vcs, version, &commit) == 0)
			gap = is_gap(s, change, &commit);
		rarog_commit_release(&commit);
		r = add_line(s, table, change, version, gap);
		*ret_gaps += (size_t)gap;
	}
	return r;
}

static bool has_times(const struct session *s)
{
	bool has = false;

	for (size_t i = 0; i < s->history.groups.n; i++)
		has |= !s->history.groups.v[i].is_blocks;
	return has;
}

static void say_sum(const struct session *s)
{
	size_t n = s->changes.list.n;

	printf("%zu change%s in %zu measured version%s, %zu job%s\n", n, n == 1 ? "" : "s",
	       s->history.versions.n, s->history.versions.n == 1 ? "" : "s", s->history.groups.n,
	       s->history.groups.n == 1 ? "" : "s");
	if (s->history.versions.n < RAROG_CHANGES_LEAST && has_times(s))
		printf("For changes of times, %d versions are needed; there are %zu.\n",
		       RAROG_CHANGES_LEAST, s->history.versions.n);
}

static int print(struct session *s)
{
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	size_t n = s->changes.list.n, gaps = 0;
	int r = table ? 0 : rarog_oom();

	if (s->how->limit > 0 && n > s->how->limit)
		n = s->how->limit;
	if (r == 0)
		r = add_lines(s, table, n, &gaps);
	if (r < 0)
		return r;
	say_sum(s);
	if (n > 0) {
		putchar('\n');
		rarog_table_print(table, stdout, isatty(STDOUT_FILENO) ? s->how->context->width : 0,
				  s->how->context->colour);
	}
	if (n < s->changes.list.n)
		printf("… and %zu more; -n 0 shows all\n", s->changes.list.n - n);
	if (gaps > 0)
		printf("* this one or one before it that was not measured; rarog bisect finds "
		       "it\n");
	return 0;
}

/* --- for a comment on a pull request --- */

static int write_markdown_change(const struct session *s, const struct rarog_history_change *change)
{
	const struct rarog_short version =
		rarog_short_name(s->how->project->vcs, version_name(s, change->shift.version));
	int r;

	printf("| `%s` | %s | ", version.text, percent_of(change->relative).text);
	r = rarog_markdown_add(stdout,
			       *change->row->name ? change->row->name : "the whole program");
	printf(" | %s | %s | %s | ", metric_words(change->metric),
	       amount(change->metric, change->shift.before).text,
	       amount(change->metric, change->shift.after).text);
	if (r == 0)
		r = rarog_markdown_add(stdout, change->group->job);
	fputs(" |\n", stdout);
	return r;
}

static int write_markdown(const struct session *s)
{
	size_t n = s->changes.list.n, shown = n;
	int r = 0;

	if (s->how->limit > 0 && shown > s->how->limit)
		shown = s->how->limit;
	fputs("### ", stdout);
	say_sum(s);
	if (n > 0)
		fputs("\n| version | change | what | | before | after | job |\n"
		      "|---|--:|---|---|--:|--:|---|\n",
		      stdout);
	for (size_t i = 0; r == 0 && i < shown; i++)
		r = write_markdown_change(s, &s->changes.list.v[i]);
	if (shown < n)
		printf("\nand %zu more\n", n - shown);
	return r;
}

/* --- for programs --- */

static void write_change(const struct session *s, struct rarog_json *json,
			 const struct rarog_history_change *change)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "version", version_name(s, change->shift.version));
	rarog_json_string(json, "previous", version_name(s, change->shift.previous));
	rarog_json_string(json, "job", change->group->job);
	rarog_json_string(json, "location", change->row->name);
	rarog_json_string(json, "binary", *change->row->binary ? change->row->binary : NULL);
	rarog_json_string(json, "metric", rarog_series_metric_name(change->metric));
	rarog_json_string(json, "class", class_of(change));
	rarog_json_double(json, "before", change->shift.before);
	rarog_json_double(json, "after", change->shift.after);
	rarog_json_double(json, "relative", change->relative);
	rarog_json_double(json, "impact", change->impact);
	rarog_json_double(json, "p", change->shift.p);
	rarog_json_double(json, "q", change->q);
	rarog_json_end_object(json);
}

static int write_json(const struct session *s)
{
	struct rarog_json json;

	rarog_json_start(&json, stdout, true);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "tip", s->history.tip);
	rarog_json_uint(&json, "n_versions", s->history.versions.n);
	rarog_json_uint(&json, "n_profiles", s->history.profiles);
	rarog_json_uint(&json, "n_tested", s->changes.tested);
	rarog_json_array(&json, "changes");
	for (size_t i = 0; i < s->changes.list.n; i++)
		write_change(s, &json, &s->changes.list.v[i]);
	rarog_json_end_array(&json);
	rarog_json_end_object(&json);
	return rarog_json_finish(&json);
}

/* --- all of it --- */

static int exit_code(const struct session *s)
{
	for (size_t i = 0; i < s->changes.list.n && !s->how->fails_never; i++) {
		const struct rarog_history_change *change = &s->changes.list.v[i];

		if (change->relative > 0 && (!is_maybe(change) || s->how->fails_on_maybe))
			return RAROG_EXIT_DEGRADATION;
	}
	return RAROG_EXIT_OK;
}

static void show_progress(uint64_t done, void *user)
{
	struct session *s = user;

	rarog_progress_update(&s->progress, done);
}

int rarog_check_history(const struct rarog_check_history *how)
{
	const struct rarog_history_options options = {
		.least_effect = how->thresholds[SMALLEST_EFFECT],
		.least_share = how->thresholds[LEAST_SHARE],
		.level = how->thresholds[ALPHA],
		.smallest = how->thresholds[SMALLEST],
	};
	rarog_cleanup(session_release) struct session s = { .how = how };
	int r = read_range(&s);

	if (r < 0)
		return r;
	rarog_progress_start(&s.progress, "reading", "profiles", 0, how->context->quiet);
	r = rarog_history_read(how->project->store, how->project->vcs, s.tip.name, how->save,
			       show_progress, &s, &s.history);
	rarog_progress_finish(&s.progress);
	if (r == 0)
		r = rarog_history_find(&s.history, &options, &s.changes);
	if (r < 0)
		return r;
	keep_range(&s);
	r = how->json ? write_json(&s) : how->markdown ? write_markdown(&s) : print(&s);
	return r < 0 ? r : exit_code(&s);
}
