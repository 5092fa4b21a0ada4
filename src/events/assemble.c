/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The strands of a run, each with a stack machine of its own, over one tree and one set of
 * histograms. A machine is freed when its strand ends, so memory follows the strands alive at the
 * same time, not those that ever lived.
 *
 * Words come as they were drained, cut anywhere. Machines only see whole records: what is cut off
 * at the end of one delivery is carried over to the next.
 */
#include "events/assemble.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "events/absences.h"
#include "events/machine.h"
#include "events/off-cpu-sums.h"
#include "events/sums.h"
#include "events/weights.h"

#define NODES_DEFAULT ((size_t)4 << 20)
#define CHUNK         1024 /* rows given to the sink at a time */

struct strand {
	struct rarog_strand_machine machine;
	bool is_announced, is_ended, is_broken;
	uint64_t taken; /* words */
	uint16_t carry[RAROG_STREAM_RECORD_MAX];
	size_t n_carry;
};

struct rarog_assembler {
	struct rarog_assembler_options options;
	struct rarog_strand_machine_shared shared;
	RAROG_VEC(struct strand *) strands;      /* by index, NULL: never announced */
	RAROG_VEC(struct rarog_stats) stats;     /* by location, over the ended strands */
	RAROG_VEC(struct rarog_stats_ends) ends; /* by location */
	struct rarog_off_cpu_sums off_cpu;
	struct rarog_absences absences;
	bool knows_off_cpu;
	struct rarog_assembler_totals totals;
	bool is_finished;
};

int rarog_assembler_new(const struct rarog_assembler_options *options,
			struct rarog_assembler **ret_assembler)
{
	rarog_cleanup(rarog_assembler_freep) struct rarog_assembler *a = calloc(1, sizeof(*a));

	if (!a)
		return rarog_oom();
	a->options = *options;
	a->shared.values = options->values;
	a->shared.epochs = options->epochs;
	a->shared.compensate = a->totals.compensate = options->compensate;
	a->shared.compensate_self = a->totals.compensate_self = options->compensate_self;
	int r = rarog_tree_init(&a->shared.tree,
				options->max_nodes ? options->max_nodes : NODES_DEFAULT);

	if (r < 0)
		return r;
	*ret_assembler = rarog_take(a);
	return 0;
}

void rarog_assembler_free(struct rarog_assembler *assembler)
{
	if (!assembler)
		return;
	for (size_t i = 0; i < assembler->strands.n; i++) {
		if (assembler->strands.v[i])
			rarog_strand_machine_release(&assembler->strands.v[i]->machine);
		free(assembler->strands.v[i]);
	}
	rarog_strand_machine_shared_release(&assembler->shared);
	rarog_vec_release(&assembler->strands);
	rarog_vec_release(&assembler->stats);
	rarog_vec_release(&assembler->ends);
	rarog_off_cpu_sums_release(&assembler->off_cpu);
	rarog_absences_release(&assembler->absences);
	free(assembler);
}

static struct strand *find_strand(struct rarog_assembler *a, uint32_t index)
{
	return index < a->strands.n ? a->strands.v[index] : NULL;
}

static int add_strand(struct rarog_assembler *a, uint32_t index, struct strand **ret_strand)
{
	while (a->strands.n <= index) {
		int r = rarog_vec_push(&a->strands, NULL);

		if (r < 0)
			return r;
	}
	struct strand *s = calloc(1, sizeof(*s));

	if (!s)
		return rarog_oom();
	a->strands.v[index] = s;
	*ret_strand = s;
	return rarog_strand_machine_init(&s->machine, &a->shared, &a->options.sink, index);
}

