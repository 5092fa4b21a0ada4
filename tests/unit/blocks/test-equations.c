/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random graphs walked at random: what was walked is the truth, the solver sees Kirchhoff's law and
 * some sums of counts. What it says has to be true, and it has to know everything that equations
 * determine, which plain elimination modulo another prime tells.
 */
#include <errno.h>
#include <string.h>

#include "unit.h"

#include "blocks/equations.h"

enum { BLOCKS = 6, EDGES = 14, UNKNOWNS = BLOCKS + EDGES, ROWS = 2 * BLOCKS + 6, STEPS = 200 };

#define OTHER_PRIME 1000000007ll

struct world {
	unsigned seed;
	int from[EDGES], to[EDGES]; /* BLOCKS is the outside */
	int64_t truth[UNKNOWNS];    /* edges, then blocks */
	int64_t rows[ROWS][UNKNOWNS];
	int n_rows;
	struct rarog_equations equations;
};

static unsigned pick(struct world *w, unsigned n)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 8) % n;
}

/* The first edge enters, each block has one way on; the others are anywhere. */
static void make_graph(struct world *w)
{
	for (int i = 0; i < EDGES; i++) {
		w->from[i] = i == 0 ? BLOCKS : i <= BLOCKS ? i - 1 : (int)pick(w, BLOCKS);
		w->to[i] = i == 0 ? 0 : (int)pick(w, BLOCKS + 1);
	}
}

static int way_out_of(struct world *w, int block)
{
	int edge;

	do
		edge = (int)pick(w, EDGES);
	while (w->from[edge] != block);
	return edge;
}

/* Whole calls only. */
static bool walk(struct world *w)
{
	for (unsigned calls = 1 + pick(w, 3); calls > 0; calls--) {
		int block = BLOCKS, steps = 0;

		do {
			int edge = way_out_of(w, block);

			w->truth[edge]++;
			block = w->to[edge];
			if (block < BLOCKS)
				w->truth[EDGES + block]++;
		} while (block < BLOCKS && ++steps < STEPS);
		if (block < BLOCKS)
			return false;
	}
	return true;
}

static void begin(struct world *w, int64_t sum)
{
	assert_int_equal(rarog_equations_begin(&w->equations, (uint64_t)sum), 0);
	w->n_rows++;
}

static void add(struct world *w, int unknown, int factor)
{
	assert_int_equal(rarog_equations_add(&w->equations, (uint32_t)unknown, factor), 0);
	w->rows[w->n_rows - 1][unknown] += factor;
}

static void add_flows(struct world *w)
{
	for (int block = 0; block < BLOCKS; block++) {
		begin(w, 0);
		add(w, EDGES + block, 1);
		for (int i = 0; i < EDGES; i++)
			if (w->to[i] == block)
				add(w, i, -1);
		begin(w, 0);
		add(w, EDGES + block, -1);
		for (int i = 0; i < EDGES; i++)
			if (w->from[i] == block)
				add(w, i, 1);
	}
}

/* Of a block, or of two that share a counter. */
static void add_counters(struct world *w)
{
	for (unsigned n = pick(w, 6); n > 0; n--) {
		int one = EDGES + (int)pick(w, BLOCKS), other = EDGES + (int)pick(w, BLOCKS);
		bool is_shared = pick(w, 3) == 0 && one != other;

		begin(w, w->truth[one] + (is_shared ? w->truth[other] : 0));
		add(w, one, 1);
		if (is_shared)
			add(w, other, 1);
	}
}

/* --- plain elimination --- */

static int64_t power(int64_t base, int64_t exponent)
{
	int64_t result = 1;

	for (; exponent > 0; exponent >>= 1, base = base * base % OTHER_PRIME)
		if (exponent & 1)
			result = result * base % OTHER_PRIME;
	return result;
}

static void clear_column(int64_t rows[ROWS][UNKNOWNS], int n, int pivot, int column)
{
	int64_t inverse = power((rows[pivot][column] + OTHER_PRIME) % OTHER_PRIME, OTHER_PRIME - 2);

	for (int i = 0; i < n; i++) {
		int64_t factor = rows[i][column] % OTHER_PRIME * inverse % OTHER_PRIME;

		for (int k = 0; i != pivot && factor != 0 && k < UNKNOWNS; k++)
			rows[i][k] = (rows[i][k] - factor * rows[pivot][k]) % OTHER_PRIME;
	}
}

/* Reduced: an unknown is determined if a row has it alone. */
static void find_determined(struct world *w, bool is_determined[UNKNOWNS])
{
	int rank = 0;

	for (int column = 0; column < UNKNOWNS; column++) {
		int row = rank;
		int64_t swap[UNKNOWNS];

		while (row < w->n_rows && w->rows[row][column] % OTHER_PRIME == 0)
			row++;
		if (row == w->n_rows)
			continue;
		memcpy(swap, w->rows[row], sizeof(swap));
		memcpy(w->rows[row], w->rows[rank], sizeof(swap));
		memcpy(w->rows[rank], swap, sizeof(swap));
		clear_column(w->rows, w->n_rows, rank++, column);
	}
	for (int row = 0; row < rank; row++) {
		int n = 0, last = 0;

		for (int i = 0; i < UNKNOWNS; i++)
			if (w->rows[row][i] % OTHER_PRIME != 0) {
				last = i;
				n++;
			}
		is_determined[last] |= n == 1;
	}
}

static void try_one(unsigned seed)
{
	struct world w = { .seed = seed };
	bool is_determined[UNKNOWNS] = { false };
	struct rarog_bounds ranges[UNKNOWNS];

	make_graph(&w);
	if (!walk(&w))
		return;
	add_flows(&w);
	add_counters(&w);
	w.equations.n_unknowns = UNKNOWNS;
	assert_int_equal(rarog_equations_solve(&w.equations, ranges), 0);
	find_determined(&w, is_determined);
	for (int i = 0; i < UNKNOWNS; i++) {
		assert_true(ranges[i].least <= (uint64_t)w.truth[i]);
		assert_true(ranges[i].most >= (uint64_t)w.truth[i]);
		if (is_determined[i])
			assert_true(ranges[i].least == ranges[i].most);
	}
	rarog_equations_release(&w.equations);
}

TEST(ranges_hold_the_truth_and_the_determined_is_known)
{
	for (unsigned seed = 1; seed <= 20000; seed++)
		try_one(seed);
}

TEST(contradictions_are_seen)
{
	struct rarog_equations e = { .n_unknowns = 2 };
	struct rarog_bounds ranges[2];

	rarog_equations_begin(&e, 5);
	rarog_equations_add(&e, 0, 1);
	rarog_equations_begin(&e, 3);
	rarog_equations_add(&e, 0, 1);
	rarog_equations_add(&e, 1, 1);
	assert_int_equal(rarog_equations_solve(&e, ranges), -EDOM);
	rarog_equations_release(&e);
}

TEST(nothing_is_said_of_nothing)
{
	struct rarog_equations e = { .n_unknowns = 1 };
	struct rarog_bounds range;

	assert_int_equal(rarog_equations_solve(&e, &range), 0);
	assert_int_equal(range.least, 0);
	assert_true(range.most == UINT64_MAX);
}
