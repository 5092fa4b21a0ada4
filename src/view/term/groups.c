/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time by binary and by thread. Exclusive times come from the summaries. A binary's total is the
 * time during which some function of it was on the stack, which the call tree tells: the nodes
 * that enter it from outside. Where not all calls were recorded, a sum with a function in it whose
 * exclusive time is not known is not known either, nor is a share of all.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "profile/off-cpu.h"
#include "view/term/node-amounts.h"
#include "view/term/views.h"
#include "view/text.h"

struct group {
	uint32_t index; /* binary, RAROG_NONE: unknown; or a thread's first strand */
	uint64_t exclusive, total, calls, functions;
	struct rarog_off_cpu off_cpu; /* of its exclusive time */
	uint64_t alive;               /* thread: ticks from start to end */
	uint64_t hottest;
	uint32_t hottest_location;
	bool is_unknown; /* of a function: its exclusive time */
	bool is_partial; /* not all calls of a function were recorded */
};

static int heaviest_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->is_unknown != y->is_unknown)
		return x->is_unknown ? 1 : -1;
	if (x->exclusive != y->exclusive)
		return x->exclusive < y->exclusive ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* @unknown: by location; NULL: all exclusive times are known */
static void add_summary(struct group *group, const struct rarog_summary *s, const bool *unknown)
{
	bool is_unknown = unknown && unknown[s->location];

	group->is_unknown |= is_unknown;
	group->is_partial |= is_unknown && s->timed < s->count;
	group->exclusive += s->exclusive;
	group->calls += s->count;
	group->functions++;
	if (s->exclusive >= group->hottest) {
		group->hottest = s->exclusive;
		group->hottest_location = s->location;
	}
}

static void add_off_cpu(struct group *group, const struct rarog_off_cpu *off_cpu)
{
	group->off_cpu.is_unknown |= off_cpu->is_unknown;
	group->off_cpu.waited += off_cpu->waited;
	group->off_cpu.preempted += off_cpu->preempted;
}

/* 0: not known. */
static uint64_t sum_of(size_t n, const struct group groups[n])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (groups[i].is_unknown)
			return 0;
		sum += groups[i].exclusive;
	}
	return sum;
}

/* Index of a location's group; the last group is of what belongs to no known binary. */
static size_t binary_of(const struct rarog_show *show, uint32_t location)
{
	uint32_t binary = show->run.locations[location].binary;

	return binary < show->run.n_binaries ? binary : show->run.n_binaries;
}

/* Adds the inclusive time of the nodes that enter one of the 64 binaries from @first on while it is
 * not on the path already. Parents come before their children: one pass, a bit a binary. */
static void add_some_totals(struct rarog_show *show, size_t first, size_t n,
			    const struct rarog_node nodes[n], uint64_t *on_path,
			    struct group *groups)
{
	on_path[0] = 0;
	for (size_t i = 1; i < n; i++) {
		size_t binary = binary_of(show, nodes[i].location) - first;
		uint64_t bit = binary < 64 ? UINT64_C(1) << binary : 0;
		uint64_t above = on_path[nodes[i].parent];

		on_path[i] = above | bit;
		if (bit & ~above)
			groups[first + binary].total += nodes[i].inclusive;
	}
}

static int add_totals(struct rarog_show *show, struct group *groups)
{
	rarog_cleanup(rarog_freep) uint64_t *on_path = NULL;
	const struct rarog_node *nodes;
	long n = rarog_profile_nodes(show->run.profile, &nodes);

	if (n <= 0)
		return (int)n;
	for (long i = 1; i < n; i++)
		if (nodes[i].location >= show->run.n_locations)
			return rarog_fail(-EBADMSG, "node %ld of the call tree is damaged", i);
	on_path = malloc((size_t)n * sizeof(*on_path));
	if (!on_path)
		return rarog_oom();
	for (size_t first = 0; first <= show->run.n_binaries; first += 64)
		add_some_totals(show, first, (size_t)n, nodes, on_path, groups);
	return 0;
}

static uint64_t ns(const struct rarog_show *show, uint64_t ticks)
{
	return rarog_clock_ns(show->run.clock, ticks);
}

#define CPU_KEY "cpu_ns"
#define CPU_FACT                                                                                   \
	{                                                                                          \
		RAROG_FACT_NS, "cpu", CPU_KEY, false                                               \
	}
#define OFF_CPU_FACTS                                                                              \
	{ RAROG_FACT_NS, NULL, "waited_ns", false },                                               \
	{                                                                                          \
		RAROG_FACT_NS, NULL, "preempted_ns", false                                         \
	}