int rarog_assembler_strand(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			   const uint32_t *locations, bool keep_calls)
{
	struct strand *s = find_strand(assembler, strand);
	bool was_announced = s && s->is_announced;
	int r = s ? 0 : add_strand(assembler, strand, &s);

	if (r < 0)
		return r;
	if (s->is_ended)
		return rarog_fail(-EINVAL, "strand %u has ended", strand);
	if (was_announced && keep_calls && !s->machine.is_keeping)
		return rarog_fail(-EINVAL, "strand %u: its calls are no longer kept", strand);
	r = rarog_strand_machine_functions(&s->machine, n, locations);
	if (r < 0)
		return r;
	s->is_announced = true;
	if (was_announced && s->machine.is_keeping && !keep_calls)
		return rarog_strand_machine_stop_calls(&s->machine);
	s->machine.is_keeping = keep_calls;
	return 0;
}

/* Run the records that begin in words[0 … n-1], which are there as a whole. */
static int run(struct strand *s, size_t n, const uint16_t *words, size_t *ret_used)
{
	int r = rarog_strand_machine_run(&s->machine, n, words, ret_used);

	s->taken += *ret_used;
	if (r >= 0)
		return 0;
	s->is_broken = true;
	if (r == -EBADMSG)
		rarog_fail_prefix(r, "malformed events: strand %u, word %" PRIu64,
				  s->machine.batch.strand, s->taken);
	return r;
}

/* Complete the carried record with words[n]; returns how many of them it took. */
static int finish_carry(struct strand *s, size_t n, const uint16_t *words, size_t *ret_taken)
{
	size_t taken = 0, used;

	while (s->n_carry > 0 && taken < n) {
		s->carry[s->n_carry++] = words[taken++];
		if (rarog_stream_record(s->n_carry, s->carry) == 0)
			continue;
		int r = run(s, 1, s->carry, &used);

		if (r < 0)
			return r;
		s->n_carry = 0;
	}
	*ret_taken = taken;
	return 0;
}

/* The last few words, record by record; what is cut off is carried. */
static int feed_tail(struct strand *s, size_t n, const uint16_t *words)
{
	size_t used;

	while (n > 0 && rarog_stream_record(n, words) != 0) {
		int r = run(s, 1, words, &used);

		if (r < 0)
			return r;
		words += used;
		n -= used;
	}
	memcpy(s->carry, words, n * sizeof(*words));
	s->n_carry = n;
	return 0;
}

static int feed(struct strand *s, size_t n, const uint16_t *words)
{
	size_t used, whole;
	int r = finish_carry(s, n, words, &used);

	if (r < 0 || s->n_carry > 0)
		return r;
	words += used;
	n -= used;
	/* A record that begins before the last few words is there as a whole. */
	whole = n < RAROG_STREAM_RECORD_MAX ? 0 : n - (RAROG_STREAM_RECORD_MAX - 1);
	r = run(s, whole, words, &used);
	return r < 0 ? r : feed_tail(s, n - used, words + used);
}

int rarog_assembler_feed(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			 const uint16_t *words)
{
	struct strand *s = find_strand(assembler, strand);

	if (!s || !s->is_announced || s->is_ended)
		return rarog_fail(-EINVAL, "strand %u is not announced or has ended", strand);
	if (s->is_broken)
		return rarog_fail(-EBADMSG, "malformed events: strand %u: words after the bad one",
				  strand);
	int r = rarog_histograms_expect(&assembler->shared.histograms, n);

	if (r < 0)
		return r;
	r = feed(s, n, words);
	if (r >= 0 && assembler->shared.is_out_of_memory)
		return rarog_oom();
	return r;
}

void rarog_assembler_know_off_cpu(struct rarog_assembler *assembler)
{
	assembler->knows_off_cpu = true;
}

/* Before its first word a strand was not there: its thread waited for rarog, or had not begun. */
static int add_absences(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			const struct rarog_off_cpu_span spans[n])
{
	const struct rarog_strand_machine *machine = &find_strand(assembler, strand)->machine;
	int r = 0;

	if (machine->is_started)
		r = rarog_absences_live(&assembler->absences, strand, machine->off_cpu.born,
					UINT64_MAX);
	return r < 0 ? r : rarog_absences_add(&assembler->absences, strand, n, spans);
}

