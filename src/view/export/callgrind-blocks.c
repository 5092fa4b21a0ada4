/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of blocks for KCachegrind and callgrind_annotate: instructions and executions of blocks
 * by source line; ways between blocks are jumps. Calls are there where the profile knows callers:
 * what they cost is in instructions alone.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "blocks/tally.h"
#include "view/export/arcs.h"
#include "view/export/callgrind-names.h"
#include "view/export/callgrind.h"

struct place {
	const char *file; /* NULL: the function's */
	uint32_t line;
};

struct grind {
	struct rarog_run run;
	struct rarog_tally tally;
	struct rarog_call_tree tree;
	struct rarog_arcs arcs;
	bool *is_written; /* by location, and for the outside: its arcs */
	struct rarog_callgrind_names names;
	struct place place; /* whose file was named last */
	FILE *out;
};

/* Code that was inlined is where it was written. Blocks without a line are the function's. */
static struct place place_of(const struct grind *g, uint32_t block,
			     const struct rarog_tally_function *function)
{
	const struct rarog_block_origin *origin = rarog_tally_origin(&g->tally, block);
	const struct rarog_location *location = &g->run.locations[function->location];
	uint32_t line = g->tally.blocks[block].line;

	if (!origin || !origin->file || origin->line == 0)
		return (struct place){ NULL, line ? line : location->line };
	if (location->file && strcmp(origin->file, location->file) == 0)
		return (struct place){ NULL, origin->line };
	return (struct place){ origin->file, origin->line };
}

/* Texts of a profile are the same if they are equal. */
static bool is_in(struct place a, struct place b)
{
	return a.file == b.file;
}

static void go_to(struct grind *g, const struct rarog_location *location, struct place place)
{
	if (is_in(place, g->place))
		return;
	if (place.file)
		rarog_callgrind_write_text(g->out, "fi=", place.file);
	else
		rarog_callgrind_write_text(g->out, "fe=", location->file ? location->file : "???");
	g->place = place;
}

static void write_jumps(struct grind *g, const struct rarog_tally_function *function,
			uint32_t number, uint32_t *edge)
{
	const struct rarog_block_count *block = &g->tally.blocks[number];
	uint32_t end = function->first_edge + function->n_edges;

	for (; *edge < end && g->tally.edges[*edge].from == number; (*edge)++) {
		const struct rarog_edge_count *way = &g->tally.edges[*edge];
		struct place here = place_of(g, number, function);
		struct place there = place_of(g, way->to, function);
		uint32_t from = here.line, to = there.line;

		if (way->count == 0 || from == to || !is_in(here, there))
			continue;
		go_to(g, &g->run.locations[function->location], here);
		if (way->count == block->count)
			fprintf(g->out, "jump=%" PRIu64 " %" PRIu32 "\n%" PRIu32 "\n", way->count,
				to, from);
		else
			fprintf(g->out, "jcnd=%" PRIu64 "/%" PRIu64 " %" PRIu32 "\n%" PRIu32 "\n",
				way->count, block->count, to, from);
	}
}

static uint32_t caller_line(const struct grind *g, uint32_t caller)
{
	return rarog_callgrind_location(&g->run, caller)->line;
}

/* Arcs are sorted by caller, RAROG_NONE is the last. */
static size_t first_arc(const struct grind *g, uint32_t caller)
{
	return rarog_lower_bound(i, g->arcs.n, g->arcs.v[i].caller < caller);
}

static void write_arcs(struct grind *g, uint32_t location)
{
	uint32_t caller = location < g->run.n_locations ? location : RAROG_NONE;

	for (size_t i = first_arc(g, caller); i < g->arcs.n && g->arcs.v[i].caller == caller; i++) {
		const struct rarog_arc *arc = &g->arcs.v[i];

		rarog_callgrind_write_function(&g->names, "c", arc->callee);
		fprintf(g->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n",
			arc->count, caller_line(g, arc->callee), caller_line(g, location),
			arc->inclusive[RAROG_METRIC_TIME]);
	}
	g->is_written[location] = true;
}

static void write_function(struct grind *g, const struct rarog_tally_function *function)
{
	const struct rarog_location *location = &g->run.locations[function->location];
	uint32_t edge = function->first_edge;

	g->place = (struct place){ 0 };
	fputc('\n', g->out);
	rarog_callgrind_write_function(&g->names, "", function->location);
	for (uint32_t i = function->first; i < function->first + function->n; i++) {
		const struct rarog_block_count *block = &g->tally.blocks[i];

		struct place place = place_of(g, i, function);

		if (block->count > 0) {
			go_to(g, location, place);
			fprintf(g->out, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", place.line,
				block->count * block->instructions, block->count);
		}
		write_jumps(g, function, i, &edge);
	}
	go_to(g, location, (struct place){ 0 });
	write_arcs(g, function->location);
}

/* What called and has no counts itself: the outside, above all. */
static void write_other_callers(struct grind *g)
{
	for (size_t i = 0; i < g->arcs.n; i++) {
		uint32_t caller = g->arcs.v[i].caller;

		if (caller == RAROG_NONE)
			caller = (uint32_t)g->run.n_locations;
		if (g->is_written[caller])
			continue;
		fputc('\n', g->out);
		rarog_callgrind_write_function(&g->names, "", caller);
		write_arcs(g, caller);
	}
}

static void write_all(struct grind *g)
{
	const struct rarog_process *first = g->run.n_processes > 0 ? g->run.processes : NULL;
	const char *which = rarog_run_counts_machine_code(g->run.profile) ? "that were executed"
									  : "of intermediate code";

	fputs("# callgrind format\nversion: 1\ncreator: rarog\n", g->out);
	if (first && first->command)
		rarog_callgrind_write_text(g->out, "cmd: ", first->command);
	fprintf(g->out,
		"positions: line\nevent: Instructions : instructions %s\n"
		"event: Blocks : executions of basic blocks\nevents: Instructions Blocks\n",
		which);
	for (size_t i = 0; i < g->tally.n; i++)
		if (g->tally.functions[i].n_executed > 0)
			write_function(g, &g->tally.functions[i]);
	write_other_callers(g);
	fprintf(g->out, "\ntotals: %" PRIu64 " %" PRIu64 "\n", g->tally.instructions,
		g->tally.executions);
}

static int load(struct grind *g, struct rarog_profile *profile, FILE *out)
{
	int r = rarog_run_load(profile, &g->run);

	if (r == 0)
		r = rarog_tally_read(profile, &g->tally);
	if (r == 0)
		r = rarog_callgrind_names_init(&g->names, &g->run, out);
	if (r == 0)
		r = rarog_call_tree_init(&g->tree, profile);
	if (r == 0)
		r = rarog_arcs_make(&g->tree, g->run.n_locations, &g->arcs);
	if (r < 0)
		return r;
	g->is_written = calloc(g->run.n_locations + 1, sizeof(*g->is_written));
	return g->is_written ? 0 : rarog_oom();
}

int rarog_callgrind_write_blocks(struct rarog_profile *profile, FILE *out)
{
	struct grind g = { .out = out };
	int r = load(&g, profile, out);

	if (r == 0)
		write_all(&g);
	free(g.is_written);
	rarog_callgrind_names_release(&g.names);
	rarog_arcs_release(&g.arcs);
	rarog_call_tree_release(&g.tree);
	rarog_tally_release(&g.tally);
	return r;
}