static struct rarog_value off_cpu_value(const struct rarog_show *show, const struct group *group,
					uint64_t ticks)
{
	return (struct rarog_value){ .number = ns(show, ticks),
				     .is_null = !show->has_cpu || group->is_unknown ||
						group->off_cpu.is_unknown };
}

static struct rarog_value cpu_value(const struct rarog_show *show, const struct group *group)
{
	const struct rarog_off_cpu *off_cpu = &group->off_cpu;

	return off_cpu_value(
		show, group,
		rarog_cpu_ticks(group->exclusive, off_cpu->waited, off_cpu->preempted));
}

static const struct rarog_sheet_fact binary_facts[] = {
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	CPU_FACT,
	{ RAROG_FACT_NS, "total", "total_ns", false },
	{ RAROG_FACT_COUNT, "calls", "count", false },
	{ RAROG_FACT_COUNT, "functions", "functions", false },
	{ RAROG_FACT_TEXT, "binary", "binary", true },
	{ RAROG_FACT_TEXT, NULL, "build_id", false },
	OFF_CPU_FACTS,
};

static int add_binary(struct rarog_show *show, struct rarog_sheet *sheet, const struct group *group,
		      uint64_t whole)
{
	bool is_known = group->index != RAROG_NONE;
	const struct rarog_value values[] = {
		{ .number = ns(show, group->exclusive),
		  .is_null = !show->has_times || group->is_unknown },
		{ .number = group->exclusive, .whole = whole, .is_null = whole == 0 },
		cpu_value(show, group),
		{ .number = ns(show, group->total),
		  .is_null = !show->has_times || group->is_partial },
		{ .number = group->calls, .is_null = show->has_samples },
		{ .number = group->functions },
		{ .text = is_known ? show->run.binaries[group->index].path : "?" },
		{ .text = is_known ? show->run.binaries[group->index].build_id : NULL },
		off_cpu_value(show, group, group->off_cpu.waited),
		off_cpu_value(show, group, group->off_cpu.preempted),
	};

	return rarog_sheet_add(sheet, values);
}

#define MAX_FACTS 16

/* Empty where calls were counted only. */
static bool is_of_calls(const struct rarog_sheet_fact *fact)
{
	return fact->kind == RAROG_FACT_SHARE ||
	       (fact->kind == RAROG_FACT_NS && strcmp(fact->key, "alive_ns") != 0);
}

typedef int (*add_group)(struct rarog_show *show, struct rarog_sheet *sheet,
			 const struct group *group, uint64_t whole);

static int print_groups(struct rarog_show *show, size_t n, struct group groups[n], size_t n_facts,
			const struct rarog_sheet_fact facts[n_facts], const char *key,
			add_group add)
{
	const struct rarog_show_options *options = &show->options;
	struct rarog_sheet sheet = { 0 };
	struct rarog_sheet_fact shown[MAX_FACTS];
	uint64_t whole = sum_of(n, groups);

	for (size_t i = 0; i < n_facts; i++) {
		shown[i] = facts[i];
		if (!show->has_times && is_of_calls(&facts[i]))
			shown[i].title = NULL;
		if (!show->has_cpu && facts[i].key && strcmp(facts[i].key, CPU_KEY) == 0)
			shown[i].title = NULL;
		if (show->has_samples && facts[i].key && strcmp(facts[i].key, "count") == 0)
			shown[i].title = NULL;
	}
	int r = rarog_show_sheet(show, &sheet, n_facts, shown, key);
	size_t n_left = options->limit ? options->limit : n;

	qsort(groups, n, sizeof(*groups), heaviest_first);
	for (size_t i = 0; r == 0 && i < n && n_left > 0; i++) {
		if (groups[i].calls == 0 && groups[i].alive == 0)
			continue;
		n_left--;
		r = add(show, &sheet, &groups[i], whole);
	}
	r = rarog_show_sheet_end(show, &sheet, r);
	if (r == 0 && n > 0 && groups[n - 1].is_unknown) /* the last are the unknown */
		rarog_show_note_unknown(show);
	return r;
}

static int add_binaries_off_cpu(struct rarog_show *show, struct group *groups)
{
	const struct rarog_off_cpu *off_cpu;
	long n = rarog_profile_off_cpu(show->run.profile, &off_cpu);

	for (long i = 0; i < n; i++)
		if (off_cpu[i].strand == RAROG_NONE && off_cpu[i].location < show->run.n_locations)
			add_off_cpu(&groups[binary_of(show, off_cpu[i].location)], &off_cpu[i]);
	return n < 0 ? (int)n : 0;
}

