/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/off-cpu-sums.h"

#include "base/error.h"

#define CHUNK 1024 /* rows given to the sink at a time */

void rarog_off_cpu_sums_release(struct rarog_off_cpu_sums *sums)
{
	rarog_vec_release(&sums->locations);
	rarog_vec_release(&sums->rows);
}

static int flush(struct rarog_off_cpu_sums *sums, const struct rarog_assembler_sink *sink)
{
	size_t n = sums->rows.n;

	sums->rows.n = 0;
	return n && sink->off_cpu ? sink->off_cpu(sink->context, n, sums->rows.v) : 0;
}

/* What was never off-CPU has no row. */
static int add(struct rarog_off_cpu_sums *sums, const struct rarog_assembler_sink *sink,
	       const struct rarog_off_cpu *row)
{
	if (!row->is_unknown && !row->waited && !row->preempted && !row->total_waited &&
	    !row->total_preempted)
		return 0;
	if (rarog_vec_push(&sums->rows, *row) < 0)
		return rarog_oom();
	return sums->rows.n == CHUNK ? flush(sums, sink) : 0;
}

static struct rarog_off_cpu_sum *sum_of(struct rarog_off_cpu_sums *sums, uint32_t location)
{
	while (sums->locations.n <= location)
		if (rarog_vec_push(&sums->locations, (struct rarog_off_cpu_sum){ 0 }) < 0)
			return NULL;
	return &sums->locations.v[location];
}

static int merge_function(struct rarog_off_cpu_sums *sums, const struct rarog_assembler_sink *sink,
			  const struct rarog_strand_machine *m, size_t id,
			  struct rarog_off_cpu *strand)
{
	static const struct rarog_stats_off_cpu none;
	const struct rarog_stats_off_cpu *stats = m->off_cpu.stats ? &m->off_cpu.stats[id] : &none;
	uint32_t location = m->functions[id].location;
	struct rarog_off_cpu_sum *sum = sum_of(sums, location);
	const struct rarog_off_cpu row =
		rarog_stats_off_cpu_row(stats, location, m->batch.strand, m->off_cpu.is_unknown);

	if (!sum)
		return rarog_oom();
	rarog_off_cpu_add(&sum->stats.exclusive, &stats->exclusive);
	rarog_off_cpu_add(&sum->stats.total, &stats->total);
	sum->is_unknown |= m->off_cpu.is_unknown;
	strand->waited += row.waited;
	strand->preempted += row.preempted;
	return add(sums, sink, &row);
}

int rarog_off_cpu_sums_merge(struct rarog_off_cpu_sums *sums,
			     const struct rarog_assembler_sink *sink,
			     const struct rarog_strand_machine *machine)
{
	struct rarog_off_cpu strand = {
		.location = RAROG_NONE,
		.strand = machine->batch.strand,
		.is_unknown = machine->off_cpu.is_unknown,
	};
	int r = 0;

	sums->strands_unknown += machine->off_cpu.is_unknown;
	if (!machine->off_cpu.is_unknown && !machine->off_cpu.stats)
		return 0;
	for (size_t id = 0; r == 0 && id < machine->n_functions; id++)
		if (machine->stats[id].count || machine->stats[id].total)
			r = merge_function(sums, sink, machine, id, &strand);
	return r < 0 ? r : add(sums, sink, &strand);
}

/* Of the run as a whole, also when nothing was off-CPU: it says that this is known. */
static int write_run(struct rarog_off_cpu_sums *sums, const struct rarog_assembler_sink *sink)
{
	struct rarog_off_cpu run = {
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
	struct rarog_node_off_cpu rows[CHUNK];
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree->n; i++) {
		const struct rarog_off_cpu_time *off_cpu = &tree->off_cpu[i];

		if (rarog_off_cpu_is_none(off_cpu))
			continue;
		rows[n++] = (struct rarog_node_off_cpu){ (uint32_t)i, off_cpu->waited,
							 off_cpu->preempted };
		if (n == CHUNK) {
			r = sink->nodes_off_cpu(sink->context, n, rows);
			n = 0;
		}
	}
	return r < 0 || n == 0 ? r : sink->nodes_off_cpu(sink->context, n, rows);
}

int rarog_off_cpu_sums_write(struct rarog_off_cpu_sums *sums,
			     const struct rarog_assembler_sink *sink, const struct rarog_tree *tree)
{
	int r = write_run(sums, sink);

	for (size_t i = 0; r == 0 && i < sums->locations.n; i++) {
		const struct rarog_off_cpu_sum *sum = &sums->locations.v[i];
		const struct rarog_off_cpu row = rarog_stats_off_cpu_row(
			&sum->stats, (uint32_t)i, RAROG_NONE, sum->is_unknown);

		r = add(sums, sink, &row);
	}
	if (r == 0)
		r = flush(sums, sink);
	return r == 0 && tree->off_cpu && sink->nodes_off_cpu ? write_nodes(sink, tree) : r;
}
