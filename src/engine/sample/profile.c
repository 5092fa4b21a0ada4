/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times are nanoseconds of CLOCK_MONOTONIC. Counts are samples: of nodes those in the function
 * itself, of summaries those in which it was on the stack. The header's "counts" says so.
 */
#include "engine/sample/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/sample/locations.h"
#include "engine/sample/sums.h"

#define MAX_NODES ((size_t)1 << 26)

struct output {
	struct rarog_sampled *sampled;
	struct rarog_profile_writer *writer;
	bool has_off_cpu;
	uint64_t end_ns;
	uint32_t *locations; /* by place */
	struct rarog_sample_sums sums;
	struct rarog_sample_amount *all, *one; /* [sums.n_locations], of all threads, of one */
};

static int add_processes(const struct output *o, int wait_status)
{
	const struct rarog_sampled *s = o->sampled;
	long number = 0;

	for (size_t i = 0; number >= 0 && i < s->processes.n; i++) {
		const struct rarog_sample_process *p = &s->processes.v[i];
		const struct rarog_process row = { .pid = p->pid,
						   .parent = p->parent,
						   .start_ticks = p->start_ns,
						   .end_ticks = p->end_ns ? p->end_ns : o->end_ns,
						   .wait_status = i == 0 ? wait_status : -1,
						   .command = p->command ? p->command : "" };

		number = rarog_profile_add_process(o->writer, &row);
	}
	for (size_t i = 0; number >= 0 && i < s->threads.n; i++) {
		const struct rarog_sample_thread *t = &s->threads.v[i];
		const struct rarog_strand row = { .process = t->process,
						  .tid = t->tid,
						  .start_ticks = t->start_ns,
						  .end_ticks = t->end_ns ? t->end_ns : o->end_ns };

		number = rarog_profile_add_strand(o->writer, &row);
	}
	return number < 0 ? (int)number : 0;
}

/* --- sums --- */

static int add_off_cpu(const struct output *o, uint32_t location, uint32_t strand,
		       const struct rarog_sample_amount *amount)
{
	const struct rarog_off_cpu row = { .location = location,
					   .strand = strand,
					   .waited = amount->off_cpu.waited,
					   .preempted = amount->off_cpu.preempted,
					   .total_waited = amount->total_off_cpu.waited,
					   .total_preempted = amount->total_off_cpu.preempted };

	if (!o->has_off_cpu ||
	    (rarog_off_cpu_is_none(&amount->total_off_cpu) && location != RAROG_NONE))
		return 0;
	return rarog_profile_add_off_cpu(o->writer, 1, &row);
}

static int add_summary(const struct output *o, uint32_t location, uint32_t strand,
		       const struct rarog_sample_amount *amount)
{
	const struct rarog_summary row = { .location = location,
					   .strand = strand,
					   .count = amount->below,
					   .timed = amount->below,
					   .sum = amount->total,
					   .total = amount->total,
					   .exclusive = amount->exclusive };
	int r;

	if (amount->below == 0 && amount->total == 0)
		return 0;
	r = rarog_profile_add_summaries(o->writer, 1, &row);
	return r < 0 ? r : add_off_cpu(o, location, strand, amount);
}

static void add_to_all(struct output *o)
{
	for (size_t i = 0; i < o->sums.n_locations; i++) {
		o->all[i].count += o->one[i].count;
		o->all[i].below += o->one[i].below;
		o->all[i].exclusive += o->one[i].exclusive;
		o->all[i].total += o->one[i].total;
		rarog_off_cpu_add(&o->all[i].off_cpu, &o->one[i].off_cpu);
		rarog_off_cpu_add(&o->all[i].total_off_cpu, &o->one[i].total_off_cpu);
	}
}

/* The amount of a node with all below it, as one that has no location. */
static struct rarog_sample_amount whole_of(const struct rarog_sample_amount *node)
{
	return (struct rarog_sample_amount){ .off_cpu = node->total_off_cpu };
}

static int add_thread(struct output *o, uint32_t node)
{
	uint32_t strand = o->sampled->tree.links[node].location;
	struct rarog_sample_amount whole = whole_of(&o->sums.nodes[node]);
	int r = add_off_cpu(o, RAROG_NONE, strand, &whole);

	memset(o->one, 0, (o->sums.n_locations + 1) * sizeof(*o->one));
	rarog_sample_sums_add(&o->sums, &o->sampled->tree, node, o->locations, o->one);
	add_to_all(o);
	for (size_t i = 0; r == 0 && i < o->sums.n_locations; i++)
		r = add_summary(o, (uint32_t)i, strand, &o->one[i]);
	return r;
}

