/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part that the compiler has put elsewhere (.cold) belongs to its function, its blocks stand
 * after that one's own; ways between the two are not known. Where the function stays as it is,
 * the part is one of its own. Blocks are rows of machine code, too, which have their addresses.
 */
#include "engine/rewrite/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "blocks/trips-write.h"
#include "engine/rewrite/rounds.h"
#include "engine/rewrite/values.h"
#include "engine/rewrite/ways.h"
#include "engine/unrolled.h"

struct adding {
	struct rarog_profile_writer *writer;
	struct rarog_rewrite_module *module;
	struct rarog_rewrite_totals *totals;
	uint32_t binary, location;
	const char *file; /* of the location; NULL: not known */
};

/* The parts of one function: itself, and what was split off. */
struct part {
	long host;
	size_t number; /* in the module */
	bool is_split; /* off: it may lie before its function, which has the first block */
};

static int by_host(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->is_split != y->is_split)
		return x->is_split ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static int add_location(struct adding *a, size_t host)
{
	const struct rarog_function *functions;
	struct rarog_location location = { .binary = a->binary };
	struct rarog_source source;
	long number;

	rarog_binary_functions(a->module->binary, &functions);
	rarog_cleanup(rarog_freep) char *demangled = rarog_demangle(functions[host].name);

	a->file = NULL;
	location.address = functions[host].address;
	location.size = functions[host].size;
	location.name = functions[host].name;
	location.demangled = demangled;
	if (rarog_binary_source(a->module->binary, location.address, &source) == 0) {
		location.file = source.file;
		location.line = (uint32_t)source.line;
		a->file = source.file;
	}
	number = rarog_profile_add_location(a->writer, &location);
	a->location = (uint32_t)number;
	return number < 0 ? (int)number : 0;
}

/* @address: for the debug log alone */
static uint64_t count_of(struct adding *a, const struct rarog_flow_count *count, uint64_t address)
{
	if (count->count >= 0)
		return (uint64_t)count->count;
	rarog_debug(RAROG_LOG_PROFILE, "%s: count %lld at %#llx", a->module->path,
		    (long long)count->count, (unsigned long long)address);
	a->totals->counted.below_zero++;
	return 0;
}

/* What is inlined from a header, or included, is on no line of the function's file. */
static void find_source(struct adding *a, uint64_t address, struct rarog_block_count *row,
			struct rarog_machine_count *machine)
{
	struct rarog_source source;

	if (rarog_binary_source(a->module->binary, address, &source) < 0)
		return;
	machine->line = (uint32_t)source.line;
	machine->file = source.file;
	if (!source.file || !a->file || strcmp(source.file, a->file) == 0)
		row->line = machine->line;
}

static int add_elsewhere(struct adding *a, const struct rarog_block_count *row,
			 const struct rarog_machine_count *machine)
{
	const struct rarog_block_part part = { .block = a->totals->rows,
					       .frame = RAROG_NONE,
					       .file = machine->file,
					       .line = machine->line,
					       .flags = RAROG_PART_ENDS };

	return row->line == machine->line ? 0 : rarog_profile_add_part(a->writer, &part);
}

/* @n_probes: how often counters, or time stamps, were executed for it */
static int add_block(struct adding *a, const struct rarog_rewrite_shape *shape, size_t i,
		     uint64_t count, uint64_t n_probes)
{
	const struct rarog_rewrite_shape_block *b = &shape->blocks[i];
	uint64_t address = shape->function->address + b->offset;
	struct rarog_block_count row = { .location = a->location,
					 .instructions = b->instructions,
					 .count = count };
	struct rarog_machine_count machine = {
		.location = a->location,
		.address = address,
		.size = b->size,
		.instructions = b->instructions,
		.frame = RAROG_NONE,
		.least = count,
		.most = count,
	};
	struct rarog_block_time time;
	int r;

	find_source(a, address, &row, &machine);
	r = rarog_profile_add_blocks(a->writer, 1, &row);
	if (r == 0)
		r = add_elsewhere(a, &row, &machine);
	if (r == 0)
		r = rarog_profile_add_machine(a->writer, 1, &machine);
	if (r == 0 && rarog_rewrite_times_of(&a->totals->times, a->module, shape, i, count,
					     n_probes, &time)) {
		time.block = a->totals->rows;
		r = rarog_profile_add_block_times(a->writer, 1, &time);
	}
	a->totals->rows++;
	rarog_block_totals_add(&a->totals->counted, count, b->instructions);
	return r;
}