int rarog_assembler_off_cpu(struct rarog_assembler *assembler, uint32_t strand, size_t n,
			    const struct rarog_off_cpu_span spans[n])
{
	struct strand *s = find_strand(assembler, strand);

	if (!s || !s->is_announced)
		return rarog_fail(-EINVAL, "strand %u is not announced", strand);
	if (s->is_ended)
		return 0;
	if (s->machine.is_keeping && add_absences(assembler, strand, n, spans) < 0)
		return rarog_oom();
	return rarog_strand_machine_off_cpu(&s->machine, n, spans);
}

void rarog_assembler_off_cpu_unknown(struct rarog_assembler *assembler, uint32_t strand)
{
	struct strand *s = find_strand(assembler, strand);

	if (s)
		s->machine.off_cpu.is_unknown = true;
}

static int add_summaries(struct rarog_assembler *a, size_t n, const struct rarog_summary *v)
{
	return n && a->options.sink.summaries
		       ? a->options.sink.summaries(a->options.sink.context, n, v)
		       : 0;
}

/* The sums over all strands grow to what the strand's locations need. */
static int reserve_locations(struct rarog_assembler *a)
{
	size_t n = a->shared.histograms.n;

	if (rarog_vec_reserve(&a->stats, n) < 0 || rarog_vec_reserve(&a->ends, n) < 0)
		return rarog_oom();
	while (a->stats.n < n)
		a->stats.v[a->stats.n++] = (struct rarog_stats){ 0 };
	while (a->ends.n < n)
		a->ends.v[a->ends.n++] = (struct rarog_stats_ends){ 0 };
	return 0;
}

static bool is_empty(const struct rarog_stats *stats, const struct rarog_stats_ends *ends)
{
	return !stats->count && !stats->total && !ends->open && !ends->unwound && !ends->untimed;
}

static int merge_strand(struct rarog_assembler *a, const struct rarog_strand_machine *m)
{
	struct rarog_summary rows[CHUNK];
	size_t n = 0;
	int r = reserve_locations(a);

	for (size_t id = 0; r >= 0 && id < m->n_functions; id++) {
		uint32_t location = m->functions[id].location;
		struct rarog_stats_ends ends =
			m->ends ? m->ends[id] : (struct rarog_stats_ends){ 0 };

		if (is_empty(&m->stats[id], &ends))
			continue;
		rarog_stats_merge(&a->stats.v[location], &m->stats[id]);
		a->ends.v[location].open += ends.open;
		a->ends.v[location].unwound += ends.unwound;
		rows[n] = rarog_stats_summary(&m->stats[id], &ends, location, m->batch.strand);
		r = rarog_weights_weigh(a->options.weights, &rows[n++]);
		if (r == 0 && n == CHUNK) {
			r = add_summaries(a, n, rows);
			n = 0;
		}
	}
	return r < 0 ? r : add_summaries(a, n, rows);
}

static void add_totals(struct rarog_assembler_totals *t, const struct strand *s)
{
	const struct rarog_strand_machine *m = &s->machine;

	t->calls += m->calls;
	t->events += 2 * m->calls + m->inherited - m->unwound - m->open;
	t->lost_events += m->lost_events + (s->n_carry > 0);
	t->open += m->open;
	t->unwound += m->unwound;
	t->wait_ticks += m->waits;
}

static uint64_t strand_end(const struct rarog_strand_machine *machine, uint64_t end_ticks)
{
	uint64_t last = machine->now + machine->waits;

	return end_ticks > last ? end_ticks : last;
}

int rarog_assembler_end(struct rarog_assembler *assembler, uint32_t strand, uint64_t end_ticks)
{
	struct strand *s = find_strand(assembler, strand);

	if (!s || s->is_ended)
		return rarog_fail(-EINVAL, "strand %u is not announced or has ended", strand);
	s->is_ended = true;
	int r = rarog_strand_machine_close(&s->machine, end_ticks);

	add_totals(&assembler->totals, s);
	if (r >= 0)
		r = merge_strand(assembler, &s->machine);
	if (r >= 0 && assembler->knows_off_cpu)
		r = rarog_absences_live(&assembler->absences, strand, s->machine.off_cpu.born,
					s->machine.is_started ? strand_end(&s->machine, end_ticks)
							      : 0);
	if (r >= 0 && assembler->knows_off_cpu)
		r = rarog_off_cpu_sums_merge(&assembler->off_cpu, &assembler->options.sink,
					     &s->machine);
	rarog_strand_machine_release(&s->machine);
	return r;
}

