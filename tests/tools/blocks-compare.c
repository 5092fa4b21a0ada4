/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: blocks-compare PROGRAM COUNTERS
 * PROGRAM was compiled with -rarog-placement=both, COUNTERS is the file of its runtime, or what its
 * counters said. Do those of
 * the tree give the counts that those of the blocks say? Prints how many functions, blocks and
 * counters. Where rounds of loops were counted (-rarog-loops=trips) or paths (-rarog-paths), these,
 * too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "binary/elf-file.h"
#include "blocks/counters.h"
#include "blocks/map.h"
#include "compare-paths.h"
#include "compare-trips.h"

struct sums {
	uint64_t functions, blocks, executed, counters, counted, wrong;
	struct compared_trips trips;
	struct compared_paths paths;
};

static void compare_block(const struct rarog_block_record *f, size_t i,
			  const struct rarog_flow_count *count, uint64_t truth, struct sums *sums)
{
	sums->executed += truth;
	if (count->is_known && (uint64_t)count->count == truth)
		return;
	if (sums->wrong++ < 20)
		printf("%s: block %zu (line %u): %" PRId64 "%s instead of %" PRIu64 "\n", f->name,
		       i, f->blocks[i].line, count->count, count->is_known ? "" : "?", truth);
}

static int compare(const struct rarog_block_record *f, const uint64_t *counters, struct sums *sums)
{
	uint32_t n = (uint32_t)(f->n_counters - f->flow.n_blocks);
	struct rarog_flow_count *counts = calloc(f->flow.n_edges, sizeof(*counts));
	int r = counts ? rarog_flow_solve(&f->flow, counters, counts) : -ENOMEM;

	for (size_t i = 0; r == 0 && i < f->flow.n_blocks; i++)
		compare_block(f, i, &counts[i], counters[n + i], sums);
	for (size_t i = 0; r == 0 && i < n; i++)
		sums->counted += counters[i];
	if (r == 0 && f->n_loops > 0)
		r = compare_trips(f, counts, counters, &sums->trips);
	if (r == 0 && f->has_paths)
		r = compare_paths(f, counts, counters, &sums->paths);
	sums->functions++;
	sums->blocks += f->flow.n_blocks;
	sums->counters += n;
	free(counts);
	return r;
}

static int compare_all(const struct rarog_map *map, const uint64_t *counters, size_t size)
{
	struct sums sums = { 0 };

	if (size < map->n_counters * 8) {
		printf("%zu bytes of counters instead of %zu\n", size, map->n_counters * 8);
		return 1;
	}
	for (size_t i = 0; i < map->n_functions; i++) {
		const struct rarog_block_record *f = &map->functions[i];

		if (f->placement != RAROG_BLOCKS_BOTH)
			printf("%s: is not compiled for this\n", f->name);
		else if (compare(f, counters + (f->counters - map->counters) / 8, &sums) < 0)
			return 1;
	}
	printf("%" PRIu64 " functions, %" PRIu64 " blocks, %" PRIu64 " counters; %" PRIu64
	       " executions, %" PRIu64 " counted; %" PRIu64 " wrong\n",
	       sums.functions, sums.blocks, sums.counters, sums.executed, sums.counted, sums.wrong);
	if (sums.trips.loops > 0)
		printf("%" PRIu64 " loops, %" PRIu64 " perhaps left unseen; %" PRIu64
		       " entries, %" PRIu64 " rounds; %" PRIu64 " wrong\n",
		       sums.trips.loops, sums.trips.left, sums.trips.entries, sums.trips.rounds,
		       sums.trips.wrong);
	if (sums.paths.functions > 0)
		printf("%" PRIu64 " functions with %" PRIu64 " paths (%" PRIu64 " without, %" PRIu64
		       " left in the midst of one), %" PRIu64 " taken; %" PRIu64
		       " executions of blocks; %" PRIu64 " wrong\n",
		       sums.paths.functions, sums.paths.paths, sums.paths.without, sums.paths.left,
		       sums.paths.taken, sums.paths.executions, sums.paths.wrong);
	return sums.wrong > 0 || sums.trips.wrong > 0 || sums.paths.wrong > 0 ||
	       sums.functions == 0;
}

static const uint64_t *read_counters(const char *path, size_t *ret_size)
{
	static uint64_t bytes[1 << 22];
	rarog_cleanup(rarog_fclosep) FILE *file = fopen(path, "r");
	struct rarog_counters *counters;

	*ret_size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	if (file)
		rewind(file);
	if (!file || rarog_counters_read(path, *ret_size, file, &counters) < 0)
		return bytes;
	printf("process %u of %u%s%s; ", counters->pid, counters->parent,
	       counters->is_shared ? ", shared" : "",
	       counters->lost_children ? ", lost children" : "");
	*ret_size = counters->n * 8;
	return counters->values; /* until the end */
}

int main(int argc, char **argv)
{
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	rarog_cleanup(rarog_map_freep) struct rarog_map *map = NULL;
	size_t size;
	const uint64_t *counters;

	if (argc != 3 || rarog_elf_open(argv[1], RAROG_ELF_PROGRAM, &elf) < 0 ||
	    rarog_map_read(elf, &map) < 0) {
		printf("%s\n", argc == 3 ? rarog_error_message() : "usage");
		return 2;
	}
	counters = read_counters(argv[2], &size);
	return compare_all(map, counters, size);
}
