/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callgrind's profile format for KCachegrind and callgrind_annotate: for each function its own
 * cost and, for each function it called, the number of calls and their inclusive cost.
 *
 * The context tree is folded to (caller, callee) pairs. Recursion: a callee's cost is added only
 * where the callee is not already on the path above; the inner calls are part of that. A function
 * that calls itself so gets its calls with cost 0, and own cost + cost of its callees is the time
 * it was on the stack. What nothing traced called is called by "(outside)", for readers take the
 * inclusive cost of a function from the arcs that lead to it.
 *
 * Reference: "Callgrind Format Specification" in Valgrind's manual.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "blocks/tally.h"
#include "view/export/callgrind.h"
#include "view/export/export.h"
#include "view/run.h"
#include "view/text.h"

#define EVENTS RAROG_METRIC_CALLS /* at most; calls are no cost here */

/* One node as an arc; sorted and summed. Caller RAROG_NONE: called from outside. */
struct arc {
	uint32_t caller, callee;
	uint64_t count;
	uint64_t inclusive[EVENTS];
};

/* What a function costs itself. */
struct cost {
	uint64_t ticks[EVENTS];
};

struct grind {
	struct rarog_run run;
	struct rarog_call_tree tree;
	struct arc *arcs; /* one a node, then summed to n_arcs */
	size_t n_arcs;
	size_t n_events;         /* of rarog_metric_kinds: those known */
	uint64_t *below[EVENTS]; /* by node, with itself */
	struct cost *self;       /* by location */
	uint32_t *on_stack;      /* by location, during the walk */
	bool *is_named;          /* fn=(id) was given its name */
	FILE *out;
};

static void add_self(struct grind *g, uint32_t node, struct cost *self)
{
	for (size_t i = 0; i < g->n_events; i++)
		self->ticks[i] += rarog_metric_kinds[i].own(&g->tree, node);
}

static void gather_node(struct grind *g, const struct rarog_call_tree_walk *walk)
{
	const struct rarog_node *node = &g->tree.nodes[walk->node];
	uint32_t location = node->location;

	if (location == RAROG_NONE) {
		if (!walk->is_leaving)
			add_self(g, walk->node, &g->self[g->run.n_locations]);
		return;
	}
	if (walk->is_leaving) {
		g->on_stack[location]--;
		return;
	}
	struct arc *arc = &g->arcs[g->n_arcs++];

	add_self(g, walk->node, &g->self[location]);
	*arc = (struct arc){ .caller = g->tree.nodes[node->parent].location,
			     .callee = location,
			     .count = node->count };
	for (size_t i = 0; i < g->n_events && g->on_stack[location] == 0; i++)
		arc->inclusive[i] = g->below[i][walk->node];
	g->on_stack[location]++;
}

static int by_caller(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static void sum_arcs(struct grind *g)
{
	size_t n = 0;

	qsort(g->arcs, g->n_arcs, sizeof(*g->arcs), by_caller);
	for (size_t i = 0; i < g->n_arcs; i++) {
		if (n > 0 && by_caller(&g->arcs[n - 1], &g->arcs[i]) == 0) {
			g->arcs[n - 1].count += g->arcs[i].count;
			for (size_t k = 0; k < g->n_events; k++)
				g->arcs[n - 1].inclusive[k] += g->arcs[i].inclusive[k];
		} else {
			g->arcs[n++] = g->arcs[i];
		}
	}
	g->n_arcs = n;
}

static int sum_up(struct grind *g)
{
	for (size_t i = 0; i < EVENTS && rarog_metric_is_known(&g->tree, i); i++) {
		g->below[i] = rarog_metric_sum(&g->tree, i);
		if (!g->below[i])
			return -ENOMEM;
		g->n_events++;
	}
	return 0;
}

static int gather(struct grind *g)
{
	struct rarog_call_tree_walk walk = { .tree = &g->tree, .is_unordered = true };

	g->arcs = calloc(g->tree.n + 1, sizeof(*g->arcs));
	g->self = calloc(g->run.n_locations + 1, sizeof(*g->self));
	g->on_stack = calloc(g->run.n_locations + 1, sizeof(*g->on_stack));
	g->is_named = calloc(g->run.n_locations + 1, sizeof(*g->is_named));
	if (!g->arcs || !g->self || !g->on_stack || !g->is_named)
		return rarog_oom();
	if (sum_up(g) < 0)
		return -ENOMEM;
	while (rarog_call_tree_step(&walk))
		gather_node(g, &walk);
	sum_arcs(g);
	return 0;
}

static void write_text(struct grind *g, const char *key, const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };

	rarog_text_add_clean(&clean, text, false);
	fprintf(g->out, "%s%s\n", key, rarog_str_text(&clean));
}

