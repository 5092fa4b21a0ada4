/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/design/json.md describes it. */
#include <math.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "view/history/changes.h"
#include "view/verdict/verdict-view.h"

static void write_parts(struct rarog_json *json, const struct rarog_change *change)
{
	rarog_json_array(json, "parts");
	for (size_t i = 0; i < change->n_parts; i++) {
		const struct rarog_change_part *part = &change->parts[i];

		rarog_json_object(json, NULL);
		rarog_json_string(json, "class", rarog_class_name(part->class));
		rarog_json_double(json, "from", part->from);
		rarog_json_double(json, "to", part->to);
		rarog_json_double(json, "relative", part->relative);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static void write_change(struct rarog_json *json, size_t check, const struct rarog_change *change)
{
	rarog_json_object(json, NULL);
	rarog_json_uint(json, "check", check);
	rarog_json_string(json, "location", change->location);
	rarog_json_string(json, "binary", change->binary);
	rarog_json_string(json, "file", change->file);
	if (change->line)
		rarog_json_uint(json, "line", change->line);
	else
		rarog_json_null(json, "line");
	rarog_json_string(json, "class", rarog_class_name(change->class));
	rarog_json_string(json, "metric", change->metric->name);
	rarog_json_string(json, "unit", change->metric->unit);
	rarog_json_double(json, "baseline", change->baseline);
	rarog_json_double(json, "target", change->target);
	rarog_json_double(json, "relative", change->relative);
	if (isnan(change->low)) {
		rarog_json_null(json, "interval");
	} else {
		rarog_json_array(json, "interval");
		rarog_json_double(json, NULL, change->low);
		rarog_json_double(json, NULL, change->high);
		rarog_json_end_array(json);
	}
	rarog_json_double(json, "p", change->p);
	rarog_json_double(json, "q", change->q);
	rarog_json_double(json, "impact", change->impact);
	rarog_json_string(json, "method", change->method);
	rarog_json_string(json, "reason", change->reason);
	rarog_json_string(json, "path", change->path);
	rarog_json_string(json, "lines", change->lines);
	write_parts(json, change);
	rarog_json_end_object(json);
}

static void write_side(struct rarog_json *json, const char *key, const struct rarog_side *side)
{
	rarog_json_object(json, key);
	rarog_json_string(json, "name", side->name);
	rarog_json_string(json, "version", side->version);
	rarog_json_uint(json, "runs", side->runs.n);
	rarog_json_uint(json, "untraced_runs", side->wall_ns.n);
	rarog_json_end_object(json);
}

static void write_texts(struct rarog_json *json, const char *key, size_t n, char *const texts[])
{
	rarog_json_array(json, key);
	for (size_t i = 0; i < n; i++)
		rarog_json_string(json, NULL, texts[i]);
	rarog_json_end_array(json);
}

static void write_check(struct rarog_json *json, const struct rarog_check *check)
{
	const struct rarog_verdict *verdict = &check->verdict;

	rarog_json_object(json, NULL);
	rarog_json_string(json, "verdict", rarog_finding_name(verdict->finding));
	rarog_json_string(json, "job", check->job);
	write_side(json, "baseline", &check->comparison.sides[RAROG_BASELINE]);
	write_side(json, "target", &check->comparison.sides[RAROG_TARGET]);
	rarog_json_uint(json, "tests", verdict->tests);
	rarog_json_uint(json, "runs_needed", verdict->runs_needed);
	rarog_json_bool(json, "is_forced", verdict->is_forced);
	rarog_json_string(json, "function_time", check->comparison.is_cpu_time ? "cpu" : "wall");
	write_texts(json, "notes", verdict->notes.n, verdict->notes.v);
	rarog_json_end_object(json);
}

static int write_json(const struct rarog_checks *checks,
		      const struct rarog_verdict_options *options, FILE *out)
{
	struct rarog_json json;

	rarog_json_start_object(&json, out);
	rarog_json_string(&json, "verdict", rarog_finding_name(rarog_checks_finding(checks)));
	rarog_json_string(&json, "baseline", options->baseline);
	rarog_json_string(&json, "target", options->target);
	rarog_json_array(&json, "changes");
	for (size_t i = 0; i < checks->list.n; i++)
		for (size_t k = 0; k < checks->list.v[i].verdict.changes.n; k++)
			write_change(&json, i, &checks->list.v[i].verdict.changes.v[k]);
	rarog_json_end_array(&json);
	rarog_json_array(&json, "checks");
	for (size_t i = 0; i < checks->list.n; i++)
		write_check(&json, &checks->list.v[i]);
	rarog_json_end_array(&json);
	write_texts(&json, "notes", checks->notes.n, checks->notes.v);
	return rarog_json_finish(&json);
}

const struct rarog_verdict_format rarog_verdict_json = { .write = write_json,
							 .write_history = rarog_history_json };
