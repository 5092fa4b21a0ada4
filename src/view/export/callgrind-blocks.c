/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles of blocks for KCachegrind and callgrind_annotate: instructions and executions of blocks
 * by source line. There are no arcs, for who called is not known; ways between blocks are jumps.
 */
#include <inttypes.h>

#include "base/error.h"
#include "blocks/tally.h"
#include "view/export/callgrind.h"
#include "view/run.h"
#include "view/text.h"

struct grind {
	struct rarog_run run;
	struct rarog_tally tally;
	FILE *out;
};

static int write_text(const struct grind *g, const char *key, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, text, false);

	fprintf(g->out, "%s%s\n", key, rarog_str_text(&clean));
	return r;
}

/* Blocks without a line are the function's. */
static uint32_t line_of(const struct grind *g, uint32_t block,
			const struct rarog_tally_function *function)
{
	uint32_t line = g->tally.blocks[block].line;

	return line ? line : g->run.locations[function->location].line;
}

static void write_jumps(const struct grind *g, const struct rarog_tally_function *function,
			uint32_t number, uint32_t *edge)
{
	const struct rarog_block_count *block = &g->tally.blocks[number];
	uint32_t end = function->first_edge + function->n_edges;

	for (; *edge < end && g->tally.edges[*edge].from == number; (*edge)++) {
		const struct rarog_edge_count *way = &g->tally.edges[*edge];
		uint32_t from = line_of(g, number, function), to = line_of(g, way->to, function);

		if (way->count == 0 || from == to)
			continue;
		if (way->count == block->count)
			fprintf(g->out, "jump=%" PRIu64 " %" PRIu32 "\n%" PRIu32 "\n", way->count,
				to, from);
		else
			fprintf(g->out, "jcnd=%" PRIu64 "/%" PRIu64 " %" PRIu32 "\n%" PRIu32 "\n",
				way->count, block->count, to, from);
	}
}

static int write_function(const struct grind *g, const struct rarog_tally_function *function)
{
	const struct rarog_location *location = &g->run.locations[function->location];
	const char *binary = rarog_run_binary(&g->run, location);
	uint32_t edge = function->first_edge;
	char key[32];
	int r = write_text(g, "\nob=", binary ? binary : "???");

	if (r == 0)
		r = write_text(g, "fl=", location->file ? location->file : "???");
	snprintf(key, sizeof(key), "fn=(%" PRIu32 ") ", function->location + 1);
	if (r == 0)
		r = write_text(g, key, rarog_location_title(location));
	for (uint32_t i = function->first; r == 0 && i < function->first + function->n; i++) {
		const struct rarog_block_count *block = &g->tally.blocks[i];

		if (block->count > 0)
			fprintf(g->out, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n",
				line_of(g, i, function), block->count * block->instructions,
				block->count);
		write_jumps(g, function, i, &edge);
	}
	return r;
}

static int write_all(struct grind *g)
{
	const struct rarog_process *first = g->run.n_processes > 0 ? g->run.processes : NULL;
	int r = 0;

	fputs("# callgrind format\nversion: 1\ncreator: rarog\n", g->out);
	if (first && first->command)
		r = write_text(g, "cmd: ", first->command);
	fputs("positions: line\nevent: Instructions : instructions of intermediate code\n"
	      "event: Blocks : executions of basic blocks\nevents: Instructions Blocks\n",
	      g->out);
	for (size_t i = 0; r == 0 && i < g->tally.n; i++)
		if (g->tally.functions[i].n_executed > 0)
			r = write_function(g, &g->tally.functions[i]);
	fprintf(g->out, "\ntotals: %" PRIu64 " %" PRIu64 "\n", g->tally.instructions,
		g->tally.executions);
	return r;
}

int rarog_callgrind_write_blocks(struct rarog_profile *profile, FILE *out)
{
	struct grind g = { .out = out };
	int r = rarog_run_load(profile, &g.run);

	if (r == 0)
		r = rarog_tally_read(profile, &g.tally);
	if (r == 0)
		r = write_all(&g);
	rarog_tally_release(&g.tally);
	return r;
}
