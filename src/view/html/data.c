/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums are ticks, as the profile has them, so that what the page adds up stays exact; moments are
 * ticks since the start of the run. An index of -1 means none. A function's index is its
 * location's.
 */
#include "view/html/data.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json-writer.h"
#include "binary/binary.h"
#include "blocks/tally.h"
#include "profile/measured.h"
#include "profile/statistics.h"
#include "view/html/arguments.h"
#include "view/html/blocks-data.h"
#include "view/html/columns.h"
#include "view/html/edges.h"
#include "view/html/experiments.h"
#include "view/html/features.h"
#include "view/html/head.h"
#include "view/html/inlined.h"
#include "view/html/models.h"
#include "view/html/tallies.h"
#include "view/html/texts.h"
#include "view/html/thread-tree.h"
#include "view/html/timeline.h"

struct data {
	const struct rarog_run *run;
	const struct rarog_call_tree *tree;
	struct rarog_json json;
	struct rarog_summary *tallies;
	bool *unknown;       /* by location: its exclusive time is not known */
	bool *total_unknown; /* … nor its total … */
	bool *total_unsure;  /* … since what was recorded of it says too little */
	struct rarog_off_cpu_table off_cpu;
	struct rarog_html_texts files;
	struct rarog_inlined_list inlined;
};

static void data_release(struct data *data)
{
	free(data->tallies);
	free(data->unknown);
	free(data->total_unknown);
	free(data->total_unsure);
	rarog_off_cpu_table_release(&data->off_cpu);
	rarog_html_texts_release(&data->files);
	rarog_inlined_release(&data->inlined);
}

/* File names come first, so that functions and inlined places can name them by index. */
static int write_files(struct data *data)
{
	const struct rarog_location *locations = data->run->locations;
	long r = 0;

	for (size_t i = 0; r >= -1 && i < data->run->n_locations; i++)
		r = rarog_html_texts_index(&data->files, locations[i].file);
	for (size_t i = 0; r >= -1 && i < data->inlined.n; i++)
		r = rarog_html_texts_index(&data->files, data->inlined.v[i].file);
	if (r < -1)
		return (int)r;
	RAROG_COLUMN(&data->json, "files", data->files.n, i,
		     rarog_json_string(&data->json, NULL, data->files.v[i]));
	return 0;
}

static const struct {
	const char *key;
	size_t offset; /* of a uint64_t in struct rarog_summary */
} sums[] = {
	{ "count", offsetof(struct rarog_summary, count) },
	{ "timed", offsetof(struct rarog_summary, timed) },
	{ "sum", offsetof(struct rarog_summary, sum) },
	{ "min", offsetof(struct rarog_summary, min) },
	{ "max", offsetof(struct rarog_summary, max) },
	{ "open", offsetof(struct rarog_summary, open) },
	{ "unwound", offsetof(struct rarog_summary, unwound) },
};

static uint64_t member(const void *row, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)row + offset, sizeof(value));
	return value;
}

static const struct {
	const char *key;
	size_t offset; /* of a uint64_t in struct rarog_off_cpu */
} aways[] = {
	{ "waited", offsetof(struct rarog_off_cpu, waited) },
	{ "preempted", offsetof(struct rarog_off_cpu, preempted) },
	{ "total_waited", offsetof(struct rarog_off_cpu, total_waited) },
	{ "total_preempted", offsetof(struct rarog_off_cpu, total_preempted) },
};

static void write_off_cpu_ticks(struct rarog_json *json, const struct rarog_off_cpu *off_cpu,
				size_t offset)
{
	if (off_cpu->is_unknown)
		rarog_json_null(json, NULL);
	else
		rarog_json_uint(json, NULL, member(off_cpu, offset));
}

/* null: CPU time was not measured; so is what is not known of a function. */
static void write_off_cpu(struct data *data)
{
	struct rarog_json *json = &data->json;

	if (!data->off_cpu.is_known) {
		rarog_json_null(json, "away");
		return;
	}
	rarog_json_object(json, "away");
	for (size_t k = 0; k < RAROG_COUNT(aways); k++)
		RAROG_COLUMN(json, aways[k].key, data->off_cpu.n_locations, i,
			     write_off_cpu_ticks(json, &data->off_cpu.over[i], aways[k].offset));
	rarog_json_end_object(json);
}

/* null: not known */
static void write_ticks(struct rarog_json *json, uint64_t ticks, bool is_unknown)
{
	if (is_unknown)
		rarog_json_null(json, NULL);
	else
		rarog_json_uint(json, NULL, ticks);
}

