/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each block's count is a sum of counters, added or taken off (incidence matrices are totally
 * unimodular, so there are no other factors; Poincaré 1900). Which ones is found by solving once
 * for each counter with that one alone at 1. Where no counter of a function is above 0 none of its
 * blocks ran.
 */
#include "blocks/vector.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

/* A function: counters [counter, + n_counters), blocks [block, + n_blocks). */
struct part {
	uint32_t counter, n_counters, block, n_blocks;
};

struct rarog_vector {
	size_t n_parts, n_blocks, n_counters;
	struct part *parts;
	uint32_t *first;           /* first[block] … first[block + 1]: its terms */
	RAROG_VEC(uint32_t) terms; /* 2 * counter + is taken off */
};

/* --- making it --- */

/* One function while its terms are found: those of a block in a row. */
struct rows {
	size_t n_blocks, n_counters;
	int8_t *factors; /* factors[block * n_counters + counter] */
};

static void rows_release(struct rows *rows)
{
	free(rows->factors);
}

static int solve_for(const struct rarog_block_record *record, size_t counter, uint64_t *counters,
		     struct rarog_flow_count *counts, struct rows *rows)
{
	int r;

	counters[counter] = 1;
	r = rarog_flow_solve(&record->flow, counters, counts);
	counters[counter] = 0;
	for (size_t i = 0; r == 0 && i < rows->n_blocks; i++) {
		if (counts[i].count < -1 || counts[i].count > 1)
			return rarog_fail(-EINVAL, "%s: its blocks are no sums of its counters",
					  record->name);
		rows->factors[i * rows->n_counters + counter] = (int8_t)counts[i].count;
	}
	return r;
}

static size_t n_counted(const struct rarog_flow *flow)
{
	size_t n = 0;

	for (size_t i = 0; i < flow->n_edges; i++)
		n += flow->edges[i].state == RAROG_FLOW_COUNTED;
	return n;
}

static int find_rows(const struct rarog_block_record *record, struct rows *rows)
{
	size_t n = n_counted(&record->flow);
	rarog_cleanup(rarog_freep) uint64_t *counters = calloc(n + 1, sizeof(*counters));
	rarog_cleanup(rarog_freep) struct rarog_flow_count *counts =
		calloc(record->flow.n_edges + 1, sizeof(*counts));
	int r = 0;

	*rows = (struct rows){ record->flow.n_blocks, n, NULL };
	rows->factors = calloc(rows->n_blocks * n + 1, 1);
	if (!counters || !counts || !rows->factors)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < n; i++)
		r = solve_for(record, i, counters, counts, rows);
	return r;
}

static int add_terms(struct rarog_vector *v, const struct part *part, const struct rows *rows)
{
	for (uint32_t i = 0; i < part->n_blocks; i++) {
		const int8_t *row = &rows->factors[i * rows->n_counters];

		v->first[part->block + i] = (uint32_t)v->terms.n;
		for (uint32_t k = 0; k < rows->n_counters; k++)
			if (row[k] != 0 &&
			    rarog_vec_push(&v->terms, 2 * (part->counter + k) + (row[k] < 0)) < 0)
				return rarog_oom();
	}
	v->first[part->block + part->n_blocks] = (uint32_t)v->terms.n;
	return 0;
}

static int add_function(struct rarog_vector *v, const struct rarog_map *map,
			const struct rarog_block_record *record, struct part *part)
{
	rarog_cleanup(rows_release) struct rows rows = { 0 };
	uint64_t at = (record->counters - map->counters) / 8;
	int r = find_rows(record, &rows);

	if (r < 0)
		return r;
	if (record->counters < map->counters || at + rows.n_counters > map->n_counters)
		return rarog_fail(-EINVAL, "%s: its counters are not those of the program",
				  record->name);
	*part = (struct part){ (uint32_t)at, (uint32_t)rows.n_counters, (uint32_t)v->n_blocks,
			       (uint32_t)rows.n_blocks };
	v->n_blocks += rows.n_blocks;
	return add_terms(v, part, &rows);
}

static int make(struct rarog_vector *v, const struct rarog_map *map)
{
	size_t n_blocks = 0;
	int r = 0;

	for (size_t i = 0; i < map->n_functions; i++)
		n_blocks += map->functions[i].flow.n_blocks;
	v->n_counters = map->n_counters;
	v->parts = calloc(map->n_functions + 1, sizeof(*v->parts));
	v->first = calloc(n_blocks + 1, sizeof(*v->first));
	if (!v->parts || !v->first)
		return rarog_oom();
	for (; r == 0 && v->n_parts < map->n_functions; v->n_parts++)
		r = add_function(v, map, &map->functions[v->n_parts], &v->parts[v->n_parts]);
	return r;
}

int rarog_vector_new(const struct rarog_map *map, struct rarog_vector **ret_vector)
{
	rarog_cleanup(rarog_vector_freep) struct rarog_vector *v = calloc(1, sizeof(*v));
	int r = v ? make(v, map) : rarog_oom();

	if (r == 0)
		*ret_vector = rarog_take(v);
	return r;
}

void rarog_vector_free(struct rarog_vector *v)
{
	if (!v)
		return;
	free(v->parts);
	free(v->first);
	rarog_vec_release(&v->terms);
	free(v);
}

/* --- using it --- */

size_t rarog_vector_blocks(const struct rarog_vector *v)
{
	return v->n_blocks;
}

size_t rarog_vector_counters(const struct rarog_vector *v)
{
	return v->n_counters;
}

static bool has_run(const struct part *part, const uint64_t *counters)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < part->n_counters; i++)
		any |= counters[part->counter + i];
	return any != 0;
}

static uint8_t hits(const struct rarog_vector *v, uint32_t block, const uint64_t *counters)
{
	uint64_t sum = 0;

	for (uint32_t i = v->first[block]; i < v->first[block + 1]; i++) {
		uint64_t value = counters[v->terms.v[i] / 2];

		sum += v->terms.v[i] & 1 ? -value : value;
	}
	return (int64_t)sum <= 0 ? 0 : sum > UINT8_MAX ? UINT8_MAX : (uint8_t)sum;
}

void rarog_vector_read(const struct rarog_vector *v, const uint64_t *counters, uint8_t *ret_hits)
{
	for (size_t i = 0; i < v->n_parts; i++) {
		const struct part *part = &v->parts[i];

		if (!has_run(part, counters)) {
			memset(ret_hits + part->block, 0, part->n_blocks);
			continue;
		}
		for (uint32_t k = 0; k < part->n_blocks; k++)
			ret_hits[part->block + k] = hits(v, part->block + k, counters);
	}
}
