/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time by binary and by thread. Exclusive times come from the summaries. A binary's total is the
 * time during which some function of it was on the stack, which the call tree tells: the nodes
 * that enter it from outside.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/term/show.h"
#include "view/text.h"
#include "view/tree.h"

struct group {
	uint32_t index; /* binary, RAROG_NONE: unknown; or a thread's first strand */
	uint64_t exclusive, total, calls, functions;
	uint64_t alive; /* thread: ticks from start to end */
	uint64_t hottest;
	uint32_t hottest_location;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->exclusive != y->exclusive)
		return x->exclusive < y->exclusive ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void add_summary(struct group *group, const struct rarog_summary *s)
{
	group->exclusive += s->exclusive;
	group->calls += s->count;
	group->functions++;
	if (s->exclusive >= group->hottest) {
		group->hottest = s->exclusive;
		group->hottest_location = s->location;
	}
}

static uint64_t sum_of(size_t n, const struct group groups[n])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += groups[i].exclusive;
	return sum;
}

/* Index of a location's group; the last group is of what belongs to no known binary. */
static size_t binary_of(const struct rarog_show *show, uint32_t location)
{
	uint32_t binary = show->run.locations[location].binary;

	return binary < show->run.n_binaries ? binary : show->run.n_binaries;
}

/* Adds the inclusive time of the nodes that enter a binary that is not on the path already. */
static int add_totals(struct rarog_show *show, struct group *groups)
{
	rarog_cleanup(rarog_call_tree_release) struct rarog_call_tree tree = { 0 };
	rarog_cleanup(rarog_freep) uint32_t *on_path = NULL;
	int r = rarog_call_tree_init(&tree, show->run.profile);
	struct rarog_call_tree_walk walk = { .tree = &tree };

	if (r < 0)
		return r;
	on_path = calloc(show->run.n_binaries + 1, sizeof(*on_path));
	if (!on_path)
		return rarog_oom();
	while (rarog_call_tree_step(&walk)) {
		const struct rarog_node *node = &tree.nodes[walk.node];
		size_t binary = walk.node > 0 ? binary_of(show, node->location) : 0;

		if (walk.node == 0)
			continue;
		if (walk.is_leaving)
			on_path[binary]--;
		else if (on_path[binary]++ == 0)
			groups[binary].total += node->inclusive;
	}
	return 0;
}

static uint64_t ns(const struct rarog_show *show, uint64_t ticks)
{
	return rarog_clock_ns(show->run.clock, ticks);
}

static const struct rarog_fact binary_facts[] = {
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	{ RAROG_FACT_NS, "total", "total_ns", false },
	{ RAROG_FACT_COUNT, "calls", "count", false },
	{ RAROG_FACT_COUNT, "functions", "functions", false },
	{ RAROG_FACT_TEXT, "binary", "binary", true },
	{ RAROG_FACT_TEXT, NULL, "build_id", false },
};

static int add_binary(struct rarog_show *show, struct rarog_sheet *sheet, const struct group *group,
		      uint64_t whole)
{
	bool is_known = group->index != RAROG_NONE;
	const struct rarog_value values[] = {
		{ .number = ns(show, group->exclusive) },
		{ .number = group->exclusive, .whole = whole },
		{ .number = ns(show, group->total) },
		{ .number = group->calls },
		{ .number = group->functions },
		{ .text = is_known ? show->run.binaries[group->index].path : "?" },
		{ .text = is_known ? show->run.binaries[group->index].build_id : NULL },
	};

	return rarog_sheet_add(sheet, values);
}

typedef int (*add_group)(struct rarog_show *show, struct rarog_sheet *sheet,
			 const struct group *group, uint64_t whole);

