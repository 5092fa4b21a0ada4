/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `gcov --json-format` writes (format 2, of GCC 14), of all source files together. */
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
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
	rarog_json_uint(json, "start_column", 0); /* not known */
	rarog_json_uint(json, "end_line", last);
	rarog_json_uint(json, "end_column", 0);
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
		rarog_json_uint(json, "source_block_id", edge->from - decision->function->first);
		rarog_json_uint(json, "destination_block_id", edge->to - decision->function->first);
		rarog_json_bool(json, "throw", false);
		rarog_json_bool(json, "fallthrough", edge->to == edge->from + 1);
		rarog_json_end_object(json);
	}
}

/* The first of the tally's lines that is of @block or a later one. */
static uint32_t first_line(const struct rarog_tally *tally, uint32_t block)
{
	size_t low = 0, high = tally->n_lines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tally->lines[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* A block's first line stands with it, its others in the tally. */
static void write_blocks(struct rarog_json *json, const struct rarog_tally *tally,
			 const struct rarog_covered_line *line)
{
	uint32_t first = line->function->first, end = first + line->function->n;
	size_t i = first_line(tally, first);

	rarog_json_array(json, "block_ids");
	for (uint32_t block = first; block < end; block++) {
		bool is_on = tally->blocks[block].line == line->line;

		for (; i < tally->n_lines && tally->lines[i].block <= block; i++)
			is_on |= tally->lines[i].line == line->line;
		if (is_on)
			rarog_json_uint(json, NULL, block - first);
	}
	rarog_json_end_array(json);
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
	write_blocks(json, &c->tally, line);
	rarog_json_array(json, "calls"); /* which returned is not known */
	rarog_json_end_array(json);
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
	/* readers look there for what is relative; paths here are not, as a rule */
	rarog_cleanup(rarog_freep) char *here = getcwd(NULL, 0);
	struct rarog_json json;
	struct rarog_coverage_position at = { 0 };

	(void)options;
	if (r == 0)
		r = rarog_coverage_warn(&c, profile);
	if (r < 0)
		return r;
	rarog_json_start(&json, out, false);
	rarog_json_object(&json, NULL);
	rarog_json_string(&json, "format_version", "2");
	rarog_json_string(&json, "rarog_version", RAROG_VERSION);
	rarog_json_string(&json, "data_file", rarog_profile_path(profile));
	rarog_json_string(&json, "current_working_directory", here ? here : "/");
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
