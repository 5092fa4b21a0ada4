/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: bench-blocks [--functions] PROGRAM
 * Of a program with block counters, one number a line: functions, blocks, what the documents'
 * patterns find and save, counters, the least number of them, and the bytes of the documents' JSON
 * for the same blocks (as if no number had more than one digit), whole and without the text of
 * instructions, of which each is taken for TEXT bytes. --functions: of each function a line,
 * its counters, the blocks that may be left in their midst, its name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/elf-file.h"
#include "blocks/flow-patterns.h"
#include "blocks/map.h"

enum { TEXT = 40 };

struct sums {
	uint64_t functions, blocks, edges, counters;
	uint64_t above_least; /* functions with more than E - V + 1 */
	uint64_t leaving;     /* blocks that may be left in their midst */
	uint64_t jumps, diamonds, half_diamonds, saved_by_patterns;
	uint64_t json, json_code; /* the second: instructions as text, a part of the first */
};

/* Both ends of each block are nodes, and the outside is one; edges to the outside are edges. */
static uint64_t least_counters(const struct rarog_flow *flow)
{
	return flow->n_edges - (2 * flow->n_blocks + 1) + 1;
}

static uint64_t leaving(const struct rarog_block_record *f)
{
	uint64_t n = 0;

	for (size_t i = f->flow.n_blocks; i < f->flow.n_edges; i++) {
		const struct rarog_flow_edge *edge = &f->flow.edges[i];

		n += edge->to == RAROG_FLOW_OUTSIDE && f->blocks[(edge->from - 1) / 2].n_edges > 0;
	}
	return n;
}

static void add_json(const struct rarog_block_record *f, struct sums *sums)
{
	for (size_t i = 0; i < f->flow.n_blocks; i++) {
		const struct rarog_record_block *b = &f->blocks[i];

		sums->json += (uint64_t)snprintf(NULL, 0,
						 "{\"function\":\"%s\",\"id\":0,\"name\":\"\","
						 "\"debug\":[],\"successors\":[],\"ir\":[]},"
						 "{\"id\":0,\"executionCount\":0},",
						 f->name);
		sums->json += b->n_edges * sizeof("0") +
			      (1 + b->n_lines) * (sizeof("{\"line\":0,\"columns\":[0]},") - 1);
		sums->json_code += (uint64_t)b->instructions * TEXT;
	}
}

/* Destroys the placement that the record has. */
static int add_patterns(struct rarog_block_record *f, struct sums *sums)
{
	struct rarog_flow_patterns found;
	int r = rarog_flow_find_patterns(&f->flow, &found);

	if (r < 0 || rarog_flow_place(&f->flow) < 0)
		return -ENOMEM;
	sums->jumps += found.n_jumps;
	sums->diamonds += found.n_diamonds;
	sums->half_diamonds += found.n_half_diamonds;
	for (size_t i = 0; i < f->flow.n_blocks; i++)
		sums->saved_by_patterns += f->flow.edges[i].state == RAROG_FLOW_DERIVED;
	return 0;
}

static int add(struct rarog_block_record *f, struct sums *sums)
{
	sums->functions++;
	sums->blocks += f->flow.n_blocks;
	sums->edges += f->flow.n_edges - f->flow.n_blocks;
	sums->counters += f->n_counters;
	sums->above_least += f->n_counters > least_counters(&f->flow);
	sums->leaving += leaving(f);
	add_json(f, sums);
	return add_patterns(f, sums);
}

static void print(const struct sums *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} lines[] = {
		{ "functions", s->functions },
		{ "blocks", s->blocks },
		{ "edges", s->edges },
		{ "leaving", s->leaving },
		{ "counters", s->counters },
		{ "above-least", s->above_least },
		{ "jumps", s->jumps },
		{ "diamonds", s->diamonds },
		{ "half-diamonds", s->half_diamonds },
		{ "saved-by-patterns", s->saved_by_patterns },
		{ "json", s->json + s->json_code },
		{ "json-without-code", s->json },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		printf("%s %" PRIu64 "\n", lines[i].name, lines[i].value);
}

static void print_functions(const struct rarog_map *map)
{
	for (size_t i = 0; i < map->n_functions; i++)
		printf("%" PRIu32 " %" PRIu64 " %s\n", map->functions[i].n_counters,
		       leaving(&map->functions[i]), map->functions[i].name);
}

static int print_sums(struct rarog_map *map)
{
	struct sums sums = { 0 };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < map->n_functions; i++)
		r = add(&map->functions[i], &sums);
	if (r >= 0)
		print(&sums);
	return r;
}

int main(int argc, char **argv)
{
	bool each = argc == 3 && strcmp(argv[1], "--functions") == 0;
	rarog_cleanup(rarog_elf_freep) struct rarog_elf *elf = NULL;
	rarog_cleanup(rarog_map_freep) struct rarog_map *map = NULL;
	int r = argc == 2 || each
			? rarog_elf_open(argv[argc - 1], RAROG_ELF_PROGRAM, &elf)
			: rarog_fail(-EINVAL, "usage: bench-blocks [--functions] PROGRAM");

	if (r == 0)
		r = rarog_map_read(elf, &map);
	if (r >= 0 && each)
		print_functions(map);
	else if (r >= 0)
		r = print_sums(map);
	if (r < 0) {
		fprintf(stderr, "bench-blocks: %s\n", rarog_error_message());
		return 1;
	}
	return 0;
}
