/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/off-cpu-sums.h"

#include "base/error.h"

#define CHUNK 1024 /* rows given to the sink at a time */

void rarog_away_sums_release(struct rarog_away_sums *sums)
{
	rarog_vec_release(&sums->locations);
	rarog_vec_release(&sums->rows);
}

static int flush(struct rarog_away_sums *sums, const struct rarog_assembler_sink *sink)
{
	size_t n = sums->rows.n;

	sums->rows.n = 0;
	return n && sink->away ? sink->away(sink->context, n, sums->rows.v) : 0;
}

/* What was away nowhere has no row. */
static int add(struct rarog_away_sums *sums, const struct rarog_assembler_sink *sink,
	       const struct rarog_away *row)
{
	if (!row->is_unknown && !row->waited && !row->preempted && !row->total_waited &&
	    !row->total_preempted)
		return 0;
	if (rarog_vec_push(&sums->rows, *row) < 0)
		return rarog_oom();
	return sums->rows.n == CHUNK ? flush(sums, sink) : 0;
}

static struct rarog_away_sum *sum_of(struct rarog_away_sums *sums, uint32_t location)
{
	while (sums->locations.n <= location)
		if (rarog_vec_push(&sums->locations, (struct rarog_away_sum){ 0 }) < 0)
			return NULL;
	return &sums->locations.v[location];
}

static int merge_function(struct rarog_away_sums *sums, const struct rarog_assembler_sink *sink,
			  const struct rarog_strand_machine *m, size_t id,
			  struct rarog_away *strand)
{
	static const struct rarog_stats_away none;
	const struct rarog_stats_away *stats = m->away.stats ? &m->away.stats[id] : &none;
	uint32_t location = m->functions[id].location;
	struct rarog_away_sum *sum = sum_of(sums, location);
	const struct rarog_away row =
		rarog_stats_away_row(stats, location, m->batch.strand, m->away.is_unknown);

	if (!sum)
		return rarog_oom();
	rarog_away_add(&sum->stats.exclusive, &stats->exclusive);
	rarog_away_add(&sum->stats.total, &stats->total);
	sum->is_unknown |= m->away.is_unknown;
	strand->waited += row.waited;
	strand->preempted += row.preempted;
	return add(sums, sink, &row);
}

int rarog_away_sums_merge(struct rarog_away_sums *sums, const struct rarog_assembler_sink *sink,
			  const struct rarog_strand_machine *machine)
{
	struct rarog_away strand = {
		.location = RAROG_NONE,
		.strand = machine->batch.strand,
		.is_unknown = machine->away.is_unknown,
	};
	int r = 0;

	sums->strands_unknown += machine->away.is_unknown;
	if (!machine->away.is_unknown && !machine->away.stats)
		return 0;
	for (size_t id = 0; r == 0 && id < machine->n_functions; id++)
		if (machine->stats[id].count || machine->stats[id].total)
			r = merge_function(sums, sink, machine, id, &strand);
	return r < 0 ? r : add(sums, sink, &strand);
}

/* Of the run as a whole, also when nothing was away: it says that this is known. */
static int write_run(struct rarog_away_sums *sums, const struct rarog_assembler_sink *sink)
{
	struct rarog_away run = {
		.location = RAROG_NONE,
		.strand = RAROG_NONE,
		.is_unknown = sums->strands_unknown > 0,
	};

	for (size_t i = 0; i < sums->locations.n; i++) {
		run.waited += sums->locations.v[i].stats.exclusive.waited;
		run.preempted += sums->locations.v[i].stats.exclusive.preempted;
	}
	return rarog_vec_push(&sums->rows, run) < 0 ? rarog_oom() : flush(sums, sink);
}

static int write_nodes(const struct rarog_assembler_sink *sink, const struct rarog_tree *tree)
{
	struct rarog_node_away rows[CHUNK];
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree->n; i++) {
		const struct rarog_away_time *away = &tree->away[i];

		if (rarog_away_is_none(away))
			continue;
		rows[n++] = (struct rarog_node_away){ (uint32_t)i, away->waited, away->preempted };
		if (n == CHUNK) {
			r = sink->nodes_away(sink->context, n, rows);
			n = 0;
		}
	}
	return r < 0 || n == 0 ? r : sink->nodes_away(sink->context, n, rows);
}

int rarog_away_sums_write(struct rarog_away_sums *sums, const struct rarog_assembler_sink *sink,
			  const struct rarog_tree *tree)
{
	int r = write_run(sums, sink);

	for (size_t i = 0; r == 0 && i < sums->locations.n; i++) {
		const struct rarog_away_sum *sum = &sums->locations.v[i];
		const struct rarog_away row =
			rarog_stats_away_row(&sum->stats, (uint32_t)i, RAROG_NONE, sum->is_unknown);

		r = add(sums, sink, &row);
	}
	if (r == 0)
		r = flush(sums, sink);
	return r == 0 && tree->away && sink->nodes_away ? write_nodes(sink, tree) : r;
}
