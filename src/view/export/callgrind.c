/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callgrind's profile format for KCachegrind and callgrind_annotate: for each function its own
 * cost and, for each function it called, the number of calls and their inclusive cost.
 *
 * What nothing traced called is called by "(outside)", for readers take the inclusive cost of a
 * function from the arcs that lead to it.
 *
 * Reference: "Callgrind Format Specification" in Valgrind's manual.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "blocks/tally.h"
#include "view/export/arcs.h"
#include "view/export/callgrind-names.h"
#include "view/export/callgrind.h"
#include "view/export/export.h"
#include "view/run.h"

struct grind {
	struct rarog_run run;
	struct rarog_call_tree tree;
	struct rarog_arcs arcs;
	struct rarog_callgrind_names names;
	bool has_samples; /* calls are not known */
	FILE *out;
};

static void write_arc(struct grind *g, const struct rarog_arc *arc)
{
	rarog_callgrind_write_function(&g->names, "c", arc->callee);
	fprintf(g->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32, g->has_samples ? 0 : arc->count,
		rarog_callgrind_location(&g->run, arc->callee)->line,
		rarog_callgrind_location(&g->run, arc->caller)->line);
	for (size_t i = 0; i < g->arcs.n_amounts; i++)
		fprintf(g->out, " %" PRIu64, rarog_clock_ns(g->run.clock, arc->inclusive[i]));
	fputc('\n', g->out);
}

/* Callees of one function; arcs are sorted by caller, those from outside come last. */
static void write_arcs(struct grind *g, uint32_t location, size_t *next)
{
	uint32_t caller = location < g->run.n_locations ? location : RAROG_NONE;

	while (*next < g->arcs.n && g->arcs.v[*next].caller < caller)
		(*next)++;
	for (; *next < g->arcs.n && g->arcs.v[*next].caller == caller; (*next)++)
		write_arc(g, &g->arcs.v[*next]);
}

static bool *find_called(const struct grind *g)
{
	bool *called = calloc(g->run.n_locations + 1, sizeof(*called));

	for (size_t i = 0; called && i < g->arcs.n; i++)
		called[g->arcs.v[i].callee] = true;
	return called;
}

static void write_total(struct grind *g)
{
	fputs("totals:", g->out);
	for (size_t i = 0; i < g->arcs.n_amounts; i++) {
		uint64_t ticks = 0;

		for (size_t k = 0; k <= g->run.n_locations; k++)
			ticks += g->arcs.self[k].ticks[i];
		fprintf(g->out, " %" PRIu64, rarog_clock_ns(g->run.clock, ticks));
	}
	fputc('\n', g->out);
}

/* Rounded so that the functions' own costs add up to the total: each is a step of the sum, which
 * is in @sum. */
static void write_self(struct grind *g, uint32_t location, struct rarog_own_cost *sum)
{
	fprintf(g->out, "%" PRIu32, rarog_callgrind_location(&g->run, location)->line);
	for (size_t i = 0; i < g->arcs.n_amounts; i++) {
		uint64_t before = rarog_clock_ns(g->run.clock, sum->ticks[i]);

		sum->ticks[i] += g->arcs.self[location].ticks[i];
		fprintf(g->out, " %" PRIu64, rarog_clock_ns(g->run.clock, sum->ticks[i]) - before);
	}
	fputc('\n', g->out);
}

static int write_functions(struct grind *g)
{
	rarog_cleanup(rarog_freep) bool *called = find_called(g);
	struct rarog_own_cost sum = { { 0 } };
	size_t next = 0;

	if (!called)
		return rarog_oom();
	called[g->run.n_locations] = g->arcs.n > 0;
	for (uint32_t i = 0; i <= g->run.n_locations; i++) {
		if (!called[i])
			continue;
		fputc('\n', g->out);
		rarog_callgrind_write_function(&g->names, "", i);
		write_self(g, i, &sum);
		write_arcs(g, i, &next);
	}
	fputc('\n', g->out);
	write_total(g);
	return 0;
}

static const char *event_name(size_t i)
{
	return i == RAROG_METRIC_TIME ? "ns" : rarog_metric_kinds[i].name;
}

static void write_head(struct grind *g)
{
	const struct rarog_process *first = g->run.n_processes > 0 ? g->run.processes : NULL;

	fputs("# callgrind format\nversion: 1\ncreator: rarog\n", g->out);
	if (first && first->command)
		rarog_callgrind_write_text(g->out, "cmd: ", first->command);
	if (g->has_samples)
		fputs("desc: Trigger: samples; calls were not counted\n", g->out);
	fputs("positions: line\n", g->out);
	for (size_t i = 0; i < g->arcs.n_amounts; i++)
		fprintf(g->out, "event: %s : %s\n", event_name(i), rarog_metric_kinds[i].title);
	fputs("events:", g->out);
	for (size_t i = 0; i < g->arcs.n_amounts; i++)
		fprintf(g->out, " %s", event_name(i));
	fputc('\n', g->out);
}

static int callgrind_write(struct rarog_profile *profile,
			   const struct rarog_export_options *options, FILE *out)
{
	struct grind g = { .out = out };
	int r;

	(void)options;
	if (rarog_tally_has(profile))
		return rarog_callgrind_write_blocks(profile, out);
	g.has_samples = rarog_run_counts_samples(profile);
	r = rarog_run_load(profile, &g.run);
	if (r == 0)
		r = rarog_call_tree_init(&g.tree, profile);
	if (r == 0)
		r = rarog_arcs_make(&g.tree, g.run.n_locations, &g.arcs);
	if (r == 0)
		r = rarog_callgrind_names_init(&g.names, &g.run, out);
	if (r == 0) {
		write_head(&g);
		r = write_functions(&g);
	}
	rarog_call_tree_release(&g.tree);
	rarog_arcs_release(&g.arcs);
	rarog_callgrind_names_release(&g.names);
	return r;
}

const struct rarog_export_format rarog_export_callgrind = {
	.name = "callgrind",
	.summary = "functions and call arcs in ns, also of CPU time and waiting where they are "
		   "known (of blocks: lines), for KCachegrind and callgrind_annotate",
	.use = RAROG_EXPORT_OF_ALL,
	.write = callgrind_write,
};