static int print_groups(struct rarog_show *show, size_t n, struct group groups[n], size_t n_facts,
			const struct rarog_fact facts[n_facts], const char *key, add_group add)
{
	const struct rarog_show_options *options = &show->options;
	struct rarog_sheet sheet = { .ascii = options->ascii };
	uint64_t whole = sum_of(n, groups);
	int r = rarog_sheet_begin(&sheet, options->format, n_facts, facts, show->out, &show->json,
				  key);
	size_t n_left = options->limit ? options->limit : n;

	qsort(groups, n, sizeof(*groups), heaviest_first);
	for (size_t i = 0; r == 0 && i < n && n_left > 0; i++) {
		if (groups[i].calls == 0 && groups[i].alive == 0)
			continue;
		n_left--;
		r = add(show, &sheet, &groups[i], whole);
	}
	if (r == 0)
		r = rarog_sheet_end(&sheet, options->width, options->colour);
	rarog_sheet_release(&sheet);
	return r;
}

int rarog_show_binaries(struct rarog_show *show)
{
	size_t n_groups = show->run.n_binaries + 1;
	rarog_cleanup(rarog_freep) struct group *groups = calloc(n_groups, sizeof(*groups));
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);

	if (n < 0 || !groups)
		return n < 0 ? (int)n : rarog_oom();
	for (size_t i = 0; i < n_groups; i++)
		groups[i].index = i < show->run.n_binaries ? (uint32_t)i : RAROG_NONE;
	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE)
			add_summary(&groups[binary_of(show, summaries[i].location)], &summaries[i]);
	int r = add_totals(show, groups);

	return r < 0 ? r
		     : print_groups(show, n_groups, groups, RAROG_COUNT(binary_facts), binary_facts,
				    "binaries", add_binary);
}

static const struct rarog_fact thread_facts[] = {
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	{ RAROG_FACT_NS, "alive", "alive_ns", false },
	{ RAROG_FACT_COUNT, "calls", "count", false },
	{ RAROG_FACT_COUNT, "functions", "functions", false },
	{ RAROG_FACT_ID, "process", "process", false },
	{ RAROG_FACT_ID, "thread", "thread", false },
	{ RAROG_FACT_TEXT, "hottest function", "hottest", true },
	{ RAROG_FACT_TEXT, NULL, "command", false },
};

static int add_thread(struct rarog_show *show, struct rarog_sheet *sheet, const struct group *group,
		      uint64_t whole)
{
	const struct rarog_process *process = rarog_run_process(&show->run, group->index);
	const struct rarog_location *hottest = &show->run.locations[group->hottest_location];
	const struct rarog_value values[] = {
		{ .number = ns(show, group->exclusive) },
		{ .number = group->exclusive, .whole = whole },
		{ .number = ns(show, group->alive) },
		{ .number = group->calls },
		{ .number = group->functions },
		{ .number = process ? process->pid : 0, .is_null = !process },
		{ .number = show->run.strands[group->index].tid },
		{ .text = group->calls > 0 ? rarog_location_title(hottest) : NULL },
		{ .text = process ? process->command : NULL },
	};

	return rarog_sheet_add(sheet, values);
}

/* A thread's strands (its stacks) are one group, that of the first. */
static void add_strands(struct rarog_show *show, struct group *groups, uint32_t *first)
{
	for (uint32_t i = 0; i < show->run.n_strands; i++) {
		const struct rarog_strand *strand = &show->run.strands[i];
		uint64_t alive = strand->end_ticks > strand->start_ticks
					 ? strand->end_ticks - strand->start_ticks
					 : 0;

		first[i] = rarog_run_first_strand(&show->run, i);
		groups[i].index = i;
		if (alive > groups[first[i]].alive)
			groups[first[i]].alive = alive;
	}
}

int rarog_show_threads(struct rarog_show *show)
{
	size_t n_groups = show->run.n_strands;
	rarog_cleanup(rarog_freep) struct group *groups = calloc(n_groups + 1, sizeof(*groups));
	rarog_cleanup(rarog_freep) uint32_t *first = calloc(n_groups + 1, sizeof(*first));
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);

	if (n < 0 || !groups || !first)
		return n < 0 ? (int)n : rarog_oom();
	add_strands(show, groups, first);
	for (long i = 0; i < n; i++)
		if (summaries[i].strand < n_groups)
			add_summary(&groups[first[summaries[i].strand]], &summaries[i]);
	return print_groups(show, n_groups, groups, RAROG_COUNT(thread_facts), thread_facts,
			    "threads", add_thread);
}