/* --- sums of an engine's own --- */

static int add_own_row(struct rarog_assembler *a, const struct rarog_sums_row *from)
{
	struct rarog_stats_ends *ends;
	struct rarog_summary row;
	int r = rarog_histograms_reserve(&a->shared.histograms, from->location + (size_t)1);

	if (r == 0)
		r = reserve_locations(a);
	if (r < 0)
		return r;
	rarog_stats_merge(&a->stats.v[from->location], &from->stats);
	ends = &a->ends.v[from->location];
	ends->open += from->ends.open;
	ends->unwound += from->ends.unwound;
	ends->untimed += from->ends.untimed;
	a->totals.calls += from->stats.count + from->ends.untimed;
	a->totals.events += 2 * from->stats.count;
	a->totals.open += from->ends.open;
	a->totals.unwound += from->ends.unwound;
	if (from->strand == RAROG_NONE)
		return 0;
	row = rarog_stats_summary(&from->stats, &from->ends, from->location, from->strand);
	r = rarog_weights_weigh(a->options.weights, &row);
	return r < 0 ? r : add_summaries(a, 1, &row);
}

/* A count may be larger than what a row takes at once. */
static int add_own_bucket(struct rarog_assembler *a, const struct rarog_sums_bucket *bucket)
{
	struct rarog_histograms *histograms = &a->shared.histograms;
	int r = rarog_histograms_reserve(histograms, bucket->location + (size_t)1);

	for (uint64_t left = bucket->count; r == 0 && left > 0;) {
		uint32_t some = left < UINT32_MAX / 4 ? (uint32_t)left : UINT32_MAX / 4;
		uint32_t *row = rarog_histograms_row(histograms, bucket->location);

		r = row ? rarog_histograms_expect(histograms, some) : rarog_oom();
		if (r == 0)
			row[bucket->bucket] += some;
		left -= some;
	}
	return r;
}

static int add_own_nodes(struct rarog_assembler *a, size_t n, const struct rarog_sums_node *nodes)
{
	rarog_cleanup(rarog_freep) uint32_t *ids = calloc(n + 1, sizeof(*ids));
	struct rarog_tree *tree = &a->shared.tree;

	if (!ids)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = nodes[i].parent == RAROG_NONE ? 0 : ids[nodes[i].parent];
		uint64_t node = rarog_tree_child(tree, parent, nodes[i].location, false);

		ids[i] = (uint32_t)node;
		tree->amounts[ids[i]].exclusive += nodes[i].exclusive;
		if (!(node & RAROG_TREE_FOREIGN))
			tree->amounts[ids[i]].count += nodes[i].count;
	}
	return 0;
}

int rarog_assembler_sums(struct rarog_assembler *assembler, const struct rarog_sums *sums)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sums->rows.n; i++)
		r = add_own_row(assembler, &sums->rows.v[i]);
	for (size_t i = 0; r >= 0 && i < sums->buckets.n; i++)
		r = add_own_bucket(assembler, &sums->buckets.v[i]);
	return r < 0 ? r : add_own_nodes(assembler, sums->nodes.n, sums->nodes.v);
}

