/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heaviest common subsequences (Wagner and Fischer 1974) of what blocks are like; what lies between
 * two that were matched is matched by the next weaker likeness.
 *
 * Lines do not decide, since a line that came or went moves all after it: a block would be matched
 * with what is now where it was, of a row of like ones the first then were gone and the last new.
 * They only count where it could be either. Blocks that ran as often for each call as before come
 * first: what is matched so changed nothing, and what is left is what did.
 */
#include "check/block-match.h"

#include <stdlib.h>

#include "base/error.h"

#define CELLS_MOST 4000000 /* of the table; longer stretches are matched from both ends only */

/* What two blocks must have in common, from the strongest to the weakest. */
enum likeness {
	SAME_RUNS,   /* how often it ran for each call, column, size and ways */
	SAME_COLUMN, /* size and ways */
	SAME_SIZE,   /* and ways */
	SAME_WAYS,
	SAME_POSITION, /* where as many are left on both sides */
};

struct look {
	uint64_t count, calls; /* of the function */
	uint32_t instructions, n_ways, line, column;
};

struct matcher {
	struct look *looks[2];
	uint32_t *partner; /* of the first's blocks */
};

/* For each call; what never ran says nothing. Of functions without calls, absolutely. */
static bool ran_alike(const struct look *a, const struct look *b)
{
	if (a->calls == 0 || b->calls == 0)
		return a->count == b->count;
	return a->count != 0 &&
	       (unsigned __int128)a->count * b->calls == (unsigned __int128)b->count * a->calls;
}

static bool is_alike(const struct look *a, const struct look *b, enum likeness likeness)
{
	if (a->n_ways != b->n_ways)
		return false;
	if (likeness >= SAME_WAYS)
		return true;
	if (a->instructions != b->instructions)
		return false;
	if (likeness >= SAME_SIZE)
		return true;
	return a->column == b->column && (likeness == SAME_COLUMN || ran_alike(a, b));
}

/* Of a pair. More pairs are always better than better ones: the shorter of two stretches has at
 * most 2,000 blocks (CELLS_MOST). */
static uint32_t weight(const struct look *a, const struct look *b)
{
	return 8192 + 2 * (a->column == b->column) + (a->line == b->line);
}

/* A stretch of each list. */
struct stretch {
	uint32_t from[2], to[2];
};

static uint32_t length(const struct stretch *s, int side)
{
	return s->to[side] - s->from[side];
}

/* 0: none; @i and @k are counted from the stretch's beginnings. */
static uint32_t pair_weight(const struct matcher *m, const struct stretch *s, size_t i, size_t k,
			    enum likeness likeness)
{
	const struct look *a = &m->looks[0][s->from[0] + i], *b = &m->looks[1][s->from[1] + k];

	return is_alike(a, b, likeness) ? weight(a, b) : 0;
}

static bool is_pair(const struct matcher *m, uint32_t a, uint32_t b, enum likeness likeness)
{
	return is_alike(&m->looks[0][a], &m->looks[1][b], likeness);
}

static void trim(struct matcher *m, struct stretch *s, enum likeness likeness)
{
	while (length(s, 0) && length(s, 1) && is_pair(m, s->from[0], s->from[1], likeness))
		m->partner[s->from[0]++] = s->from[1]++;
	while (length(s, 0) && length(s, 1) && is_pair(m, s->to[0] - 1, s->to[1] - 1, likeness))
		m->partner[--s->to[0]] = --s->to[1];
}

static void pair_by_position(struct matcher *m, const struct stretch *s)
{
	for (uint32_t i = 0; length(s, 0) == length(s, 1) && i < length(s, 0); i++)
		m->partner[s->from[0] + i] = s->from[1] + i;
}

/* cells[i][k]: of what is left from i and k on */
static uint32_t *fill_table(const struct matcher *m, const struct stretch *s,
			    enum likeness likeness)
{
	size_t n = length(s, 0), width = (size_t)length(s, 1) + 1;
	uint32_t *cells = calloc((n + 1) * width, sizeof(*cells));

	for (size_t i = n; cells && i-- > 0;)
		for (size_t k = width - 1; k-- > 0;) {
			uint32_t *cell = &cells[i * width + k];
			uint32_t down = cell[width], right = cell[1];
			uint32_t pair = pair_weight(m, s, i, k, likeness);

			*cell = down > right ? down : right;
			if (pair > 0 && cell[width + 1] + pair > *cell)
				*cell = cell[width + 1] + pair;
		}
	return cells;
}

static int align(struct matcher *m, struct stretch s, enum likeness likeness);

/* Walks through the table; what lies between matches goes on with the next likeness. */
static int follow(struct matcher *m, const struct stretch *s, enum likeness likeness,
		  const uint32_t *cells)
{
	size_t width = (size_t)length(s, 1) + 1;
	struct stretch gap = { { s->from[0], s->from[1] }, { s->from[0], s->from[1] } };
	int r = 0;

	while (r == 0 && gap.to[0] < s->to[0] && gap.to[1] < s->to[1]) {
		size_t i = gap.to[0] - s->from[0], k = gap.to[1] - s->from[1];
		const uint32_t *cell = &cells[i * width + k];
		uint32_t pair = pair_weight(m, s, i, k, likeness);

		if (pair > 0 && *cell == cell[width + 1] + pair) {
			m->partner[gap.to[0]] = gap.to[1];
			r = align(m, gap, likeness + 1);
			gap.from[0] = ++gap.to[0];
			gap.from[1] = ++gap.to[1];
		} else if (cell[width] >= cell[1]) {
			gap.to[0]++;
		} else {
			gap.to[1]++;
		}
	}
	gap.to[0] = s->to[0];
	gap.to[1] = s->to[1];
	return r < 0 ? r : align(m, gap, likeness + 1);
}

