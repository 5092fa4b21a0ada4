/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What make-profile has summed up of the events so far. */
#ifndef RAROG_TESTS_MAKER_H
#define RAROG_TESTS_MAKER_H

#include "base/vec.h"
#include "description.h"
#include "profile/writer.h"

#define MAX_LOCATIONS 4096

struct frame {
	uint32_t location, node;
	uint64_t start, children, waited;
};

struct strand {
	uint64_t clock, waited;
	struct rarog_off_cpu off_cpu;
	RAROG_VEC(struct frame) frames;
	RAROG_VEC(uint32_t) op;
	RAROG_VEC(uint64_t) delta;
	RAROG_VEC(uint32_t) open; /* before the block */
	uint64_t block_start;
};

struct tree_node {
	struct rarog_node node;
	struct rarog_node_off_cpu off_cpu;
	uint32_t first_child, next_sibling;
};

struct tally {
	struct rarog_summary s;
	struct rarog_off_cpu off_cpu;
	uint32_t on_stack;
	uint64_t *buckets;
};

struct maker {
	struct rarog_profile_writer *writer;
	bool keep_calls, counts_only, has_off_cpu;
	uint32_t selected, n_binaries;
	struct description description;
	RAROG_VEC(char *) names;
	RAROG_VEC(uint32_t) arguments; /* whose location is this */
	RAROG_VEC(struct strand) strands;
	RAROG_VEC(struct tree_node) nodes;
	RAROG_VEC(struct tally) tallies; /* (strand + 1) * 4096 + location */
};

/* maker_write_tables() - all that is not calls. */
void maker_write_tables(struct maker *maker);

#endif