static int show_binaries(struct rarog_show *show)
{
	size_t n_groups = show->run.n_binaries + 1;
	rarog_cleanup(rarog_freep) struct group *groups = calloc(n_groups, sizeof(*groups));
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);
	int r = n < 0 ? (int)n : rarog_show_unknown(show, &unknown);

	if (r < 0 || !groups)
		return r < 0 ? r : rarog_oom();
	for (size_t i = 0; i < n_groups; i++)
		groups[i].index = i < show->run.n_binaries ? (uint32_t)i : RAROG_NONE;
	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE &&
		    summaries[i].location < show->run.n_locations)
			add_summary(&groups[binary_of(show, summaries[i].location)], &summaries[i],
				    unknown);
	r = add_totals(show, groups);
	if (r == 0)
		r = add_binaries_off_cpu(show, groups);
	return r < 0 ? r
		     : print_groups(show, n_groups, groups, RAROG_COUNT(binary_facts), binary_facts,
				    "binaries", add_binary);
}

static const struct rarog_sheet_fact thread_facts[] = {
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	CPU_FACT,
	{ RAROG_FACT_NS, "alive", "alive_ns", false },
	{ RAROG_FACT_COUNT, "calls", "count", false },
	{ RAROG_FACT_COUNT, "functions", "functions", false },
	{ RAROG_FACT_ID, "process", "process", false },
	{ RAROG_FACT_ID, "thread", "thread", false },
	{ RAROG_FACT_TEXT, "hottest function", "hottest", true },
	{ RAROG_FACT_TEXT, NULL, "command", false },
	OFF_CPU_FACTS,
};

static int add_thread(struct rarog_show *show, struct rarog_sheet *sheet, const struct group *group,
		      uint64_t whole)
{
	const struct rarog_process *process = rarog_run_process(&show->run, group->index);
	const struct rarog_location *hottest = &show->run.locations[group->hottest_location];
	bool is_known = show->has_times; /* calls are counted over all threads */
	const struct rarog_value values[] = {
		{ .number = ns(show, group->exclusive), .is_null = !is_known || group->is_unknown },
		{ .number = group->exclusive, .whole = whole, .is_null = whole == 0 },
		cpu_value(show, group),
		{ .number = ns(show, group->alive) },
		{ .number = group->calls, .is_null = !is_known || show->has_samples },
		{ .number = group->functions, .is_null = !is_known },
		{ .number = process ? process->pid : 0, .is_null = !process },
		{ .number = show->run.strands[group->index].tid },
		{ .text = group->calls > 0 && !group->is_unknown ? rarog_location_title(hottest)
								 : NULL },
		{ .text = process ? process->command : NULL },
		off_cpu_value(show, group, group->off_cpu.waited),
		off_cpu_value(show, group, group->off_cpu.preempted),
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

static int add_threads_off_cpu(struct rarog_show *show, struct group *groups, const uint32_t *first)
{
	const struct rarog_off_cpu *off_cpu;
	long n = rarog_profile_off_cpu(show->run.profile, &off_cpu);

	for (long i = 0; i < n; i++)
		if (off_cpu[i].location == RAROG_NONE && off_cpu[i].strand < show->run.n_strands)
			add_off_cpu(&groups[first[off_cpu[i].strand]], &off_cpu[i]);
	return n < 0 ? (int)n : 0;
}

static int show_threads(struct rarog_show *show)
{
	size_t n_groups = show->run.n_strands;
	rarog_cleanup(rarog_freep) struct group *groups = calloc(n_groups + 1, sizeof(*groups));
	rarog_cleanup(rarog_freep) uint32_t *first = calloc(n_groups + 1, sizeof(*first));
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(show->run.profile, &summaries);
	int r = n < 0 ? (int)n : rarog_show_unknown(show, &unknown);

	if (r < 0 || !groups || !first)
		return r < 0 ? r : rarog_oom();
	add_strands(show, groups, first);
	for (long i = 0; i < n; i++)
		if (summaries[i].strand < n_groups && summaries[i].location < show->run.n_locations)
			add_summary(&groups[first[summaries[i].strand]], &summaries[i], unknown);
	r = add_threads_off_cpu(show, groups, first);

	if (r < 0)
		return r;
	return print_groups(show, n_groups, groups, RAROG_COUNT(thread_facts), thread_facts,
			    "threads", add_thread);
}

const struct rarog_view rarog_view_by_binary = {
	.run = show_binaries,
	.run_blocks = rarog_show_counts_by_binary,
};

const struct rarog_view rarog_view_by_thread = {
	.run = show_threads,
};