static int align(struct matcher *m, struct stretch s, enum likeness likeness)
{
	rarog_cleanup(rarog_freep) uint32_t *cells = NULL;

	if (likeness == SAME_POSITION) {
		pair_by_position(m, &s);
		return 0;
	}
	trim(m, &s, likeness);
	if (length(&s, 0) == 0 || length(&s, 1) == 0)
		return 0;
	if ((uint64_t)length(&s, 0) * length(&s, 1) > CELLS_MOST)
		return align(m, s, likeness + 1);
	cells = fill_table(m, &s, likeness);
	return cells ? follow(m, &s, likeness, cells) : rarog_oom();
}

/* --- around it --- */

static struct look *look_at(const struct rarog_tally *tally,
			    const struct rarog_tally_function *function, uint32_t line)
{
	struct look *looks = calloc(function->n + 1, sizeof(*looks));

	for (uint32_t i = 0; looks && i < function->n; i++) {
		const struct rarog_block_count *block = &tally->blocks[function->first + i];

		looks[i].count = block->count;
		looks[i].calls = function->calls;
		looks[i].instructions = block->instructions;
		looks[i].line = block->line ? block->line - line : 0;
		looks[i].column = block->column;
	}
	for (uint32_t i = 0; looks && i < function->n_edges; i++)
		looks[tally->edges[function->first_edge + i].from - function->first].n_ways++;
	return looks;
}

static int64_t executed(const struct rarog_tally *tally,
			const struct rarog_tally_function *function, uint32_t block)
{
	const struct rarog_block_count *of;

	if (block == RAROG_NONE)
		return 0;
	of = &tally->blocks[function->first + block];
	return (int64_t)(of->count * of->instructions);
}

static int by_gain(const void *a, const void *b)
{
	const struct rarog_block_pair *x = a, *y = b;
	int64_t p = x->gain < 0 ? -x->gain : x->gain, q = y->gain < 0 ? -y->gain : y->gain;

	if (p != q)
		return p < q ? 1 : -1;
	return (x->block[1] > y->block[1]) - (x->block[1] < y->block[1]);
}

static int add_pair(const struct rarog_tally *const tallies[2],
		    const struct rarog_tally_function *const functions[2], uint32_t a, uint32_t b,
		    struct rarog_block_pairs *pairs)
{
	struct rarog_block_pair pair = { .block = { a, b } };

	pair.gain = executed(tallies[1], functions[1], b) - executed(tallies[0], functions[0], a);
	return rarog_vec_push(&pairs->list, pair) == 0 ? 0 : rarog_oom();
}

static int list_pairs(const struct rarog_tally *const tallies[2],
		      const struct rarog_tally_function *const functions[2],
		      const uint32_t *partner, struct rarog_block_pairs *pairs)
{
	rarog_cleanup(rarog_freep) bool *has_partner =
		calloc(functions[1]->n + 1, sizeof(*has_partner));
	int r = has_partner ? 0 : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < functions[0]->n; i++) {
		r = add_pair(tallies, functions, i, partner[i], pairs);
		if (partner[i] != RAROG_NONE)
			has_partner[partner[i]] = true;
	}
	for (uint32_t i = 0; r == 0 && i < functions[1]->n; i++)
		if (!has_partner[i])
			r = add_pair(tallies, functions, RAROG_NONE, i, pairs);
	if (r == 0 && pairs->list.n > 1)
		qsort(pairs->list.v, pairs->list.n, sizeof(*pairs->list.v), by_gain);
	return r;
}

int rarog_blocks_match(const struct rarog_tally *const tallies[2],
		       const struct rarog_tally_function *const functions[2],
		       const uint32_t lines[2], struct rarog_block_pairs *ret_pairs)
{
	uint32_t n = functions[0]->n;
	rarog_cleanup(rarog_freep) struct look *first = look_at(tallies[0], functions[0], lines[0]);
	rarog_cleanup(rarog_freep) struct look *second =
		look_at(tallies[1], functions[1], lines[1]);
	rarog_cleanup(rarog_freep) uint32_t *partner = malloc((n + 1) * sizeof(*partner));
	struct matcher m = { .looks = { first, second }, .partner = partner };
	int r = first && second && partner ? 0 : rarog_oom();

	*ret_pairs = (struct rarog_block_pairs){ 0 };
	for (uint32_t i = 0; r == 0 && i < n; i++)
		partner[i] = RAROG_NONE;
	if (r == 0)
		r = align(&m, (struct stretch){ .to = { n, functions[1]->n } }, SAME_RUNS);
	if (r == 0)
		r = list_pairs(tallies, functions, partner, ret_pairs);
	if (r < 0)
		rarog_block_pairs_release(ret_pairs);
	return r;
}

void rarog_block_pairs_release(struct rarog_block_pairs *pairs)
{
	rarog_vec_release(&pairs->list);
}
