/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions stand in the order of the linked file, so that the same binary gives the same rows.
 * What the records do not have (address, full path of the source) comes from the symbols and DWARF;
 * where these are stripped, it is missing.
 */
#include "engine/blocks/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "binary/elf-file.h"
#include "blocks/machine.h"
#include "blocks/map.h"
#include "engine/blocks/inlined.h"
#include "engine/blocks/paths.h"
#include "engine/blocks/stale.h"
#include "engine/blocks/symbols.h"
#include "engine/blocks/trips.h"

struct image {
	struct rarog_profile_writer *writer;
	const struct rarog_harvest_image *counted;
	struct rarog_image_totals *totals;
	struct rarog_binary *binary;
	struct rarog_map *map;
	struct rarog_native *machine;
	struct rarog_block_symbols symbols;
	bool was_left;        /* calls ended otherwise than by returning */
	uint32_t number;      /* in the table of binaries */
	uint32_t first_block; /* row of the next function's first block */
	struct rarog_stale_sources stale;
	const char *file; /* of the function whose location was added last */
};

bool rarog_block_image_is_lost(int r)
{
	return r == -ENOENT || r == -EACCES || r == -ESTALE || r == -ENODATA || r == -EINVAL ||
	       r == -ENOTSUP || r == -ENOEXEC;
}

/* --- one function --- */

static int add_location(struct image *image, const struct rarog_block_record *record,
			const struct rarog_function *function)
{
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(record->name);
	struct rarog_location location = {
		.binary = image->number,
		.name = record->name,
		.demangled = demangled,
		.file = *record->file ? record->file : NULL,
		.line = record->line,
	};
	const char *path;

	if (function) {
		location.address = function->address;
		location.size = function->size;
	}
	path = rarog_binary_source_named(image->binary, location.address, record->file);
	location.file = path ? path : location.file;
	image->file = location.file;
	return (int)rarog_profile_add_location(image->writer, &location);
}

static int add_summary(struct image *image, uint32_t location, uint64_t calls)
{
	struct rarog_summary summary = { .location = location,
					 .strand = RAROG_NONE,
					 .count = calls };

	return calls == 0 ? 0 : rarog_profile_add_summaries(image->writer, 1, &summary);
}

/* A program that was killed between two counters says of some blocks that they ran -1 times. */
static uint64_t at_least_zero(int64_t count)
{
	return count < 0 ? 0 : (uint64_t)count;
}

static int add_blocks(struct image *image, const struct rarog_block_record *record,
		      uint32_t location, const struct rarog_flow_count *counts)
{
	struct rarog_block_totals *totals = &image->totals->counted;
	bool has_run = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < record->flow.n_blocks; i++) {
		const struct rarog_record_block *block = &record->blocks[i];
		struct rarog_block_count row = {
			.location = location,
			.line = block->line,
			.column = block->column,
			.instructions = block->instructions,
			.count = at_least_zero(counts[i].count),
		};

		totals->below_zero += counts[i].count < 0;
		rarog_block_totals_add(totals, row.count, row.instructions);
		has_run |= row.count > 0;
		r = rarog_profile_add_blocks(image->writer, 1, &row);
	}
	totals->functions++;
	totals->called += has_run;
	totals->calls += at_least_zero(counts[0].count);
	return r;
}

static int add_block_lines(struct image *image, const struct rarog_block_record *record)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < record->flow.n_blocks; i++) {
		const struct rarog_record_block *block = &record->blocks[i];

		for (uint32_t k = 0; r == 0 && k < block->n_lines; k++) {
			const struct rarog_block_line row = {
				.block = image->first_block + i,
				.line = record->lines[block->first_line + k],
			};

			r = rarog_profile_add_block_lines(image->writer, 1, &row);
		}
	}
	return r;
}

static int add_edges(struct image *image, const struct rarog_block_record *record,
		     const struct rarog_flow_count *counts)
{
	const struct rarog_flow *flow = &record->flow;
	int r = 0;

	for (size_t i = flow->n_blocks + 1; r == 0 && i < flow->n_edges; i++) {
		const struct rarog_flow_edge *edge = &flow->edges[i];
		struct rarog_edge_count row = {
			.from = image->first_block + (edge->from - RAROG_FLOW_OUT(0)) / 2,
			.to = image->first_block + (edge->to - RAROG_FLOW_IN(0)) / 2,
			.count = counts[i].is_known ? at_least_zero(counts[i].count) : 0,
			.is_unknown = !counts[i].is_known,
		};

		if (edge->to != RAROG_FLOW_OUTSIDE)
			r = rarog_profile_add_edges(image->writer, 1, &row);
	}
	return r;
}

/* --- machine code --- */

/* Did a call of the function end otherwise than by returning? Ends with a return hide such calls
 * of the same block; a thread that did not come back left other functions, too. */
