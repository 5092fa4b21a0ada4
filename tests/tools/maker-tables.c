/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "maker.h"

static void write_summary(struct maker *maker, struct tally *t)
{
	RAROG_VEC(struct rarog_histogram_bucket) buckets = { 0 };

	for (uint32_t b = 0; t->s.strand == RAROG_NONE && b < RAROG_HISTOGRAM_BUCKETS; b++)
		if (t->buckets[b])
			must(rarog_vec_push(&buckets,
					    (struct rarog_histogram_bucket){ b, t->buckets[b] }));
	t->s.n_buckets = (uint32_t)buckets.n;
	t->s.buckets = buckets.v;
	must(rarog_profile_add_summaries(maker->writer, 1, &t->s));
	rarog_vec_release(&buckets);
}

static void write_off_cpu(struct maker *maker)
{
	struct rarog_off_cpu whole = { .location = RAROG_NONE, .strand = RAROG_NONE };

	for (uint32_t i = 0; i < maker->nodes.n; i++) {
		struct rarog_node_off_cpu off_cpu = maker->nodes.v[i].off_cpu;

		off_cpu.node = i;
		if (off_cpu.waited + off_cpu.preempted > 0)
			must(rarog_profile_add_nodes_off_cpu(maker->writer, 1, &off_cpu));
	}
	for (uint32_t i = 0; i < maker->strands.n; i++) {
		struct rarog_off_cpu off_cpu = maker->strands.v[i].off_cpu;

		off_cpu.location = RAROG_NONE;
		off_cpu.strand = i;
		must(rarog_profile_add_off_cpu(maker->writer, 1, &off_cpu));
	}
	for (size_t i = 0; i < maker->tallies.n; i++) {
		const struct tally *t = &maker->tallies.v[i];
		struct rarog_off_cpu off_cpu = t->off_cpu;

		if (t->s.count == 0)
			continue;
		off_cpu.location = t->s.location;
		off_cpu.strand = t->s.strand;
		whole.waited += t->s.strand == RAROG_NONE ? off_cpu.waited : 0;
		whole.preempted += t->s.strand == RAROG_NONE ? off_cpu.preempted : 0;
		must(rarog_profile_add_off_cpu(maker->writer, 1, &off_cpu));
	}
	must(rarog_profile_add_off_cpu(maker->writer, 1, &whole));
}

static void write_counts(struct maker *maker)
{
	for (size_t i = 0; i < maker->tallies.n; i++) {
		const struct rarog_summary *s = &maker->tallies.v[i].s;
		const struct rarog_summary count = { .location = s->location,
						     .strand = RAROG_NONE,
						     .count = s->count };

		if (s->count > 0 && s->strand == RAROG_NONE)
			must(rarog_profile_add_summaries(maker->writer, 1, &count));
	}
}

void maker_write_tables(struct maker *maker)
{
	RAROG_VEC(struct rarog_node) nodes = { 0 };

	if (maker->counts_only) {
		write_counts(maker);
		return;
	}

	for (size_t i = 0; i < maker->nodes.n; i++)
		must(rarog_vec_push(&nodes, maker->nodes.v[i].node));
	must(rarog_profile_add_nodes(maker->writer, nodes.n, nodes.v));
	rarog_vec_release(&nodes);
	for (size_t i = 0; i < maker->tallies.n; i++)
		if (maker->tallies.v[i].s.count > 0)
			write_summary(maker, &maker->tallies.v[i]);
	if (maker->has_off_cpu)
		write_off_cpu(maker);
}
