/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lists of blocks that are edited at random: what was left as it was must be found again, whatever
 * came or went around it, and wherever in the file the function is now. Short ones against all
 * matchings that there are.
 */
#include <string.h>

#include "unit.h"

#include "check/block-match.h"

enum { MAX_BLOCKS = 60 };

struct side {
	struct rarog_block_count blocks[MAX_BLOCKS];
	uint32_t origin[MAX_BLOCKS]; /* in the baseline, RAROG_NONE: it is new */
	struct rarog_tally_function function;
	struct rarog_tally tally;
};

struct world {
	uint64_t seed;
	struct side sides[2];
};

static uint32_t pick(struct world *w, uint32_t n)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return (uint32_t)(w->seed >> 20) % n;
}

static void add(struct side *side, struct rarog_block_count block, uint32_t origin)
{
	side->origin[side->function.n] = origin;
	side->blocks[side->function.n++] = block;
}

static void finish(struct side *side)
{
	side->tally = (struct rarog_tally){ .n = 1,
					    .n_blocks = side->function.n,
					    .functions = &side->function,
					    .blocks = side->blocks };
}

/* Every block of the baseline has a column of its own. */
static void make(struct world *w)
{
	uint32_t n = 1 + pick(w, MAX_BLOCKS / 2 - 1);

	for (uint32_t i = 0; i < n; i++)
		add(&w->sides[0],
		    (struct rarog_block_count){ .line = 10 + i / 3,
						.column = 1 + i,
						.instructions = 1 + pick(w, 5),
						.count = pick(w, 100) },
		    i);
	for (uint32_t i = 0; i < n; i++) {
		struct rarog_block_count block = w->sides[0].blocks[i];

		block.line += 100;
		block.count = pick(w, 100);
		if (pick(w, 6) == 0)
			add(&w->sides[1],
			    (struct rarog_block_count){ .line = 500 + i, .instructions = 9 },
			    RAROG_NONE);
		if (pick(w, 6) != 0)
			add(&w->sides[1], block, i);
	}
	finish(&w->sides[0]);
	finish(&w->sides[1]);
}

static int64_t executed(const struct side *side, uint32_t block)
{
	return block == RAROG_NONE
		       ? 0
		       : (int64_t)(side->blocks[block].count * side->blocks[block].instructions);
}

static void check(const struct world *w, const struct rarog_block_pairs *pairs)
{
	bool seen[2][MAX_BLOCKS] = { 0 };
	int64_t gain = 0;

	for (size_t i = 0; i < pairs->list.n; i++) {
		const struct rarog_block_pair *pair = &pairs->list.v[i];
		uint32_t a = pair->block[0], b = pair->block[1];

		for (int side = 0; side < 2; side++) {
			if (pair->block[side] == RAROG_NONE)
				continue;
			assert_false(seen[side][pair->block[side]]);
			seen[side][pair->block[side]] = true;
		}
		assert_int_equal(pair->gain, executed(&w->sides[1], b) - executed(&w->sides[0], a));
		gain += pair->gain;
		if (b != RAROG_NONE && w->sides[1].origin[b] != RAROG_NONE)
			assert_int_equal(a, w->sides[1].origin[b]);
	}
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < w->sides[side].function.n; i++) {
			assert_true(seen[side][i]);
			gain -= (side ? 1 : -1) * executed(&w->sides[side], i);
		}
	assert_int_equal(gain, 0);
}

TEST(edited_lists)
{
	for (uint64_t seed = 1; seed <= 5000; seed++) {
		struct world w = { .seed = seed * 0x9e3779b97f4a7c15 };
		const struct rarog_tally *const tallies[2] = { &w.sides[0].tally,
							       &w.sides[1].tally };
		const struct rarog_tally_function *const functions[2] = { &w.sides[0].function,
									  &w.sides[1].function };
		const uint32_t lines[2] = { 10, 110 };
		struct rarog_block_pairs pairs;

		make(&w);
		assert_int_equal(rarog_blocks_match(tallies, functions, lines, &pairs), 0);
		check(&w, &pairs);
		rarog_block_pairs_release(&pairs);
	}
}

/* Between two that are as they were, one that is not is still the same block. */
TEST(a_changed_block)
{
	struct world w = { .seed = 1 };
	const struct rarog_tally *const tallies[2] = { &w.sides[0].tally, &w.sides[1].tally };
	const struct rarog_tally_function *const functions[2] = { &w.sides[0].function,
								  &w.sides[1].function };
	const uint32_t lines[2] = { 0, 0 };
	struct rarog_block_pairs pairs;

	for (uint32_t i = 0; i < 5; i++)
		for (int side = 0; side < 2; side++)
			add(&w.sides[side],
			    (struct rarog_block_count){ .line = i + 1,
							.column = 3,
							.instructions = side == 1 && i == 2 ? 8 : 4,
							.count = 10 },
			    i);
	finish(&w.sides[0]);
	finish(&w.sides[1]);
	assert_int_equal(rarog_blocks_match(tallies, functions, lines, &pairs), 0);
	assert_int_equal(pairs.list.n, 5);
	assert_int_equal(pairs.list.v[0].block[0], 2);
	assert_int_equal(pairs.list.v[0].block[1], 2);
	assert_int_equal(pairs.list.v[0].gain, 40);
	rarog_block_pairs_release(&pairs);
}