static void write_functions(struct data *data)
{
	const struct rarog_location *v = data->run->locations;
	const struct rarog_summary *tallies = data->tallies;
	size_t n = data->run->n_locations;
	struct rarog_json *json = &data->json;

	rarog_json_object(json, "functions");
	RAROG_COLUMN(json, "name", n, i,
		     rarog_json_string(json, NULL, v[i].name ? v[i].name : "?"));
	RAROG_COLUMN(json, "demangled", n, i, rarog_json_string(json, NULL, v[i].demangled));
	RAROG_COLUMN(json, "binary", n, i,
		     rarog_html_index(json, v[i].binary < data->run->n_binaries ? v[i].binary
										: RAROG_NONE));
	RAROG_COLUMN(json, "file", n, i,
		     rarog_json_int(json, NULL, rarog_html_texts_index(&data->files, v[i].file)));
	RAROG_COLUMN(json, "line", n, i, rarog_json_uint(json, NULL, v[i].line));
	for (size_t k = 0; k < RAROG_COUNT(sums); k++)
		RAROG_COLUMN(json, sums[k].key, n, i,
			     rarog_json_uint(json, NULL, member(&tallies[i], sums[k].offset)));
	RAROG_COLUMN(json, "total", n, i,
		     write_ticks(json, tallies[i].total, data->total_unknown[i]));
	RAROG_COLUMN(json, "exclusive", n, i,
		     write_ticks(json, tallies[i].exclusive, data->unknown[i]));
	write_off_cpu(data);
	RAROG_COLUMN(json, "p50", n, i,
		     rarog_json_uint(json, NULL, rarog_summary_quantile(&tallies[i], 0.5)));
	RAROG_COLUMN(json, "p99", n, i,
		     rarog_json_uint(json, NULL, rarog_summary_quantile(&tallies[i], 0.99)));
	RAROG_COLUMN(json, "deviation", n, i,
		     rarog_json_double(json, NULL, round(rarog_summary_deviation(&tallies[i]))));
	rarog_json_end_object(json);
}

/* Four buckets are one bar of the page. Returns the number of bars; writes nothing for @key NULL.
 */
enum bucket_column { BUCKET_COUNT_ONLY, BUCKET_STEP, BUCKET_CALLS };

static size_t write_buckets(struct rarog_json *json, const struct rarog_summary *summary,
			    enum bucket_column column)
{
	uint32_t last = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < summary->n_buckets; n++) {
		uint32_t bucket = summary->buckets[i].bucket >> 2;
		uint64_t count = 0;

		for (; i < summary->n_buckets && summary->buckets[i].bucket >> 2 == bucket; i++)
			count += summary->buckets[i].count;
		if (column == BUCKET_STEP)
			rarog_json_uint(json, NULL, bucket - last);
		else if (column == BUCKET_CALLS)
			rarog_json_uint(json, NULL, count);
		last = bucket;
	}
	return n;
}

static void write_histograms(struct data *data)
{
	const struct rarog_summary *v = data->tallies;
	size_t n = data->run->n_locations;
	struct rarog_json *json = &data->json;

	rarog_json_object(json, "histograms");
	RAROG_COLUMN(json, "n", n, i,
		     rarog_json_uint(json, NULL, write_buckets(json, &v[i], BUCKET_COUNT_ONLY)));
	RAROG_COLUMN(json, "bar", n, i, write_buckets(json, &v[i], BUCKET_STEP));
	RAROG_COLUMN(json, "count", n, i, write_buckets(json, &v[i], BUCKET_CALLS));
	rarog_json_end_object(json);
}

static void write_demangled(struct rarog_json *json, const char *name)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(name);

	rarog_json_string(json, NULL, demangled);
}

static void write_inlined(struct data *data)
{
	const struct rarog_inlined_into *v = data->inlined.v;
	size_t n = data->inlined.n;
	struct rarog_json *json = &data->json;

	rarog_json_object(json, "inlined");
	RAROG_COLUMN(json, "name", n, i, rarog_json_string(json, NULL, v[i].name));
	RAROG_COLUMN(json, "demangled", n, i, write_demangled(json, v[i].name));
	RAROG_COLUMN(json, "host", n, i, rarog_json_uint(json, NULL, v[i].host));
	RAROG_COLUMN(json, "file", n, i,
		     rarog_json_int(json, NULL, rarog_html_texts_index(&data->files, v[i].file)));
	RAROG_COLUMN(json, "line", n, i, rarog_json_uint(json, NULL, v[i].line));
	rarog_json_end_object(json);
	rarog_json_uint(json, "inlined_left_out", data->inlined.left_out);
}

static int write_edges(struct data *data)
{
	rarog_cleanup(rarog_edges_release) struct rarog_edges edges = { 0 };
	struct rarog_json *json = &data->json;
	int r = rarog_edges_init(&edges, data->tree);

	if (r < 0)
		return r;
	rarog_json_object(json, "edges");
	RAROG_COLUMN(json, "caller", edges.n, i, rarog_html_index(json, edges.v[i].caller));
	RAROG_COLUMN(json, "callee", edges.n, i, rarog_html_index(json, edges.v[i].callee));
	RAROG_COLUMN(json, "count", edges.n, i, rarog_json_uint(json, NULL, edges.v[i].count));
	RAROG_COLUMN(json, "time", edges.n, i, rarog_json_uint(json, NULL, edges.v[i].ticks));
	rarog_json_end_object(json);
	return 0;
}

