/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions stand in the order of the linked file, their blocks and edges in a row in the
 * order of the functions; a block's number is the one in its function. What can be computed from
 * counts (sums, shares) the page computes itself.
 */
#include "view/html/blocks-data.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "blocks/trips.h"
#include "view/coverage.h"
#include "view/html/block-origins.h"
#include "view/html/block-paths.h"
#include "view/html/columns.h"
#include "view/html/head.h"
#include "view/html/ir.h"
#include "view/html/models.h"
#include "view/html/sources.h"

struct data {
	struct rarog_coverage coverage;
	struct rarog_html_texts files;
	struct rarog_json *json;
};

static void data_release(struct data *data)
{
	rarog_coverage_release(&data->coverage);
	rarog_html_texts_release(&data->files);
}

static const struct rarog_location *location(const struct data *data, size_t function)
{
	return rarog_coverage_location(&data->coverage, &data->coverage.tally.functions[function]);
}

static int write_files(struct data *data)
{
	long r = 0;

	for (size_t i = 0; r >= -1 && i < data->coverage.tally.n; i++)
		r = rarog_html_texts_index(&data->files, location(data, i)->file);
	if (r >= -1)
		r = rarog_html_origins_add_files(&data->coverage.tally, &data->files);
	for (size_t i = 0; r >= -1 && i < data->coverage.lines.n; i++)
		r = rarog_html_texts_index(&data->files, data->coverage.lines.v[i].at.file);
	if (r < -1)
		return (int)r;
	RAROG_COLUMN(data->json, "files", data->files.n, i,
		     rarog_json_string(data->json, NULL, data->files.v[i]));
	return 0;
}

static void write_binary(const struct data *data, struct rarog_json *json, uint32_t binary)
{
	rarog_html_index(json, binary < data->coverage.run.n_binaries ? binary : RAROG_NONE);
}

static void write_functions(struct data *data)
{
	const struct rarog_tally_function *v = data->coverage.tally.functions;
	size_t n = data->coverage.tally.n;
	struct rarog_json *json = data->json;

	rarog_json_object(json, "functions");
	RAROG_COLUMN(json, "name", n, i,
		     rarog_json_string(json, NULL,
				       location(data, i)->name ? location(data, i)->name : "?"));
	RAROG_COLUMN(json, "demangled", n, i,
		     rarog_json_string(json, NULL, location(data, i)->demangled));
	RAROG_COLUMN(json, "binary", n, i, write_binary(data, json, location(data, i)->binary));
	RAROG_COLUMN(json, "file", n, i,
		     rarog_json_int(json, NULL,
				    rarog_html_texts_index(&data->files, location(data, i)->file)));
	RAROG_COLUMN(json, "line", n, i, rarog_json_uint(json, NULL, location(data, i)->line));
	RAROG_COLUMN(json, "calls", n, i, rarog_json_uint(json, NULL, v[i].calls));
	RAROG_COLUMN(json, "blocks", n, i, rarog_json_uint(json, NULL, v[i].n));
	RAROG_COLUMN(json, "edges", n, i, rarog_json_uint(json, NULL, v[i].n_edges));
	rarog_json_end_object(json);
}

/* How many further lines each block has. */
static int write_line_numbers(struct data *data)
{
	const struct rarog_tally *tally = &data->coverage.tally;
	rarog_cleanup(rarog_freep) uint32_t *numbers =
		calloc(tally->n_blocks + 1, sizeof(*numbers));

	if (!numbers)
		return rarog_oom();
	for (size_t i = 0; i < tally->n_lines; i++)
		numbers[tally->lines[i].block]++;
	RAROG_COLUMN(data->json, "lines", tally->n_blocks, i,
		     rarog_json_uint(data->json, NULL, numbers[i]));
	return 0;
}

static uint64_t ticks_of(const struct rarog_tally *tally, uint32_t block, bool is_most)
{
	const struct rarog_block_time *time = rarog_tally_time(tally, block);

	return !time ? 0 : is_most ? time->max : time->sum;
}

/* Estimated, each execution takes between least and most, with 95 %. */
static void write_times(struct data *data)
{
	const struct rarog_tally *tally = &data->coverage.tally;

	if (tally->n_times == 0)
		return;
	rarog_json_bool(data->json, "estimated", tally->times->is_estimated);
	RAROG_COLUMN(data->json, "ticks", tally->n_blocks, i,
		     rarog_json_uint(data->json, NULL, ticks_of(tally, (uint32_t)i, false)));
	RAROG_COLUMN(data->json, "most", tally->n_blocks, i,
		     rarog_json_uint(data->json, NULL, ticks_of(tally, (uint32_t)i, true)));
}