static int add_rows(struct adding *a, const struct rarog_rewrite_shape *shape, uint32_t first,
		    size_t n, const struct rarog_edge_count rows[n])
{
	rarog_cleanup(rarog_freep) struct rarog_code_piece *pieces =
		calloc(shape->n_blocks + 1, sizeof(*pieces));
	const struct rarog_code_of_blocks code = {
		a->module->binary, first, (uint32_t)shape->n_blocks, pieces, (uint32_t)n, rows
	};
	int r = pieces ? rarog_profile_add_edges(a->writer, n, rows) : rarog_oom();

	for (size_t i = 0; r == 0 && i < shape->n_blocks; i++)
		pieces[i] = (struct rarog_code_piece){
			shape->function->address + shape->blocks[i].offset, shape->blocks[i].size
		};
	return r == 0 ? rarog_unrolled_write(a->writer, &code) : r;
}

static int add_edges(struct adding *a, const struct rarog_rewrite_shape *shape,
		     const struct rarog_flow_count *counts, uint32_t first)
{
	rarog_cleanup(rarog_freep) struct rarog_edge_count *rows =
		calloc(shape->flow.n_edges + 1, sizeof(*rows));
	size_t n = rows ? rarog_rewrite_ways(shape, counts, first, rows) : 0;

	if (!rows)
		return rarog_oom();
	for (size_t i = shape->n_blocks; i < shape->flow.n_edges; i++)
		if (shape->flow.edges[i].from != RAROG_FLOW_OUTSIDE &&
		    shape->flow.edges[i].to != RAROG_FLOW_OUTSIDE)
			count_of(a, &counts[i], shape->function->address);
	return n == 0 ? 0 : add_rows(a, shape, first, n, rows);
}

static int by_header(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* In the order of their headers. Where entries were open when others began nothing is known. */
static int add_trips(struct adding *a, const struct rarog_rewrite_shape *shape, uint32_t first)
{
	size_t n = shape->first_loop == RAROG_NO_EDGE ? 0 : shape->loops.list.n;
	rarog_cleanup(rarog_freep) uint32_t *headers = calloc(n + 1, sizeof(*headers));
	int r = headers ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++)
		headers[i] = shape->loops.list.v[i].header;
	if (n > 1 && r == 0)
		qsort(headers, n, sizeof(*headers), by_header);
	for (size_t i = 0; r == 0 && i < n; i++) {
		uint32_t loop = i == 0 || headers[i] != headers[i - 1]
					? rarog_rounds_of(shape, headers[i])
					: RAROG_NONE;
		const uint64_t *words;

		if (loop == RAROG_NONE)
			continue;
		words = a->module->counts +
			(rarog_rounds_word(shape, loop) - a->module->first_counter);
		if (words[RAROG_ROUNDS_MIXED] == 0)
			r = rarog_trips_write(a->writer, first + headers[i], words);
	}
	return r;
}

/* Where control came by a jump that may be any (one of several jump tables) it is not known which
 * loops it was in. */
static bool knows_trips(const struct rarog_rewrite_shape *shape,
			const struct rarog_flow_count counts[])
{
	for (uint32_t e = 0; e < shape->flow.n_edges; e++)
		if (counts[e].count != 0 && rarog_rounds_is_anywhere(shape, e) &&
		    shape->blocks[(shape->flow.edges[e].to - 1) / 2].is_jumped_to)
			return false;
	return true;
}

/* A counter on a way is executed for the block that this leads to, as its samples are. */
static void add_counters(const struct rarog_rewrite_shape *shape,
			 const struct rarog_flow_count *counts, uint64_t *n_counted)
{
	for (size_t e = 0; e < shape->flow.n_edges; e++) {
		uint32_t to = shape->flow.edges[e].to;
		size_t block = e < shape->n_blocks ? e : (to - 1) / 2;

		if (shape->counters[e] != RAROG_NO_EDGE && counts[e].count > 0 &&
		    (e < shape->n_blocks || to != RAROG_FLOW_OUTSIDE))
			n_counted[block] += (uint64_t)counts[e].count;
	}
}

/* All executions of a block have one, but ways to itself now and then only. */
static void add_stamps(const struct rarog_rewrite_shape *shape,
		       const struct rarog_flow_count *counts, uint64_t *n_stamps)
{
	for (size_t i = 0; i < shape->n_blocks; i++) {
		uint32_t way = shape->blocks[i].taken;
		int64_t again = way != RAROG_NO_EDGE && rarog_rewrite_is_again(shape, way)
					? counts[way].count
					: 0;
		int64_t n = counts[i].count - again + again / RAROG_COPY_AGAIN;

		n_stamps[i] = n > 0 ? (uint64_t)n : 1;
	}
}