static const struct rarog_location *location_of(const struct grind *g, uint32_t index)
{
	static const struct rarog_location outside = { .name = "(outside)", .binary = RAROG_NONE };

	return index < g->run.n_locations ? &g->run.locations[index] : &outside;
}

static void write_function(struct grind *g, const char *prefix, uint32_t location)
{
	const struct rarog_location *of = location_of(g, location);
	const char *binary = rarog_run_binary(&g->run, of);
	char key[32];

	snprintf(key, sizeof(key), "%sob=", prefix);
	write_text(g, key, binary ? binary : "???");
	snprintf(key, sizeof(key), "%s=", *prefix ? "cfi" : "fl");
	write_text(g, key, of->file ? of->file : "???");
	fprintf(g->out, "%sfn=(%" PRIu32 ")", prefix, location + 1);
	write_text(g, g->is_named[location] ? "" : " ",
		   g->is_named[location] ? "" : rarog_location_title(of));
	g->is_named[location] = true;
}

static void write_arc(struct grind *g, const struct arc *arc)
{
	write_function(g, "c", arc->callee);
	fprintf(g->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32, arc->count,
		location_of(g, arc->callee)->line, location_of(g, arc->caller)->line);
	for (size_t i = 0; i < g->n_events; i++)
		fprintf(g->out, " %" PRIu64, rarog_clock_ns(g->run.clock, arc->inclusive[i]));
	fputc('\n', g->out);
}

/* Callees of one function; arcs are sorted by caller, those from outside come last. */
static void write_arcs(struct grind *g, uint32_t location, size_t *next)
{
	uint32_t caller = location < g->run.n_locations ? location : RAROG_NONE;

	while (*next < g->n_arcs && g->arcs[*next].caller < caller)
		(*next)++;
	for (; *next < g->n_arcs && g->arcs[*next].caller == caller; (*next)++)
		write_arc(g, &g->arcs[*next]);
}

static bool *find_called(const struct grind *g)
{
	bool *called = calloc(g->run.n_locations + 1, sizeof(*called));

	for (size_t i = 0; called && i < g->n_arcs; i++)
		called[g->arcs[i].callee] = true;
	return called;
}

static void write_total(struct grind *g)
{
	fputs("totals:", g->out);
	for (size_t i = 0; i < g->n_events; i++) {
		uint64_t ticks = 0;

		for (size_t k = 0; k <= g->run.n_locations; k++)
			ticks += g->self[k].ticks[i];
		fprintf(g->out, " %" PRIu64, rarog_clock_ns(g->run.clock, ticks));
	}
	fputc('\n', g->out);
}

/* Rounded so that the functions' own costs add up to the total: each is a step of the sum, which
 * is in @sum. */
static void write_self(struct grind *g, uint32_t location, struct cost *sum)
{
	fprintf(g->out, "%" PRIu32, location_of(g, location)->line);
	for (size_t i = 0; i < g->n_events; i++) {
		uint64_t before = rarog_clock_ns(g->run.clock, sum->ticks[i]);

		sum->ticks[i] += g->self[location].ticks[i];
		fprintf(g->out, " %" PRIu64, rarog_clock_ns(g->run.clock, sum->ticks[i]) - before);
	}
	fputc('\n', g->out);
}

static int write_functions(struct grind *g)
{
	rarog_cleanup(rarog_freep) bool *called = find_called(g);
	struct cost sum = { { 0 } };
	size_t next = 0;

	if (!called)
		return rarog_oom();
	called[g->run.n_locations] = g->n_arcs > 0;
	for (uint32_t i = 0; i <= g->run.n_locations; i++) {
		if (!called[i])
			continue;
		fputc('\n', g->out);
		write_function(g, "", i);
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
		write_text(g, "cmd: ", first->command);
	fputs("positions: line\n", g->out);
	for (size_t i = 0; i < g->n_events; i++)
		fprintf(g->out, "event: %s : %s\n", event_name(i), rarog_metric_kinds[i].title);
	fputs("events:", g->out);
	for (size_t i = 0; i < g->n_events; i++)
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
	r = rarog_run_load(profile, &g.run);
	if (r == 0)
		r = rarog_call_tree_init(&g.tree, profile);
	if (r == 0)
		r = gather(&g);
	if (r == 0) {
		write_head(&g);
		r = write_functions(&g);
	}
	rarog_call_tree_release(&g.tree);
	for (size_t i = 0; i < EVENTS; i++)
		free(g.below[i]);
	free(g.arcs);
	free(g.self);
	free(g.on_stack);
	free(g.is_named);
	return r;
}

const struct rarog_export_format rarog_export_callgrind = {
	.name = "callgrind",
	.summary = "functions and call arcs in ns, also of CPU time and waiting where they are "
		   "known (of blocks: lines), for KCachegrind and callgrind_annotate",
	.use = RAROG_EXPORT_OF_ALL,
	.write = callgrind_write,
};
