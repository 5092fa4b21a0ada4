/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sample/sums.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static void add_amount(struct rarog_sample_amount *to, const struct rarog_sample_amount *from)
{
	to->count += from->count;
	to->exclusive += from->exclusive;
	rarog_off_cpu_add(&to->off_cpu, &from->off_cpu);
}

static void add_total(struct rarog_sample_amount *to, const struct rarog_sample_amount *from)
{
	to->below += from->below;
	to->total += from->total;
	rarog_off_cpu_add(&to->total_off_cpu, &from->total_off_cpu);
}

/* Own amounts, then those of children to their parents, which come before them. */
static void fill(const struct rarog_tree *tree, double ns_per_period,
		 struct rarog_sample_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++) {
		struct rarog_sample_amount *node = &sums->nodes[i];

		node->count = tree->amounts[i].count;
		if (tree->off_cpu)
			node->off_cpu = tree->off_cpu[i];
		node->exclusive =
			(uint64_t)llround((double)tree->amounts[i].exclusive * ns_per_period) +
			node->off_cpu.waited + node->off_cpu.preempted;
		node->below = node->count;
		node->total = node->exclusive;
		node->total_off_cpu = node->off_cpu;
	}
	for (size_t i = sums->n; i-- > 1;) {
		uint32_t parent = tree->links[i].parent;

		add_total(&sums->nodes[parent], &sums->nodes[i]);
		sums->sibling[i] = sums->child[parent];
		sums->child[parent] = (uint32_t)i;
	}
}

int rarog_sample_sums_init(const struct rarog_tree *tree, double ns_per_period, size_t n_locations,
			   struct rarog_sample_sums *ret_sums)
{
	struct rarog_sample_sums *sums = ret_sums;

	*sums = (struct rarog_sample_sums){ .n = tree->n, .n_locations = n_locations };
	sums->nodes = calloc(tree->n, sizeof(*sums->nodes));
	sums->child = calloc(tree->n, sizeof(*sums->child));
	sums->sibling = calloc(tree->n, sizeof(*sums->sibling));
	sums->on_path = calloc(n_locations + 1, sizeof(*sums->on_path));
	if (!sums->nodes || !sums->child || !sums->sibling || !sums->on_path)
		return rarog_oom();
	fill(tree, ns_per_period, sums);
	return 0;
}

void rarog_sample_sums_release(struct rarog_sample_sums *sums)
{
	free(sums->nodes);
	free(sums->child);
	free(sums->sibling);
	free(sums->on_path);
	*sums = (struct rarog_sample_sums){ 0 };
}

static void enter(struct rarog_sample_sums *sums, uint32_t node, uint32_t location,
		  struct rarog_sample_amount amounts[])
{
	add_amount(&amounts[location], &sums->nodes[node]);
	if (sums->on_path[location]++ == 0)
		add_total(&amounts[location], &sums->nodes[node]);
}

/* Depth first, without recursion. */
void rarog_sample_sums_add(struct rarog_sample_sums *sums, const struct rarog_tree *tree,
			   uint32_t top, const uint32_t locations[],
			   struct rarog_sample_amount amounts[])
{
	uint32_t node = sums->child[top];

	while (node) {
		enter(sums, node, locations[tree->links[node].location], amounts);
		if (sums->child[node]) {
			node = sums->child[node];
			continue;
		}
		while (node != top) {
			sums->on_path[locations[tree->links[node].location]]--;
			if (sums->sibling[node])
				break;
			node = tree->links[node].parent;
		}
		node = node == top ? 0 : sums->sibling[node];
	}
}
