/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `gcov --json-format` writes (format 1 of GCC 9 and later), of all source files together. */
#include <string.h>

#include "base/json-writer.h"
#include "view/coverage.h"
#include "view/export/export.h"
#include "view/text.h"

static void write_function(struct rarog_json *json, const struct rarog_coverage *c,
			   const struct rarog_tally_function *function)
{
	const struct rarog_location *location = rarog_coverage_location(c, function);
	const struct rarog_block_count *blocks = &c->tally.blocks[function->first];
	uint32_t last = location->line;

	for (uint32_t i = 0; i < function->n; i++)
		last = blocks[i].line > last ? blocks[i].line : last;
	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", location->name);
	rarog_json_string(json, "demangled_name", rarog_location_title(location));
	rarog_json_uint(json, "start_line", location->line);
	rarog_json_uint(json, "end_line", last);
	rarog_json_uint(json, "blocks", function->n);
	rarog_json_uint(json, "blocks_executed", function->n_executed);
	rarog_json_uint(json, "execution_count", function->calls);
	rarog_json_end_object(json);
}

/* Exceptions cannot be told from other branches. */
static void write_branches(struct rarog_json *json, const struct rarog_coverage *c,
			   const struct rarog_covered_decision *decision)
{
	for (uint32_t i = decision->first_edge; i < decision->first_edge + decision->n; i++) {
		const struct rarog_edge_count *edge = &c->tally.edges[i];

		rarog_json_object(json, NULL);
		rarog_json_uint(json, "count", edge->count);
		rarog_json_bool(json, "throw", false);
		rarog_json_bool(json, "fallthrough", edge->to == edge->from + 1);
		rarog_json_end_object(json);
	}
}

/* @decision: moves after those of the line, of which both are in the same order. */
static void write_line(struct rarog_json *json, const struct rarog_coverage *c,
		       const struct rarog_covered_line *line, size_t *decision)
{
	const struct rarog_covered_decision *v = c->decisions.v;

	rarog_json_object(json, NULL);
	rarog_json_uint(json, "line_number", line->line);
	rarog_json_string(json, "function_name", rarog_coverage_location(c, line->function)->name);
	rarog_json_uint(json, "count", line->count);
	rarog_json_bool(json, "unexecuted_block", line->has_unexecuted);
	rarog_json_array(json, "branches");
	for (; *decision < c->decisions.n && v[*decision].function == line->function &&
	       v[*decision].line == line->line;
	     (*decision)++)
		write_branches(json, c, &v[*decision]);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

/* @at: moves to the next file. */
static void write_file(struct rarog_json *json, const struct rarog_coverage *c,
		       struct rarog_coverage_position *at)
{
	const char *file = rarog_coverage_file(c, c->functions.v[at->function]);

	rarog_json_object(json, NULL);
	rarog_json_string(json, "file", file);
	rarog_json_array(json, "functions");
	for (; at->function < c->functions.n &&
	       strcmp(rarog_coverage_file(c, c->functions.v[at->function]), file) == 0;
	     at->function++)
		write_function(json, c, c->functions.v[at->function]);
	rarog_json_end_array(json);
	rarog_json_array(json, "lines");
	for (; at->line < c->lines.n &&
	       strcmp(rarog_coverage_file(c, c->lines.v[at->line].function), file) == 0;
	     at->line++)
		write_line(json, c, &c->lines.v[at->line], &at->decision);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

static int gcov_write(struct rarog_profile *profile, const struct rarog_export_options *options,
		      FILE *out)
{
	rarog_cleanup(rarog_coverage_release) struct rarog_coverage c = { 0 };
	int r = rarog_coverage_read(profile, &c);
	struct rarog_json json;
	struct rarog_coverage_position at = { 0 };

	(void)options;
	if (r == 0)
		r = rarog_coverage_warn(&c, profile);
	if (r < 0)
		return r;
	rarog_json_start(&json, out, false);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "format_version", "1");
	rarog_json_string(&json, "rarog_version", RAROG_VERSION);
	rarog_json_string(&json, "data_file", rarog_profile_path(profile));
	rarog_json_array(&json, "files");
	while (at.function < c.functions.n)
		write_file(&json, &c, &at);
	return rarog_json_finish(&json);
}

const struct rarog_export_format rarog_export_gcov = {
	.name = "gcov",
	.summary = "coverage as gcov --json-format writes it",
	.use = RAROG_EXPORT_OF_BLOCKS,
	.write = gcov_write,
};
