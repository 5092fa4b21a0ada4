/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/jobs/schedule.h"

#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/str.h"
#include "base/table.h"
#include "base/units.h"
#include "base/utf8.h"

#define NAME_DIGITS 12

void rarog_run_tally(const struct rarog_schedule *schedule, struct rarog_run_tally *ret_tally)
{
	struct rarog_run_tally tally = { .versions = schedule->versions->list.n };
	uint64_t *const counts[RAROG_ROW_STATES] = {
		[RAROG_ROW_TODO] = &tally.to_do,    [RAROG_ROW_THERE] = &tally.there,
		[RAROG_ROW_KNOWN] = &tally.known,   [RAROG_ROW_MEASURED] = &tally.measured,
		[RAROG_ROW_FAILED] = &tally.failed,
	};

	for (size_t i = 0; i < schedule->rows.n; i++) {
		const struct rarog_run_row *row = &schedule->rows.v[i];

		++*counts[row->state];
		tally.profiles += row->made;
		tally.profile_bytes += row->profile_bytes;
		tally.calls += row->calls;
		tally.lost += row->lost;
		tally.has_untraced |= row->has_untraced;
		tally.post_failed += row->post_failed;
	}
	*ret_tally = tally;
}

/* --- for people --- */

static void say_name(const struct rarog_commit *commit, FILE *out)
{
	if (commit->name)
		fprintf(out, "%.*s", NAME_DIGITS, commit->name);
	else
		fputs("(no version)", out);
}

static bool is_failure(const struct rarog_run_row *row)
{
	return row->state == RAROG_ROW_FAILED || row->state == RAROG_ROW_KNOWN || row->post_failed;
}

static void say_failure(const struct rarog_run_task *task, const struct rarog_run_row *row,
			const char **said, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	const char *what =
		row->post_failed ? "post-processing failed" : rarog_outcome_names[row->outcome];

	const char *message = row->message ? row->message : "";
	bool is_said = *said && *message && strcmp(*said, message) == 0;

	if (rarog_task_line(task, &line) == 0)
		fprintf(out, "    %s: %s%s%s", rarog_str_text(&line), what,
			row->state == RAROG_ROW_KNOWN ? " (before)" : "", is_said ? ", " : ": ");
	rarog_utf8_print(out, is_said ? "as above" : message, INT_MAX);
	fputc('\n', out);
	*said = message;
}

static size_t count(size_t n, const struct rarog_run_row rows[], enum rarog_row_state state)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += rows[i].state == state;
	return found;
}

static void add_count(struct rarog_str *text, size_t n, const char *what)
{
	if (n > 0)
		rarog_str_addf(text, "%s%zu %s", text->length > 0 ? ", " : "", n, what);
}

void rarog_run_say_version(const struct rarog_versions *versions, const struct rarog_tasks *tasks,
			   size_t n, const struct rarog_run_row rows[], const char **said,
			   FILE *out)
{
	const struct rarog_commit *commit = &versions->list.v[rows[0].version];
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };

	add_count(&text, count(n, rows, RAROG_ROW_MEASURED), "measured");
	add_count(&text, count(n, rows, RAROG_ROW_THERE), "there");
	add_count(&text, count(n, rows, RAROG_ROW_FAILED), "failed");
	add_count(&text, count(n, rows, RAROG_ROW_KNOWN), "known to fail");
	add_count(&text, count(n, rows, RAROG_ROW_TODO), "to do");
	say_name(commit, out);
	fprintf(out, "  %s%s%s\n", rarog_str_text(&text), commit->subject ? "  " : "",
		commit->subject ? commit->subject : "");
	for (size_t i = 0; i < n; i++)
		if (is_failure(&rows[i]))
			say_failure(&tasks->list.v[rows[i].task], &rows[i], said, out);
	fflush(out);
}

static const char *kept(const struct rarog_run_tally *tally)
{
	if (tally->lost)
		return "";
	return tally->has_untraced ? ", not every function traced (rarog probes says why)"
				   : ", nothing lost";
}

void rarog_run_say_summary(const struct rarog_schedule *schedule, bool interrupted, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_run_tally t;

	rarog_run_tally(schedule, &t);
	add_count(&text, t.measured, "measured");
	add_count(&text, t.there, "there already");
	add_count(&text, t.failed, "failed");
	add_count(&text, t.known, "known to fail");
	add_count(&text, t.to_do, "not done");
	fprintf(out, "rarog: %s%zu job%s in %zu version%s: %s; %llu profile%s (%s)%s\n",
		interrupted ? "interrupted; " : "", schedule->tasks->list.n,
		rarog_plural(schedule->tasks->list.n), schedule->versions->list.n,
		rarog_plural(schedule->versions->list.n),
		text.length > 0 ? text.text : "nothing to do", (unsigned long long)t.profiles,
		rarog_plural(t.profiles), rarog_format_bytes(t.profile_bytes).text, kept(&t));
	if (t.lost)
		fprintf(out,
			"rarog: warning: %llu events or calls were lost; rarog show says "
			"which\n",
			(unsigned long long)t.lost);
}

