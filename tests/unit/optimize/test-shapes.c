/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call-graph shaping on random call graphs, against the documents' algorithms by their lines, with
 * the errata of both: chains are walked one by one, sets are arrays.
 */
#include "random-world.h"

/* --- what is pruned, by brute force --- */

static void want_top_down(struct world *w, uint64_t *seed)
{
	uint32_t levels = number(w, RAROG_PARAMETER_CG_PROJ_LEVELS, below(seed, 5));
	bool keep = number(w, RAROG_PARAMETER_CG_PROJ_KEEP_LEAF, below(seed, 2));

	for (uint32_t i = 0; i < w->functions; i++)
		w->wanted[i] = level(w, i) >= levels || (is_leaf(w, i) && !keep);
}

static uint32_t count_reached(const struct world *w, uint32_t node)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->functions; i++)
		n += w->comes[node][i];
	return n;
}

/* The function of a level that leads to most of those that have not been taken, or NODES. */
static uint32_t leads_to_most(const struct world *w, uint32_t of_level, const bool is_taken[])
{
	uint32_t best = NODES;

	for (uint32_t i = 0; i < w->functions; i++)
		if (level(w, i) == of_level && !is_taken[i] &&
		    (best == NODES || count_reached(w, i) > count_reached(w, best)))
			best = i;
	return best;
}

/* Algorithm 3 of the documents, by its lines. */
static void want_trim(struct world *w, uint64_t *seed)
{
	uint32_t keep_top = number(w, RAROG_PARAMETER_CG_TRIM_LEVELS, below(seed, 4));
	uint32_t least = number(w, RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS, below(seed, 8));
	bool keep_leaf = number(w, RAROG_PARAMETER_CG_TRIM_KEEP_LEAF, below(seed, 2));
	uint32_t keep = 0;
	bool is_taken[NODES] = { false };

	for (uint32_t at = 0; at < 4 * NODES; at++) {                           /* line 4 */
		bool is_top = at <= keep_top;                                   /* line 5 */
		uint32_t split_at = is_top || keep >= least ? 0 : least - keep; /* line 14 */

		for (;;) {
			uint32_t f = leads_to_most(w, at, is_taken); /* line 13 */
			bool is_kept = is_top && (keep_leaf || f == NODES || !is_leaf(w, f));

			if (f == NODES)
				break;
			is_taken[f] = true;
			if (split_at > 0) {
				split_at--;
				is_kept = true;
			}
			keep += is_kept;
			w->wanted[f] = !is_kept;
		}
	}
}

/* f of the bottom: no other one that it leads to subsumes it */
static bool is_bottom(const struct world *w, uint32_t f)
{
	for (uint32_t g = 0; g < w->functions; g++)
		if (g != f && w->comes[f][g] && level(w, f) < level(w, g))
			return false;
	return true;
}

/* Lines 15-22 of Algorithm 4, from @bot on. */
static void prune_from(struct world *w, uint32_t bot, uint32_t chain_length, uint32_t keep_top)
{
	double max_level = level(w, bot) + chain_length / 2.0;
	double min_level = level(w, bot) - chain_length / 2.0;
	bool inspect[NODES] = { [0] = false }, leaf_candidates[NODES] = { [0] = false };

	w->wanted[bot] = inspect[bot] = leaf_candidates[bot] = true; /* lines 10-12 */
	for (uint32_t step = 0; step < chain_length; step++) {
		bool step_callers[NODES] = { [0] = false };

		for (uint32_t func = 0; func < w->functions; func++)
			for (uint32_t c = 0; inspect[func] && c < w->functions; c++)
				step_callers[c] |=
					w->leads[c][func] && is_reached(w, c) &&
					!leaf_candidates[c] && level(w, c) >= min_level &&
					level(w, c) <= max_level && level(w, c) >= keep_top;
		for (uint32_t c = 0; c < w->functions; c++) {
			w->wanted[c] |= step_callers[c];
			leaf_candidates[c] |= step_callers[c]; /* line 21, mended */
			inspect[c] = step_callers[c];
		}
	}
}

/* Algorithm 4 of the documents, by its lines. */
static void want_prune(struct world *w, uint64_t *seed)
{
	uint32_t length = number(w, RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH, below(seed, 6));
	uint32_t top = number(w, RAROG_PARAMETER_CG_PRUNE_KEEP_TOP, below(seed, 4));

	memset(w->wanted, 0, sizeof(w->wanted));
	for (uint32_t i = 0; i < w->functions; i++)
		if (is_reached(w, i) && is_bottom(w, i) && level(w, i) >= top)
			prune_from(w, i, length, top);
}

/* --- bottom-up, as the last published program has it --- */

struct climb {
	struct world *w;
	uint32_t bottom, length;
	bool *found;
};

static bool is_near(const struct climb *c, uint32_t node)
{
	double end = level(c->w, c->bottom), at = level(c->w, node);

	return is_reached(c->w, node) && at >= rint(end - c->length / 2.0) &&
	       at <= rint(end + c->length / 2.0);
}

/* All chains, one by one. */
static void climb(const struct climb *c, uint32_t node, uint32_t left)
{
	c->found[node] = true;
	for (uint32_t i = 0; left > 1 && i < c->w->functions; i++)
		if (c->w->leads[i][node] && is_near(c, i))
			climb(c, i, left - 1);
}

static void want_bottom_up(struct world *w, uint64_t *seed)
{
	uint32_t length = number(w, RAROG_PARAMETER_CG_PROJ_LEVELS, below(seed, 5));
	bool found[NODES] = { false };

	for (uint32_t i = 0; i < w->functions; i++) {
		const struct climb c = { w, i, length, found };

		if (length > 0 && is_reached(w, i) && is_bottom(w, i))
			climb(&c, i, length);
	}
	for (uint32_t i = 0; i < w->functions; i++)
		w->wanted[i] = !found[i];
}

static void want_match(struct world *w, uint64_t *seed)
{
	(void)seed;
	memset(w->wanted, 0, sizeof(w->wanted));
}
static const struct {
	const char *what;
	enum rarog_cg_mode mode;
	void (*want)(struct world *w, uint64_t *seed);
} shapes[] = {
	{ "match", RAROG_CG_MATCH, want_match },
	{ "top-down", RAROG_CG_TOP_DOWN, want_top_down },
	{ "soft", RAROG_CG_SOFT, want_trim },
	{ "strict", RAROG_CG_STRICT, want_trim },
	{ "prune", RAROG_CG_PRUNE, want_prune },
	{ "bottom-up", RAROG_CG_BOTTOM_UP, want_bottom_up },
};

TEST(shapes_are_what_they_are_defined_to_be)
{
	uint64_t seed = 1;

	for (int i = 0; i < GRAPHS; i++)
		for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
			struct world w;

			make(&w, &seed);
			w.parameters.number[RAROG_PARAMETER_CG_MODE] = shapes[k].mode;
			shapes[k].want(&w, &seed);
			for (uint32_t f = 0; f < w.functions; f++)
				w.wanted[f] |= !is_reached(&w, f);
			compare(&w, RAROG_TECHNIQUE_CG_SHAPING, shapes[k].what);
			release(&w);
		}
}