static int add_part(struct adding *a, const struct rarog_rewritten *f, bool is_first)
{
	const struct rarog_rewrite_shape *shape = &f->shape;
	rarog_cleanup(rarog_freep) struct rarog_flow_count *counts =
		calloc(shape->flow.n_edges, sizeof(*counts));
	rarog_cleanup(rarog_freep) uint64_t *n_probes =
		calloc(shape->n_blocks + 1, sizeof(*n_probes));
	uint32_t first = a->totals->rows;
	uint64_t calls;
	int r = counts && n_probes ? rarog_flow_solve(&shape->flow,
						      a->module->counts + shape->first_counter -
							      a->module->first_counter,
						      counts)
				   : rarog_oom();

	if (r < 0)
		return r;
	calls = is_first ? count_of(a, &counts[shape->blocks[0].arrive], shape->function->address)
			 : 0;
	if (shape->first_cell == RAROG_NO_EDGE)
		add_counters(shape, counts, n_probes);
	else
		add_stamps(shape, counts, n_probes);
	for (size_t i = 0; r == 0 && i < shape->n_blocks; i++)
		if (shape->blocks[i].size > 0 || i + 1 == shape->n_blocks)
			r = add_block(a, shape, i,
				      count_of(a, &counts[i],
					       shape->function->address + shape->blocks[i].offset),
				      n_probes[i]);
	if (r == 0)
		r = add_edges(a, shape, counts, first);
	if (r == 0)
		r = knows_trips(shape, counts) ? add_trips(a, shape, first) : 0;
	if (r == 0 && is_first)
		r = rarog_rewrite_values_write(a->module, shape, a->location, a->writer,
					       &a->totals->values);
	if (r == 0 && calls > 0) {
		const struct rarog_summary summary = { .location = a->location,
						       .strand = RAROG_NONE,
						       .count = calls };

		r = rarog_profile_add_summaries(a->writer, 1, &summary);
	}
	a->totals->counted.calls += calls;
	a->totals->counted.called += calls > 0;
	a->totals->counters += shape->n_counters;
	return r;
}

static int add_functions(struct adding *a, size_t n, const struct part parts[n])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		bool is_first = i == 0 || parts[i].host != parts[i - 1].host;

		if (is_first) {
			r = add_location(a, (size_t)parts[i].host);
			a->totals->counted.functions++;
		}
		if (r == 0)
			r = add_part(a, &a->module->functions.v[parts[i].number], is_first);
	}
	return r;
}

/* Return: how many. */
static size_t find_parts(const struct rarog_rewrite_module *m, bool is_counted[],
			 struct part parts[])
{
	size_t n = 0;

	for (size_t i = 0; i < m->functions.n; i++)
		is_counted[m->functions.v[i].shape.number] = !m->functions.v[i].is_left;
	for (size_t i = 0; i < m->functions.n; i++) {
		long number = (long)m->functions.v[i].shape.number;
		long host = rarog_binary_host(m->binary, number);

		host = is_counted[host] ? host : number;
		if (is_counted[number])
			parts[n++] = (struct part){ host, i, host != number };
	}
	qsort(parts, n, sizeof(*parts), by_host);
	return n;
}

int rarog_rewrite_profile_add(struct rarog_profile_writer *writer, struct rarog_rewrite_module *m,
			      struct rarog_rewrite_totals *totals)
{
	struct adding a = { .writer = writer, .module = m, .totals = totals };
	const struct rarog_profile_binary row = { .path = m->path,
						  .build_id = rarog_binary_build_id(m->binary) };
	const struct rarog_function *functions;
	size_t n = rarog_binary_functions(m->binary, &functions);
	rarog_cleanup(rarog_freep) bool *is_counted = calloc(n + 1, sizeof(*is_counted));
	rarog_cleanup(rarog_freep) struct part *parts = calloc(m->functions.n + 1, sizeof(*parts));
	long number = parts && is_counted ? rarog_profile_add_binary(writer, &row) : rarog_oom();

	if (number < 0)
		return (int)number;
	a.binary = (uint32_t)number;
	totals->left += m->left.n;
	return add_functions(&a, find_parts(m, is_counted, parts), parts);
}
