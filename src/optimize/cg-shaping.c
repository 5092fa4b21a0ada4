/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * By the shape of the call graph. Every mode keeps of what it keeps only what a root leads to.
 *
 *	match		all of it
 *	soft, strict	trim: the upper levels, and more until there are enough functions
 *	prune		all but the bottom, and chains of callers above it
 *	top-down	the upper levels
 *	bottom-up	the bottom, and chains of callers above it
 */
#include "optimize/technique.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"

#define NO_AMOUNT UINT64_MAX

static int prune(struct rarog_deciding *d, uint32_t node, const char *why, uint64_t amount)
{
	return rarog_decide_prune(d, RAROG_TECHNIQUE_CG_SHAPING, node, why, amount);
}

static bool is_there(const struct rarog_subject *s, uint32_t node)
{
	return rarog_subject_is_function(s, node) && rarog_subject_is_reached(s, node);
}

static uint32_t whole(const struct rarog_deciding *d, enum rarog_technique_parameter parameter)
{
	return rarog_parameter_whole(d->parameters, parameter);
}

static int match(struct rarog_deciding *d)
{
	(void)d;
	return 0;
}

/* --- levels --- */

static int prune_leaf_or_keep(struct rarog_deciding *d, uint32_t node, bool keep_leaf)
{
	return keep_leaf || !d->subject->is_leaf[node]
		       ? 0
		       : prune(d, node, "calls nothing: a leaf", NO_AMOUNT);
}

static int top_down(struct rarog_deciding *d)
{
	const struct rarog_subject *s = d->subject;
	uint32_t levels = whole(d, RAROG_PARAMETER_CG_PROJ_LEVELS);
	bool keep_leaf = whole(d, RAROG_PARAMETER_CG_PROJ_KEEP_LEAF);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < s->graph->callees.n; i++) {
		if (!is_there(s, i))
			continue;
		r = s->facts.level[i] >= levels
			    ? prune(d, i, "below the kept levels, on level", s->facts.level[i])
			    : prune_leaf_or_keep(d, i, keep_leaf);
	}
	return r;
}

/* --- trim --- */

struct candidate {
	uint32_t node, level, reached;
};

/* Those that lead to most come first. */
static int by_level(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	if (a->reached != b->reached)
		return a->reached > b->reached ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static size_t list_candidates(const struct rarog_subject *s, struct candidate list[])
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->graph->callees.n; i++)
		if (is_there(s, i))
			list[n++] = (struct candidate){ i, s->facts.level[i], s->facts.reached[i] };
	if (n > 1)
		qsort(list, n, sizeof(*list), by_level);
	return n;
}

/*
 * Algorithm 3 of the documents. Level 0 is the root, so that keep_top + 1 levels are kept (its line
 * 5). Below them functions are kept one by one until there are enough, leaves as well (its line
 * 13).
 */
static int trim(struct rarog_deciding *d)
{
	const struct rarog_subject *s = d->subject;
	uint32_t keep_top = whole(d, RAROG_PARAMETER_CG_TRIM_LEVELS);
	uint32_t least = whole(d, RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS);
	bool keep_leaf = whole(d, RAROG_PARAMETER_CG_TRIM_KEEP_LEAF);
	rarog_cleanup(rarog_freep) struct candidate *list =
		calloc(s->graph->callees.n + 1, sizeof(*list));
	size_t n = list ? list_candidates(s, list) : 0, kept = 0;
	int r = list ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < n; i++) {
		uint32_t node = list[i].node;

		if (list[i].level > keep_top && kept >= least)
			r = prune(d, node, "below the kept levels, on level", list[i].level);
		else if (list[i].level <= keep_top && !keep_leaf && s->is_leaf[node])
			r = prune(d, node, "calls nothing: a leaf", NO_AMOUNT);
		else
			kept++;
	}
	return r;
}

/* --- chains that begin at the bottom --- */

struct chain {
	uint32_t functions; /* the bottom one among them */
	uint32_t span;      /* levels: its callers are at most half of it above or below it */
	uint32_t keep_top;  /* levels that no chain comes to */
	double (*bound)(double);
};

static bool is_in_chain(const struct rarog_subject *s, const struct chain *chain, uint32_t bottom,
			uint32_t node)
{
	double level = s->facts.level[node], end = s->facts.level[bottom];

	return rarog_subject_is_reached(s, node) && level >= chain->keep_top &&
	       level >= chain->bound(end - chain->span / 2.0) &&
	       level <= chain->bound(end + chain->span / 2.0);
}