static bool was_left(const struct rarog_block_record *record, const struct rarog_flow_count *counts)
{
	const struct rarog_flow *flow = &record->flow;

	for (size_t i = 0; i < flow->n_blocks; i++)
		if (record->blocks[i].flags & RAROG_RECORD_IS_PAD && counts[i].count != 0)
			return true;
	for (size_t i = flow->n_blocks + 1; i < flow->n_edges; i++) {
		uint32_t from = (flow->edges[i].from - RAROG_FLOW_OUT(0)) / 2;

		if (flow->edges[i].to == RAROG_FLOW_OUTSIDE &&
		    !(record->blocks[from].flags & RAROG_RECORD_RETURNS) &&
		    (!counts[i].is_known || counts[i].count != 0))
			return true;
	}
	return false;
}

/* Those that called it did not get on. Nothing of the program called main. */
static bool was_left_below(const struct rarog_block_record *record,
			   const struct rarog_flow_count *counts)
{
	const struct rarog_flow *flow = &record->flow;
	bool is_first = strcmp(record->name, "main") == 0;

	for (size_t i = 0; i < flow->n_blocks; i++)
		if (record->blocks[i].flags & RAROG_RECORD_IS_PAD && counts[i].count > 0)
			return true;
	for (size_t i = flow->n_blocks + 1; !is_first && i < flow->n_edges; i++) {
		uint32_t from = (flow->edges[i].from - RAROG_FLOW_OUT(0)) / 2;

		if (flow->edges[i].to == RAROG_FLOW_OUTSIDE && counts[i].is_known &&
		    !(record->blocks[from].flags & RAROG_RECORD_RETURNS) && counts[i].count > 0)
			return true;
	}
	return false;
}

/* Optimised code is not divided after calls: the rest counts as run. */
static void look_for_rests(struct rarog_image_totals *totals,
			   const struct rarog_block_record *record,
			   const struct rarog_flow_count *counts)
{
	totals->was_left |= was_left_below(record, counts);
	for (size_t i = 0; i < record->flow.n_blocks; i++)
		totals->may_stop |=
			record->blocks[i].flags & RAROG_RECORD_STOPS && counts[i].count > 0;
}

static void add_machine_totals(struct rarog_image_totals *totals,
			       const struct rarog_native_blocks *blocks)
{
	bool is_known = true;

	for (size_t i = 0; i < blocks->list.n; i++) {
		const struct rarog_native_block *block = &blocks->list.v[i];
		uint64_t most;

		is_known &= block->least == block->most;
		totals->machine_least += block->least * block->instructions;
		totals->machine_counting += block->least * block->counting;
		if (__builtin_mul_overflow(block->most, block->instructions, &most) ||
		    __builtin_add_overflow(totals->machine_most, most, &totals->machine_most))
			totals->machine_most = UINT64_MAX;
	}
	totals->machine_functions++;
	totals->machine_known += is_known;
}

static int add_machine_blocks(struct image *image, uint32_t location,
			      const struct rarog_native_blocks *blocks)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < blocks->list.n; i++) {
		const struct rarog_native_block *block = &blocks->list.v[i];
		struct rarog_machine_count row = {
			.location = location,
			.address = block->address,
			.size = block->size,
			.instructions = block->instructions,
			.counting = block->counting,
			.frame = RAROG_NONE,
			.least = block->least,
			.most = block->most,
		};
		struct rarog_source source;

		if (rarog_binary_source(image->binary, block->address, &source) == 0) {
			row.file = source.file;
			row.line = (uint32_t)source.line;
			row.column = (uint32_t)source.column;
		}
		r = rarog_profile_add_machine(image->writer, 1, &row);
	}
	return r;
}

static int add_machine(struct image *image, uint32_t location, uint64_t address)
{
	rarog_cleanup(rarog_native_blocks_release) struct rarog_native_blocks blocks = { 0 };
	int r = rarog_native_solve(image->machine, address, image->counted->values, &blocks);

	if (r < 0 || blocks.list.n == 0)
		return r;
	add_machine_totals(image->totals, &blocks);
	return add_machine_blocks(image, location, &blocks);
}

/* --- a function, whole --- */

static const uint64_t *counters_of(const struct image *image,
				   const struct rarog_block_record *record)
{
	return image->counted->values + (record->counters - image->map->counters) / 8;
}

static int solve(const struct image *image, const struct rarog_block_record *record,
		 struct rarog_flow_count **ret_counts)
{
	struct rarog_flow_count *counts = calloc(record->flow.n_edges, sizeof(*counts));
	int r = counts ? rarog_flow_solve(&record->flow, counters_of(image, record), counts)
		       : rarog_oom();

	if (r < 0)
		free(counts);
	else
		*ret_counts = counts;
	return r;
}

/* --rarog-threads=relaxed; a process with one thread loses nothing. */
static bool is_relaxed(const struct image *image, const struct rarog_block_record *record)
{
	const uint64_t *counters = counters_of(image, record);

	for (uint32_t i = 0; record->threads == RAROG_BLOCKS_RELAXED && i < record->n_counters; i++)
		if (counters[i] != 0)
			return true;
	return false;
}

