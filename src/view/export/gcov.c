/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `gcov --json-format` writes (format 2, of GCC 14), of all source files together. */
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json-writer.h"
#include "view/coverage.h"
#include "view/export/export.h"
#include "view/text.h"

static void write_function(struct rarog_json *json, const struct rarog_covered_function *function)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", function->at.name);
	rarog_json_string(json, "demangled_name", function->at.title);
	rarog_json_uint(json, "start_line", function->at.line);
	rarog_json_uint(json, "start_column", 0); /* not known */
	rarog_json_uint(json, "end_line", function->last_line);
	rarog_json_uint(json, "end_column", 0);
	rarog_json_uint(json, "blocks", function->blocks);
	rarog_json_uint(json, "blocks_executed", function->blocks_executed);
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

/* A block's first line stands with it, its others in the tally. Of code that was inlined blocks
 * have no numbers of their own. */
static void write_blocks(struct rarog_json *json, const struct rarog_tally *tally,
			 const struct rarog_covered_line *line)
{
	uint32_t first = line->function->first, end = first + line->function->n;
	size_t i = first_line(tally, first);

	rarog_json_array(json, "block_ids");
	for (uint32_t block = first; !line->is_elsewhere && block < end; block++) {
		bool is_on = tally->blocks[block].line == line->at.line;

		for (; i < tally->n_lines && tally->lines[i].block <= block; i++)
			is_on |= tally->lines[i].line == line->at.line;
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
	rarog_json_uint(json, "line_number", line->at.line);
	rarog_json_string(json, "function_name", line->at.name);
	rarog_json_uint(json, "count", line->count);
	rarog_json_bool(json, "unexecuted_block", line->has_unexecuted);
	write_blocks(json, &c->tally, line);
	rarog_json_array(json, "calls"); /* which returned is not known */
	rarog_json_end_array(json);
	rarog_json_array(json, "branches");
	for (;
	     *decision < c->decisions.n && rarog_covered_compare(&v[*decision].at, &line->at) == 0;
	     (*decision)++)
		write_branches(json, c, &v[*decision]);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
}

/* @at: moves to the next file. */
static void write_file(struct rarog_json *json, const struct rarog_coverage *c, const char *file,
		       struct rarog_coverage_position *at)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "file", file);
	rarog_json_array(json, "functions");
	for (; at->function < c->functions.n &&
	       strcmp(c->functions.v[at->function].at.file, file) == 0;
	     at->function++)
		write_function(json, &c->functions.v[at->function]);
	rarog_json_end_array(json);
	rarog_json_array(json, "lines");
	for (; at->line < c->lines.n && strcmp(c->lines.v[at->line].at.file, file) == 0; at->line++)
		write_line(json, c, &c->lines.v[at->line], &at->decision);
	rarog_json_end_array(json);
	rarog_json_end_object(json);
	while (at->decision < c->decisions.n &&
	       strcmp(c->decisions.v[at->decision].at.file, file) == 0)
		at->decision++;
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
	const char *file;

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
	while ((file = rarog_coverage_file(&c, &at)))
		write_file(&json, &c, file, &at);
	return rarog_json_finish(&json);
}

const struct rarog_export_format rarog_export_gcov = {
	.name = "gcov",
	.summary = "coverage as gcov --json-format writes it",
	.use = RAROG_EXPORT_OF_BLOCKS,
	.write = gcov_write,
};