/* One function of the chain further up: the callers of step->v, which they become. */
static int step_up(const struct rarog_subject *s, const struct chain *chain, uint32_t bottom,
		   struct rarog_neighbours *walk, size_t *first, bool on_chain[])
{
	size_t end = walk->v.n;
	int r = 0;

	for (size_t i = *first; r == 0 && i < end; i++)
		if (is_in_chain(s, chain, bottom, walk->v.v[i]) || walk->v.v[i] == bottom)
			r = rarog_neighbours_add(s, &s->facts.in, walk->v.v[i], walk);
	for (size_t i = end; r == 0 && i < walk->v.n; i++)
		on_chain[walk->v.v[i]] |= is_in_chain(s, chain, bottom, walk->v.v[i]);
	*first = end;
	return r;
}

static int climb(const struct rarog_subject *s, const struct chain *chain, uint32_t bottom,
		 struct rarog_neighbours *walk, bool on_chain[])
{
	size_t first = 0;
	int r = rarog_neighbours_begin(s, walk);

	if (r == 0 && rarog_vec_push(&walk->v, bottom) < 0)
		r = rarog_oom();
	on_chain[bottom] = true;
	for (uint32_t k = 1; r == 0 && k < chain->functions && first < walk->v.n; k++)
		r = step_up(s, chain, bottom, walk, &first, on_chain);
	return r;
}

static int find_chains(const struct rarog_subject *s, const struct chain *chain, bool on_chain[])
{
	rarog_cleanup(rarog_neighbours_release) struct rarog_neighbours walk = { 0 };
	int r = 0;

	for (uint32_t i = 0; r == 0 && chain->functions > 0 && i < s->graph->callees.n; i++)
		if (is_there(s, i) && s->is_bottom[i] && s->facts.level[i] >= chain->keep_top)
			r = climb(s, chain, i, &walk, on_chain);
	return r;
}

/* @kept: is what is on a chain kept, or what is not? */
static int by_chains(struct rarog_deciding *d, const struct chain *chain, bool kept,
		     const char *why)
{
	const struct rarog_subject *s = d->subject;
	rarog_cleanup(rarog_freep) bool *on_chain =
		calloc(s->graph->callees.n + 1, sizeof(*on_chain));
	int r = on_chain ? find_chains(s, chain, on_chain) : rarog_oom();

	for (uint32_t i = 0; r == 0 && i < s->graph->callees.n; i++)
		if (is_there(s, i) && on_chain[i] != kept)
			r = prune(d, i, why, s->facts.level[i]);
	return r;
}

static double as_it_is(double level)
{
	return level;
}

/* Algorithm 4 of the documents: a chain has as many callers as the parameter says. */
static int prune_chains(struct rarog_deciding *d)
{
	uint32_t length = whole(d, RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH);
	const struct chain chain = { .functions = length < UINT32_MAX ? length + 1 : length,
				     .span = length,
				     .keep_top = whole(d, RAROG_PARAMETER_CG_PRUNE_KEEP_TOP),
				     .bound = as_it_is };

	return by_chains(d, &chain, false, "near the bottom, on level");
}

/* As the last published program has it: with the bottom function the chain has as many functions
 * as the parameter says, and the bounds are rounded. */
static int bottom_up(struct rarog_deciding *d)
{
	uint32_t length = whole(d, RAROG_PARAMETER_CG_PROJ_LEVELS);
	const struct chain chain = { .functions = length, .span = length, .bound = rint };

	return by_chains(d, &chain, true, "far from the bottom, on level");
}

/* --- together --- */

int rarog_decide_cg_shaping(struct rarog_deciding *d)
{
	static int (*const modes[])(struct rarog_deciding *) = {
		[RAROG_CG_MATCH] = match,       [RAROG_CG_PRUNE] = prune_chains,
		[RAROG_CG_SOFT] = trim,         [RAROG_CG_STRICT] = trim,
		[RAROG_CG_TOP_DOWN] = top_down, [RAROG_CG_BOTTOM_UP] = bottom_up,
	};
	const struct rarog_subject *s = d->subject;
	int r = modes[whole(d, RAROG_PARAMETER_CG_MODE)](d);

	for (uint32_t i = 0; r == 0 && i < s->graph->callees.n; i++)
		if (rarog_subject_is_function(s, i) && !rarog_subject_is_reached(s, i))
			r = prune(d, i, "nothing calls it", NO_AMOUNT);
	return r;
}