static int write_blocks(struct data *data)
{
	const struct rarog_tally *tally = &data->coverage.tally;
	const struct rarog_block_count *v = tally->blocks;
	struct rarog_json *json = data->json;
	int r;

	rarog_json_object(json, "blocks");
	RAROG_COLUMN(json, "count", tally->n_blocks, i, rarog_json_uint(json, NULL, v[i].count));
	RAROG_COLUMN(json, "instructions", tally->n_blocks, i,
		     rarog_json_uint(json, NULL, v[i].instructions));
	RAROG_COLUMN(json, "line", tally->n_blocks, i, rarog_json_uint(json, NULL, v[i].line));
	RAROG_COLUMN(json, "column", tally->n_blocks, i, rarog_json_uint(json, NULL, v[i].column));
	write_times(data);
	r = write_line_numbers(data);
	rarog_json_end_object(json);
	RAROG_COLUMN(json, "lines", tally->n_lines, i,
		     rarog_json_uint(json, NULL, tally->lines[i].line));
	return r;
}

static void write_edge_count(struct rarog_json *json, const struct rarog_edge_count *edge)
{
	if (edge->is_unknown)
		rarog_json_null(json, NULL);
	else
		rarog_json_uint(json, NULL, edge->count);
}

/* Ends are numbers in their function. */
static void write_ends(struct data *data, const char *key, bool is_target)
{
	const struct rarog_tally *tally = &data->coverage.tally;

	rarog_json_array(data->json, key);
	for (size_t i = 0; i < tally->n; i++) {
		const struct rarog_tally_function *function = &tally->functions[i];
		const struct rarog_edge_count *edges = tally->edges + function->first_edge;

		for (uint32_t k = 0; k < function->n_edges; k++)
			rarog_json_uint(data->json, NULL,
					(is_target ? edges[k].to : edges[k].from) -
						function->first);
	}
	rarog_json_end_array(data->json);
}

static void write_edges(struct data *data)
{
	const struct rarog_tally *tally = &data->coverage.tally;

	rarog_json_object(data->json, "edges");
	write_ends(data, "from", false);
	write_ends(data, "to", true);
	RAROG_COLUMN(data->json, "count", tally->n_edges, i,
		     write_edge_count(data->json, &tally->edges[i]));
	rarog_json_end_object(data->json);
}

static void write_covered(struct data *data)
{
	const struct rarog_coverage *c = &data->coverage;
	struct rarog_json *json = data->json;

	rarog_json_object(json, "covered");
	RAROG_COLUMN(json, "function", c->lines.n, i,
		     rarog_json_int(json, NULL, c->lines.v[i].function - c->tally.functions));
	RAROG_COLUMN(json, "file", c->lines.n, i,
		     rarog_json_int(json, NULL,
				    rarog_html_texts_index(&data->files, c->lines.v[i].at.file)));
	RAROG_COLUMN(json, "line", c->lines.n, i,
		     rarog_json_uint(json, NULL, c->lines.v[i].at.line));
	RAROG_COLUMN(json, "count", c->lines.n, i,
		     rarog_json_uint(json, NULL, c->lines.v[i].count));
	RAROG_COLUMN(json, "partly", c->lines.n, i,
		     rarog_json_uint(json, NULL, c->lines.v[i].has_unexecuted));
	rarog_json_end_object(json);
}

/* By file, in the order of "files". */
static int write_branches(struct data *data)
{
	rarog_cleanup(rarog_freep) struct rarog_covered_sums *sums =
		calloc(data->files.n + 1, sizeof(*sums));
	struct rarog_coverage_position at = { 0 };
	struct rarog_covered_sums file;
	const char *name;

	if (!sums)
		return rarog_oom();
	while ((name = rarog_coverage_next_file(&data->coverage, &at, NULL, NULL, &file)))
		sums[rarog_html_texts_index(&data->files, name)] = file;
	rarog_json_object(data->json, "branches");
	RAROG_COLUMN(data->json, "all", data->files.n, i,
		     rarog_json_uint(data->json, NULL, sums[i].branches));
	RAROG_COLUMN(data->json, "taken", data->files.n, i,
		     rarog_json_uint(data->json, NULL, sums[i].branches_taken));
	rarog_json_end_object(data->json);
	return 0;
}

/* --- loops: records, which are few --- */

/* "bars": entries of 1 round, then of 2 and 3, of 4 to 7, … */
static void write_trips(struct rarog_json *json, const struct rarog_tally *tally, size_t function,
			const struct rarog_loop *loop)
{
	const struct rarog_tally_function *of = &tally->functions[function];
	const struct rarog_trips *trips = rarog_trips_of(tally, of, loop);
	const struct rarog_trip_bucket *buckets;
	uint64_t least, most;
	uint32_t at = 0;
	size_t n;

	if (rarog_trips_extent(tally, of, loop, &least, &most)) {
		rarog_json_uint(json, "least", least);
		rarog_json_uint(json, "most", most);
	} else {
		rarog_json_null(json, "least");
		rarog_json_null(json, "most");
	}
	if (!trips)
		return;
	rarog_json_uint(json, "ended", trips->entries);
	rarog_json_array(json, "bars");
	n = rarog_trips_buckets(tally, trips, &buckets);
	for (size_t i = 0; i < n; i++) {
		for (; at < buckets[i].log2; at++)
			rarog_json_uint(json, NULL, 0);
		rarog_json_uint(json, NULL, buckets[i].entries);
		at++;
	}
	rarog_json_end_array(json);
}

