/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SARIF 2.1.0 (OASIS, 2020): a result for everything that is or may be slower, at its source. */
#include "base/error.h"
#include "base/json-writer.h"
#include "view/verdict/verdict-view.h"

static bool is_result(const struct rarog_change *change)
{
	return rarog_class_is_degradation(change->class) ||
	       change->class == RAROG_CLASS_MAYBE_DEGRADATION;
}

static void write_place(struct rarog_json *json, const struct rarog_change *change)
{
	rarog_json_array(json, "locations");
	if (change->file) {
		rarog_json_object(json, NULL);
		rarog_json_object(json, "physicalLocation");
		rarog_json_object(json, "artifactLocation");
		rarog_json_string(json, "uri", change->file);
		rarog_json_end_object(json);
		if (change->line) {
			rarog_json_object(json, "region");
			rarog_json_uint(json, "startLine", change->line);
			rarog_json_end_object(json);
		}
		rarog_json_end_object(json);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
}

static int write_result(struct rarog_json *json, const struct rarog_change *change)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = rarog_change_sentence(change, &text);

	if (r < 0)
		return r;
	rarog_json_object(json, NULL);
	rarog_json_string(json, "ruleId", rarog_class_name(change->class));
	rarog_json_string(json, "level",
			  rarog_class_is_degradation(change->class) ? "error" : "warning");
	rarog_json_object(json, "message");
	rarog_json_string(json, "text", rarog_str_text(&text));
	rarog_json_end_object(json);
	write_place(json, change);
	rarog_json_end_object(json);
	return 0;
}

static void write_tool(struct rarog_json *json)
{
	rarog_json_object(json, "tool");
	rarog_json_object(json, "driver");
	rarog_json_string(json, "name", "rarog");
	rarog_json_string(json, "version", RAROG_VERSION);
	rarog_json_array(json, "rules");
	for (enum rarog_class class = 0; class < RAROG_CLASSES; class ++) {
		const struct rarog_change change = { .class = class };

		if (!is_result(&change))
			continue;
		rarog_json_object(json, NULL);
		rarog_json_string(json, "id", rarog_class_name(class));
		rarog_json_object(json, "shortDescription");
		rarog_json_string(json, "text", rarog_class_words(class));
		rarog_json_end_object(json);
		rarog_json_end_object(json);
	}
	rarog_json_end_array(json);
	rarog_json_end_object(json);
	rarog_json_end_object(json);
}

static int write_sarif(const struct rarog_checks *checks,
		       const struct rarog_verdict_options *options, FILE *out)
{
	struct rarog_json json;
	int r = 0;

	(void)options;
	rarog_json_start_object(&json, out);
	rarog_json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	rarog_json_string(&json, "version", "2.1.0");
	rarog_json_array(&json, "runs");
	rarog_json_object(&json, NULL);
	write_tool(&json);
	rarog_json_array(&json, "results");
	for (size_t i = 0; i < checks->list.n; i++)
		for (size_t k = 0; r == 0 && k < checks->list.v[i].verdict.changes.n; k++)
			if (is_result(&checks->list.v[i].verdict.changes.v[k]))
				r = write_result(&json, &checks->list.v[i].verdict.changes.v[k]);
	return r < 0 ? r : rarog_json_finish(&json);
}

const struct rarog_verdict_format rarog_verdict_sarif = { .write = write_sarif };