static void match(struct world *w, struct rarog_block_pairs *ret_pairs)
{
	const struct rarog_tally *const tallies[2] = { &w->sides[0].tally, &w->sides[1].tally };
	const struct rarog_tally_function *const functions[2] = { &w->sides[0].function,
								  &w->sides[1].function };
	const uint32_t lines[2] = { 0, 0 };

	finish(&w->sides[0]);
	finish(&w->sides[1]);
	assert_int_equal(rarog_blocks_match(tallies, functions, lines, ret_pairs), 0);
}

/* In a row of blocks that look alike one comes in, and all after it move by a line: it is the only
 * change, although each of them is now where the next one was. */
TEST(a_line_more)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct world w = { .seed = seed * 0x9e3779b97f4a7c15 };
		uint32_t n = 2 + pick(&w, 40), at = pick(&w, n);
		struct rarog_block_pairs pairs;

		for (uint32_t i = 0; i < n; i++) {
			struct rarog_block_count block = { .line = 10 + i,
							   .column = 3,
							   .instructions = 4,
							   .count = 10 + pick(&w, 3) };

			add(&w.sides[0], block, i);
			if (i == at)
				add(&w.sides[1],
				    (struct rarog_block_count){ .line = 10 + i,
								.column = 3,
								.instructions = 4,
								.count = 7 },
				    RAROG_NONE);
			block.line += i >= at;
			add(&w.sides[1], block, i);
		}
		match(&w, &pairs);
		assert_int_equal(pairs.list.n, n + 1);
		assert_int_equal(pairs.list.v[0].block[0], RAROG_NONE);
		assert_int_equal(pairs.list.v[0].block[1], at);
		assert_int_equal(pairs.list.v[0].gain, 28);
		assert_int_equal(pairs.list.v[1].gain, 0);
		rarog_block_pairs_release(&pairs);
	}
}

static bool is_same(const struct world *w, uint32_t a, uint32_t b)
{
	const struct rarog_block_count *x = &w->sides[0].blocks[a], *y = &w->sides[1].blocks[b];

	return x->count == y->count && x->instructions == y->instructions && x->column == y->column;
}

/* How many of the blocks from @a and @b on can be the same in order, trying everything. */
static uint32_t most_same(const struct world *w, uint32_t a, uint32_t b)
{
	uint32_t most, other;

	if (a == w->sides[0].function.n || b == w->sides[1].function.n)
		return 0;
	most = most_same(w, a + 1, b);
	other = most_same(w, a, b + 1);
	most = other > most ? other : most;
	other = is_same(w, a, b) ? 1 + most_same(w, a + 1, b + 1) : 0;
	return other > most ? other : most;
}

TEST(as_many_unchanged_as_can_be)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct world w = { .seed = seed * 0x9e3779b97f4a7c15 };
		struct rarog_block_pairs pairs;
		uint32_t same = 0;

		for (int side = 0; side < 2; side++)
			for (uint32_t i = 1 + pick(&w, 7); i > 0; i--)
				add(&w.sides[side],
				    (struct rarog_block_count){ .line = 1 + pick(&w, 4),
								.column = 1 + pick(&w, 2),
								.instructions = 1 + pick(&w, 2),
								.count = 1 + pick(&w, 2) },
				    RAROG_NONE);
		match(&w, &pairs);
		for (size_t i = 0; i < pairs.list.n; i++)
			same += pairs.list.v[i].block[0] != RAROG_NONE &&
				pairs.list.v[i].block[1] != RAROG_NONE &&
				is_same(&w, pairs.list.v[i].block[0], pairs.list.v[i].block[1]);
		assert_int_equal(same, most_same(&w, 0, 0));
		rarog_block_pairs_release(&pairs);
	}
}

/* Of conditions that hold half as often one after the other, one has become longer, and there are
 * half as many calls: no block has what the next one had. */
TEST(half_as_many_calls)
{
	struct world w = { .seed = 1 };
	struct rarog_block_pairs pairs;

	for (int side = 0; side < 2; side++) {
		uint64_t calls = side ? 800 : 1600;

		w.sides[side].function.calls = calls;
		for (uint32_t i = 0; i < 5; i++)
			add(&w.sides[side],
			    (struct rarog_block_count){ .line = i + 1,
							.column = 3,
							.instructions = side && i == 2 ? 9 : 4,
							.count = calls >> i },
			    i);
	}
	match(&w, &pairs);
	assert_int_equal(pairs.list.n, 5);
	for (size_t i = 0; i < pairs.list.n; i++)
		assert_int_equal(pairs.list.v[i].block[0], pairs.list.v[i].block[1]);
	rarog_block_pairs_release(&pairs);
}