static int write_frames(struct data *data, size_t max)
{
	rarog_cleanup(rarog_frames_release) struct rarog_frames frames = { 0 };
	struct rarog_json *json = &data->json;
	int r = rarog_frames_init(&frames, data->tree, max);
	size_t n_off_cpu; /* columns are empty where CPU time is not known of everything */

	if (r < 0)
		return r;
	rarog_json_object(json, "tree");
	RAROG_COLUMN(json, "depth", frames.n, i, rarog_json_uint(json, NULL, frames.v[i].depth));
	RAROG_COLUMN(json, "function", frames.n, i,
		     rarog_frames_write_function(json, &frames.v[i]));
	RAROG_COLUMN(json, "count", frames.n, i, rarog_json_uint(json, NULL, frames.v[i].count));
	RAROG_COLUMN(json, "self", frames.n, i, rarog_json_uint(json, NULL, frames.v[i].self));
	n_off_cpu = data->tree->off_cpu ? frames.n : 0;
	RAROG_COLUMN(json, "waited", n_off_cpu, i, rarog_json_uint(json, NULL, frames.v[i].waited));
	RAROG_COLUMN(json, "preempted", n_off_cpu, i,
		     rarog_json_uint(json, NULL, frames.v[i].preempted));
	rarog_frames_write_left_out(json, &frames);
	rarog_json_end_object(json);
	rarog_json_object(json, "left_out");
	rarog_json_uint(json, "contexts", frames.left_out.contexts);
	rarog_json_uint(json, "time", frames.left_out.ticks);
	rarog_json_uint(json, "calls", frames.left_out.calls);
	rarog_json_end_object(json);
	return 0;
}

static void write_kind(struct data *data, const char *key, enum rarog_location_kind kind)
{
	const struct rarog_location *v = data->run->locations;

	rarog_json_array(&data->json, key);
	for (size_t i = 0; i < data->run->n_locations; i++)
		if (v[i].kind == kind)
			rarog_json_uint(&data->json, NULL, i);
	rarog_json_end_array(&data->json);
}

/* What the program's author marked; all else are functions. */
static void write_marks(struct data *data)
{
	rarog_json_object(&data->json, "marks");
	write_kind(data, "regions", RAROG_LOCATION_REGION);
	write_kind(data, "points", RAROG_LOCATION_POINT);
	rarog_json_end_object(&data->json);
}

/* Of which the total is among what is not known for that alone. */
static void write_unsure(struct data *data)
{
	rarog_json_array(&data->json, "unsure");
	for (size_t i = 0; i < data->run->n_locations; i++)
		if (data->total_unsure[i])
			rarog_json_uint(&data->json, NULL, i);
	rarog_json_end_array(&data->json);
}

static int write_members(struct data *data, const struct rarog_report_options *options)
{
	struct rarog_profile *profile = data->run->profile;
	int r = rarog_html_head_write(data->run, options, &data->json);

	if (r == 0)
		r = write_files(data);
	if (r < 0)
		return r;
	rarog_json_bool(&data->json, "whole_program", rarog_run_is_of_program(profile));
	rarog_json_bool(&data->json, "calls_sampled",
			rarog_summaries_are_sampled(data->run->n_locations, data->tallies));
	write_unsure(data);
	write_functions(data);
	write_marks(data);
	write_histograms(data);
	write_inlined(data);
	r = write_edges(data);
	if (r == 0)
		r = write_frames(data, options->max_frames);
	if (r == 0)
		r = rarog_html_thread_tree_write(data->run, options->max_frames, &data->json);
	if (r == 0)
		r = rarog_html_timeline_write(data->run, options, &data->json);
	if (r == 0)
		r = rarog_html_arguments_write(data->run, &data->json);
	if (r == 0)
		r = rarog_html_experiments_write(data->run, &data->json);
	if (r == 0)
		r = rarog_html_features_write(data->run, &data->json);
	if (r == 0)
		r = rarog_html_models_write(data->run, NULL, options, &data->json);
	return r == 0 && rarog_tally_has(profile)
		       ? rarog_blocks_data_add(profile, options, &data->json)
		       : r;
}

int rarog_report_data_write(const struct rarog_run *run, const struct rarog_call_tree *tree,
			    const struct rarog_report_options *options, FILE *out)
{
	rarog_cleanup(data_release) struct data data = { .run = run, .tree = tree };
	int r = rarog_tallies_new(run, &data.tallies);

	if (r == 0)
		r = rarog_exclusive_unknown(run->profile, &data.unknown);
	if (r >= 0)
		r = rarog_total_unknown(run->profile, &data.total_unknown);
	if (r >= 0)
		r = rarog_total_unsure(run->profile, &data.total_unsure);
	if (r >= 0)
		r = rarog_off_cpu_table_load(run->profile, false, &data.off_cpu);
	if (r == 0)
		r = rarog_inlined_init(&data.inlined, run->profile, run->n_locations);
	if (r < 0)
		return r;
	rarog_json_start(&data.json, out, false);
	rarog_json_object(&data.json, NULL);
	r = write_members(&data, options);
	if (r < 0)
		return r;
	return rarog_json_finish(&data.json);
}