static int add_plan_row(const struct rarog_schedule *s, const struct rarog_run_row *row,
			struct rarog_table *table)
{
	const struct rarog_commit *commit = &s->versions->list.v[row->version];
	rarog_cleanup(rarog_str_release) struct rarog_str line = { 0 };
	char name[NAME_DIGITS + 1] = "", there[48];
	struct rarog_cell cells[4];
	int r = rarog_task_line(&s->tasks->list.v[row->task], &line);

	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%s", commit->name ? commit->name : "-");
	snprintf(there, sizeof(there), "%u/%u", row->there, row->wanted);
	cells[0] = (struct rarog_cell){ .text = name };
	cells[1] = (struct rarog_cell){ .text = rarog_str_text(&line) };
	cells[2] = (struct rarog_cell){ .text = there };
	cells[3] = (struct rarog_cell){ .text = rarog_row_state_names[row->state] };
	return rarog_table_add(table, cells);
}

int rarog_run_say_plan(const struct rarog_schedule *s, FILE *out, int width, bool colour)
{
	static const struct rarog_column columns[] = {
		{ .title = "version" },
		{ .title = "job", .is_elastic = true },
		{ .title = "profiles", .is_right = true },
		{ .title = "state" },
	};
	rarog_cleanup(rarog_table_freep) struct rarog_table *table =
		rarog_table_new(RAROG_COUNT(columns), columns);
	int r = table ? 0 : -1;

	for (size_t i = 0; r == 0 && i < s->rows.n; i++)
		r = add_plan_row(s, &s->rows.v[i], table);
	if (r < 0)
		return rarog_oom();
	rarog_table_print(table, out, width, colour);
	fprintf(out, "%zu job%s in %zu version%s, %llu run%s to do\n", s->tasks->list.n,
		rarog_plural(s->tasks->list.n), s->versions->list.n,
		rarog_plural(s->versions->list.n), (unsigned long long)s->runs_total,
		rarog_plural(s->runs_total));
	if (s->tasks->unknown > 0)
		fprintf(out,
			"%zu external generators are not run: their workloads are not "
			"counted\n",
			s->tasks->unknown);
	return 0;
}

/* --- for programs --- */

static void write_hash(struct rarog_json *json, const char *key, const struct rarog_hash *hash)
{
	static const struct rarog_hash zero;

	if (rarog_hash_equal(hash, &zero))
		rarog_json_null(json, key);
	else
		rarog_json_string(json, key, rarog_hash_hex(hash).text);
}

static void write_job(struct rarog_json *json, const struct rarog_job *job)
{
	rarog_json_object(json, "job");
	rarog_json_string(json, "name", job->name);
	rarog_json_string(json, "command", job->command);
	rarog_json_string(json, "arguments", job->arguments);
	rarog_json_string(json, "workload", job->workload);
	if (job->has_number)
		rarog_json_double(json, "number", job->number);
	if (*job->configuration)
		rarog_json_raw(json, "configuration", job->configuration);
	rarog_json_string(json, "collector", job->collector);
	rarog_json_raw(json, "parameters", job->parameters);
	write_hash(json, "key", &job->key);
	rarog_json_end_object(json);
}

static void write_row(struct rarog_json *json, const struct rarog_schedule *s,
		      const struct rarog_run_row *row)
{
	const struct rarog_commit *commit = &s->versions->list.v[row->version];
	bool has_outcome = row->state != RAROG_ROW_TODO;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "version", commit->name);
	rarog_json_string(json, "tree", commit->tree);
	write_job(json, &s->tasks->list.v[row->task].job);
	rarog_json_string(json, "state", rarog_row_state_names[row->state]);
	rarog_json_string(json, "outcome", has_outcome ? rarog_outcome_names[row->outcome] : NULL);
	rarog_json_string(json, "message", is_failure(row) && row->message ? row->message : NULL);
	rarog_json_int(json, "exit_status", row->status);
	write_hash(json, "log", &row->log);
	rarog_json_uint(json, "profiles_before", row->there);
	rarog_json_uint(json, "profiles_wanted", row->wanted);
	rarog_json_array(json, "profiles");
	for (size_t i = 0; i < row->profiles.n; i++)
		rarog_json_string(json, NULL, rarog_hash_hex(&row->profiles.v[i]).text);
	rarog_json_end_array(json);
	rarog_json_uint(json, "calls", row->calls);
	rarog_json_uint(json, "losses", row->lost);
	rarog_json_uint(json, "wall_ns", row->wall_ns);
	rarog_json_end_object(json);
}

int rarog_run_json(const struct rarog_schedule *s, FILE *out)
{
	struct rarog_run_tally t;
	struct rarog_json json;

	rarog_run_tally(s, &t);
	rarog_json_start_object(&json, out);
	rarog_json_uint(&json, "versions", t.versions);
	rarog_json_uint(&json, "jobs", s->tasks->list.n);
	rarog_json_uint(&json, "runs_planned", s->runs_total);
	rarog_json_uint(&json, "measured", t.measured);
	rarog_json_uint(&json, "there", t.there);
	rarog_json_uint(&json, "failed", t.failed);
	rarog_json_uint(&json, "known_failures", t.known);
	rarog_json_uint(&json, "to_do", t.to_do);
	rarog_json_uint(&json, "profiles", t.profiles);
	rarog_json_uint(&json, "profile_bytes", t.profile_bytes);
	rarog_json_uint(&json, "losses", t.lost);
	rarog_json_uint(&json, "built", s->built);
	rarog_json_uint(&json, "builds_cached", s->cached);
	rarog_json_uint(&json, "build_failures", s->build_failures);
	rarog_json_array(&json, "results");
	for (size_t i = 0; i < s->rows.n; i++)
		write_row(&json, s, &s->rows.v[i]);
	return rarog_json_finish(&json);
}