static int add_function(struct image *image, const struct rarog_block_record *record)
{
	rarog_cleanup(rarog_freep) struct rarog_flow_count *counts = NULL;
	const struct rarog_function *function = rarog_block_symbols_find(&image->symbols, record);
	int location, r = solve(image, record, &counts);

	if (r < 0)
		return r;
	location = add_location(image, record, function);
	if (location < 0)
		return location;
	r = add_blocks(image, record, (uint32_t)location, counts);
	if (r == 0)
		r = add_edges(image, record, counts);
	if (r == 0)
		r = add_block_lines(image, record);
	if (r == 0)
		r = rarog_stale_sources_look(&image->stale, image->file);
	if (r == 0)
		r = rarog_block_inlined_write(image->writer, record, image->first_block,
					      image->binary, function);
	if (r == 0)
		r = rarog_block_trips_write(image->writer, record, image->first_block,
					    counters_of(image, record));
	if (r == 0)
		r = rarog_block_paths_write(image->writer, record, image->first_block,
					    counters_of(image, record));
	if (r == 0)
		r = add_summary(image, (uint32_t)location, at_least_zero(counts[0].count));
	image->first_block += (uint32_t)record->flow.n_blocks;
	look_for_rests(image->totals, record, counts);
	image->totals->relaxed += is_relaxed(image, record);
	if (r == 0 && function && counts[0].count > 0)
		r = add_machine(image, (uint32_t)location, function->address);
	return r;
}

/* --- the whole --- */

static int check_same(const struct image *image)
{
	const struct rarog_harvest_image *counted = image->counted;

	if (*counted->build_id &&
	    strcmp(counted->build_id, rarog_binary_build_id(image->binary)) != 0)
		return rarog_fail(-ESTALE,
				  "%s: was built anew since it was started (its build-id is "
				  "another); run it again",
				  counted->path);
	if (image->map->counters != counted->address || image->map->n_counters > counted->n)
		return rarog_fail(-ESTALE, "%s: is not the file that was run", counted->path);
	return 0;
}

static int read_map(struct image *image)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	int r = rarog_elf_open(image->counted->path, RAROG_ELF_PROGRAM, &elf);

	if (r == 0)
		r = rarog_map_read(elf, &image->map);
	return r;
}

static int add_binary(struct image *image)
{
	const struct rarog_profile_binary row = { .path = image->counted->path,
						  .build_id = image->counted->build_id };
	long number = rarog_profile_add_binary(image->writer, &row);

	image->number = (uint32_t)number;
	return number < 0 ? (int)number : 0;
}

static int look_for_leaving(struct image *image, const struct rarog_block_record *record)
{
	rarog_cleanup(rarog_freep) struct rarog_flow_count *counts = NULL;
	int r = image->was_left ? 0 : solve(image, record, &counts);

	image->was_left |= r == 0 && counts && was_left(record, counts);
	return r;
}

static int write_all(struct image *image, struct rarog_software *software)
{
	int r = rarog_software_add_program(software, image->binary);

	if (r == 0)
		r = add_binary(image);
	for (size_t i = 0; r == 0 && i < image->map->n_functions; i++)
		r = look_for_leaving(image, &image->map->functions[i]);
	if (r == 0)
		r = rarog_native_new(image->binary, image->map, image->was_left, &image->machine);
	for (size_t i = 0; r == 0 && i < image->map->n_functions; i++)
		r = add_function(image, &image->map->functions[i]);
	if (r == 0)
		r = rarog_stale_sources_write(&image->stale, image->writer);
	image->totals->without += rarog_block_symbols_without(&image->symbols);
	return r;
}

static int open_binary(const char *path, struct rarog_binary **ret_binary)
{
	if (*path)
		return rarog_binary_open(path, ret_binary);
	return rarog_fail(-ENOENT, "a program or library that counted had no /proc, which tells it "
				   "where it lies");
}

int rarog_block_image_write(struct rarog_profile_writer *writer,
			    const struct rarog_harvest_image *counted,
			    struct rarog_software *software, struct rarog_image_totals *totals)
{
	struct image image = { .writer = writer,
			       .counted = counted,
			       .totals = totals,
			       .first_block = (uint32_t)totals->counted.blocks };
	int r = open_binary(counted->path, &image.binary);

	rarog_stale_sources_begin(counted->path, &image.stale);
	if (r == 0)
		r = read_map(&image);
	if (r == 0)
		r = check_same(&image);
	if (r == 0)
		r = rarog_block_symbols_read(image.binary, image.map, &image.symbols);
	if (r == 0)
		r = write_all(&image, software);
	rarog_stale_sources_release(&image.stale);
	rarog_block_symbols_release(&image.symbols);
	rarog_native_free(image.machine);
	rarog_map_free(image.map);
	rarog_binary_free(image.binary);
	return r;
}