static void write_loop(struct rarog_json *json, const struct rarog_tally *tally, size_t function,
		       const struct rarog_loop *loop)
{
	uint32_t copies =
		rarog_tally_copies(tally, tally->functions[function].first + loop->header);

	rarog_json_object(json, NULL);
	rarog_json_uint(json, "function", function);
	rarog_json_uint(json, "header", loop->header);
	rarog_html_index_member(json, "parent", loop->parent);
	rarog_json_uint(json, "depth", loop->depth);
	rarog_json_uint(json, "blocks", loop->n_blocks);
	rarog_json_uint(json, "line", loop->file ? 0 : loop->line); /* of the function's file */
	rarog_json_bool(json, "irreducible", loop->is_irreducible);
	if (copies > 0)
		rarog_json_uint(json, "unrolled", copies);
	if (loop->is_known)
		rarog_json_uint(json, "entries", loop->entries);
	else
		rarog_json_null(json, "entries");
	rarog_json_uint(json, "iterations", loop->iterations);
	write_trips(json, tally, function, loop);
	rarog_json_uint(json, "instructions", loop->instructions);
	rarog_json_uint(json, "own", loop->own);
	rarog_json_end_object(json);
}

static int write_loops(struct data *data, bool are_blocks)
{
	const struct rarog_tally *tally = &data->coverage.tally;
	struct rarog_json *json = data->json;
	int r = 0;

	rarog_json_array(json, are_blocks ? "innermost" : "loops");
	for (size_t i = 0; r == 0 && i < tally->n; i++) {
		rarog_cleanup(rarog_loops_release) struct rarog_loops loops = { 0 };

		r = rarog_loops_find(tally, &tally->functions[i], &loops);
		for (size_t k = 0; r == 0 && !are_blocks && k < loops.list.n; k++)
			write_loop(json, tally, i, &loops.list.v[k]);
		for (size_t k = 0; r == 0 && are_blocks && k < tally->functions[i].n; k++)
			rarog_html_index(json, loops.innermost[k]);
	}
	rarog_json_end_array(json);
	return r;
}

static int write_sources(struct data *data, const struct rarog_report_options *options)
{
	rarog_cleanup(rarog_source_origin_release) struct rarog_source_origin origin = { 0 };
	int r = rarog_source_origin_init(&origin, data->coverage.run.profile, options->vcs);

	return r < 0 ? r
		     : rarog_html_sources_write(
			       &data->files, options->without_sources ? NULL : &origin, data->json);
}

static int write_members(struct data *data, const struct rarog_report_options *options)
{
	int r = rarog_html_head_write(&data->coverage.run, options, data->json);

	if (r == 0)
		r = write_files(data);
	if (r == 0)
		r = write_sources(data, options);
	if (r < 0)
		return r;
	write_functions(data);
	write_edges(data);
	write_covered(data);
	r = write_blocks(data);
	if (r == 0)
		r = write_branches(data);
	if (r == 0)
		r = rarog_html_origins_write(&data->coverage.tally, &data->files, data->json);
	if (r == 0)
		r = rarog_html_paths_write(data->coverage.run.profile, &data->coverage.tally,
					   data->json);
	if (r == 0)
		r = rarog_html_ir_write(&data->coverage, !options->without_sources, data->json);
	if (r == 0)
		r = write_loops(data, false);
	return r < 0 ? r : write_loops(data, true);
}

static int write_all(struct rarog_profile *profile, const struct rarog_report_options *options,
		     const char *key, struct data *data)
{
	int r = rarog_coverage_read(profile, &data->coverage);

	if (r < 0)
		return r;
	rarog_json_object(data->json, key);
	r = write_members(data, options);
	if (r == 0 && !key)
		r = rarog_html_models_write(&data->coverage.run, &data->coverage.tally, options,
					    data->json);
	rarog_json_end_object(data->json);
	return r;
}

int rarog_blocks_data_add(struct rarog_profile *profile, const struct rarog_report_options *options,
			  struct rarog_json *json)
{
	rarog_cleanup(data_release) struct data data = { .json = json };

	return write_all(profile, options, "blocks", &data);
}

int rarog_blocks_data_write(struct rarog_profile *profile,
			    const struct rarog_report_options *options, FILE *out)
{
	struct rarog_json json;
	rarog_cleanup(data_release) struct data data = { .json = &json };

	rarog_json_start(&json, out, false);
	int r = write_all(profile, options, NULL, &data);

	return r < 0 ? r : rarog_json_finish(&json);
}