static int add_sums(struct output *o)
{
	struct rarog_sample_amount whole = whole_of(&o->sums.nodes[0]);
	int r = add_off_cpu(o, RAROG_NONE, RAROG_NONE, &whole);

	for (uint32_t node = o->sums.child[0]; r == 0 && node; node = o->sums.sibling[node])
		r = add_thread(o, node);
	for (size_t i = 0; r == 0 && i < o->sums.n_locations; i++)
		r = add_summary(o, (uint32_t)i, RAROG_NONE, &o->all[i]);
	return r;
}

/* --- contexts --- */

/* The same contexts of several threads are one. */
static int join_threads(const struct output *o, struct rarog_tree *to)
{
	const struct rarog_tree *from = &o->sampled->tree;
	rarog_cleanup(rarog_freep) uint32_t *nodes = calloc(from->n, sizeof(*nodes));
	int r = nodes ? 0 : rarog_oom();

	for (size_t i = 1; r == 0 && i < from->n; i++) {
		const struct rarog_sample_amount *amount = &o->sums.nodes[i];
		const struct rarog_tree_link *link = &from->links[i];

		if (link->parent == 0)
			continue; /* a thread */
		nodes[i] = (uint32_t)(rarog_tree_child(to, nodes[link->parent],
						       o->locations[link->location], false) &
				      ~RAROG_TREE_FOREIGN);
		to->amounts[nodes[i]].count += amount->count;
		to->amounts[nodes[i]].exclusive += amount->exclusive;
		if (!rarog_off_cpu_is_none(&amount->off_cpu))
			r = rarog_tree_off_cpu(to, nodes[i], &amount->off_cpu);
	}
	return r;
}

static int write_nodes(const struct output *o, const struct rarog_tree *tree)
{
	rarog_cleanup(rarog_freep) uint64_t *inclusive = NULL;
	int r = rarog_tree_inclusive(tree, &inclusive);

	for (size_t i = 0; r == 0 && i < tree->n; i++) {
		const struct rarog_node node = {
			.parent = i == 0 ? RAROG_NONE : tree->links[i].parent,
			.location = i == 0 ? RAROG_NONE : tree->links[i].location,
			.count = tree->amounts[i].count,
			.inclusive = inclusive[i],
			.exclusive = tree->amounts[i].exclusive,
		};

		r = rarog_profile_add_nodes(o->writer, 1, &node);
	}
	for (size_t i = 1; r == 0 && tree->off_cpu && i < tree->n; i++) {
		const struct rarog_node_off_cpu row = { .node = (uint32_t)i,
							.waited = tree->off_cpu[i].waited,
							.preempted = tree->off_cpu[i].preempted };

		if (!rarog_off_cpu_is_none(&tree->off_cpu[i]))
			r = rarog_profile_add_nodes_off_cpu(o->writer, 1, &row);
	}
	return r;
}

static int add_contexts(const struct output *o)
{
	struct rarog_tree tree = { 0 };
	int r = rarog_tree_init(&tree, MAX_NODES);

	if (r == 0)
		r = join_threads(o, &tree);
	if (r == 0)
		r = write_nodes(o, &tree);
	rarog_tree_release(&tree);
	return r;
}

static int write_all(struct output *o, double ns_per_period, size_t n_locations)
{
	int r = rarog_sample_sums_init(&o->sampled->tree, ns_per_period, n_locations, &o->sums);

	o->all = calloc(n_locations + 1, sizeof(*o->all));
	o->one = calloc(n_locations + 1, sizeof(*o->one));
	if (r == 0 && (!o->all || !o->one))
		r = rarog_oom();
	if (r == 0)
		r = add_sums(o);
	return r < 0 ? r : add_contexts(o);
}

int rarog_sampled_write(struct rarog_sampled *sampled, double ns_per_period, bool has_off_cpu,
			int wait_status, uint64_t end_ns, struct rarog_profile_writer *writer,
			struct rarog_software *software)
{
	struct output o = {
		.sampled = sampled, .writer = writer, .has_off_cpu = has_off_cpu, .end_ns = end_ns
	};
	long n = rarog_sample_locations_write(sampled, writer, software, &o.locations);
	int r = n < 0 ? (int)n : add_processes(&o, wait_status);

	if (r == 0)
		r = write_all(&o, ns_per_period, (size_t)n);
	rarog_sample_sums_release(&o.sums);
	free(o.locations);
	free(o.all);
	free(o.one);
	return r;
}
