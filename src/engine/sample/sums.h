/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tree of threads and places as amounts in nanoseconds: of every node, and of every location in
 * a thread and in all of them.
 */
#ifndef RAROG_ENGINE_SAMPLE_SUMS_H
#define RAROG_ENGINE_SAMPLE_SUMS_H

#include "events/tree.h"

/* Times include those on no processor. */
struct rarog_sample_amount {
	uint64_t count; /* samples: of a node its own … */
	uint64_t below; /* … with all below it */
	uint64_t exclusive, total;
	struct rarog_off_cpu_time off_cpu, total_off_cpu;
};

struct rarog_sample_sums {
	size_t n;                          /* nodes of the tree */
	struct rarog_sample_amount *nodes; /* [n]; total: with all below */
	uint32_t *child, *sibling;         /* [n], 0: none */
	size_t n_locations;
	uint32_t *on_path; /* [n_locations], how often on the way to the node at hand */
};

/** rarog_sample_sums_init() - of @tree, whose periods are worth @ns_per_period each. 0 or -ENOMEM;
 * release it in any case. */
int rarog_sample_sums_init(const struct rarog_tree *tree, double ns_per_period, size_t n_locations,
			   struct rarog_sample_sums *ret_sums);
void rarog_sample_sums_release(struct rarog_sample_sums *sums);

/**
 * rarog_sample_sums_add() - add what is below node @top to the amounts of locations
 * @locations: by place, the number of a node
 * @amounts: amounts[sums->n_locations]; total: of a location that is on a path several times, what
 * its outermost node has
 */
void rarog_sample_sums_add(struct rarog_sample_sums *sums, const struct rarog_tree *tree,
			   uint32_t top, const uint32_t locations[],
			   struct rarog_sample_amount amounts[]);

#endif