static int end_all(struct rarog_assembler *a, uint64_t end_ticks)
{
	for (size_t i = 0; i < a->strands.n; i++) {
		int r = 0;

		if (a->strands.v[i] && !a->strands.v[i]->is_ended)
			r = rarog_assembler_end(a, (uint32_t)i, end_ticks);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Rows of a block, with their histograms. */
struct summaries {
	size_t n, n_buckets;
	struct rarog_summary rows[CHUNK];
	struct rarog_histogram_bucket buckets[8 * RAROG_HISTOGRAM_BUCKETS];
};

static int flush_summaries(struct rarog_assembler *a, struct summaries *s)
{
	int r = add_summaries(a, s->n, s->rows);

	s->n = s->n_buckets = 0;
	return r;
}

static int add_summary(struct rarog_assembler *a, struct summaries *s, size_t location)
{
	struct rarog_summary *row = &s->rows[s->n++];

	*row = rarog_stats_summary(&a->stats.v[location], &a->ends.v[location], (uint32_t)location,
				   RAROG_NONE);
	if (rarog_weights_weigh(a->options.weights, row) < 0)
		return rarog_oom();
	row->buckets = s->buckets + s->n_buckets;
	row->n_buckets = rarog_histograms_buckets(&a->shared.histograms, row->location,
						  s->buckets + s->n_buckets);
	s->n_buckets += row->n_buckets;
	if (s->n == CHUNK || RAROG_COUNT(s->buckets) - s->n_buckets < RAROG_HISTOGRAM_BUCKETS)
		return flush_summaries(a, s);
	return 0;
}

static int write_summaries(struct rarog_assembler *a)
{
	rarog_cleanup(rarog_freep) struct summaries *s = calloc(1, sizeof(*s));
	int r = s ? 0 : rarog_oom();

	for (size_t i = 0; r >= 0 && i < a->stats.n; i++)
		if (!is_empty(&a->stats.v[i], &a->ends.v[i]))
			r = add_summary(a, s, i);
	return r < 0 ? r : flush_summaries(a, s);
}

static int write_nodes(struct rarog_assembler *a)
{
	const struct rarog_tree *tree = &a->shared.tree;
	rarog_cleanup(rarog_freep) uint64_t *inclusive = NULL;
	struct rarog_node rows[CHUNK];
	int r = rarog_tree_inclusive(tree, &inclusive);

	for (size_t i = 0; r >= 0 && i < tree->n; i++) {
		rows[i % CHUNK] = (struct rarog_node){
			.parent = tree->links[i].parent,
			.location = tree->links[i].location,
			.count = tree->amounts[i].count,
			.inclusive = inclusive[i],
			.exclusive = tree->amounts[i].exclusive,
		};
		if (i % CHUNK == CHUNK - 1 || i + 1 == tree->n)
			r = a->options.sink.nodes(a->options.sink.context, i % CHUNK + 1, rows);
	}
	return r;
}

static int write_losses(struct rarog_assembler *a)
{
	const struct rarog_loss all[] = {
		{ "events", a->totals.lost_events },
		{ "contexts folded", a->totals.folded_calls },
	};
	struct rarog_loss some[RAROG_COUNT(all)];
	size_t n = 0;

	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		if (all[i].count)
			some[n++] = all[i];
	return n && a->options.sink.losses
		       ? a->options.sink.losses(a->options.sink.context, n, some)
		       : 0;
}

int rarog_assembler_finish(struct rarog_assembler *assembler, uint64_t end_ticks,
			   struct rarog_assembler_totals *ret_totals)
{
	int r = end_all(assembler, end_ticks);

	if (r < 0)
		return r;
	assembler->totals.folded_calls = assembler->shared.tree.folded;
	assembler->totals.clamped_calls = assembler->shared.clamped;
	assembler->totals.nodes = assembler->shared.tree.n;
	r = write_summaries(assembler);
	if (r >= 0 && assembler->options.sink.nodes)
		r = write_nodes(assembler);
	if (r >= 0)
		r = write_losses(assembler);
	if (r >= 0 && assembler->knows_off_cpu)
		r = rarog_off_cpu_sums_write(&assembler->off_cpu, &assembler->options.sink,
					     &assembler->shared.tree);
	if (r >= 0)
		r = rarog_absences_write(&assembler->absences, &assembler->options.sink);
	if (r < 0)
		return r;
	assembler->totals.strands_unknown = assembler->off_cpu.strands_unknown;
	*ret_totals = assembler->totals;
	return 0;
}
