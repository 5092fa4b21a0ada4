/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run after run is laid over the tree: a hash table from (parent, row) to its node. What a run took
 * in a context is added with its square, for the margin of chance; where runs were made in pairs it
 * is the squares of the pairs' differences, so that what the machine did to both does not count.
 */
#include "check/contexts.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "check/places.h"

#define LEVEL       0.95
#define PAIRS_LEAST 6 /* fewer have too few degrees of freedom */

struct context {
	struct rarog_context_pair pair;
	double now_ns;     /* in the run that is being laid over it: exclusive, then inclusive */
	double base_ns;    /* inclusive, in the run of the baseline before that */
	double squares[2]; /* of inclusive times; in pairs: of their differences, in [0] */
};

struct overlay {
	const struct rarog_comparison *comparison;
	bool is_paired;
	RAROG_VEC(struct context) list;
	struct rarog_index index; /* of all but the root */
};

static void overlay_release(struct overlay *overlay)
{
	rarog_vec_release(&overlay->list);
	rarog_index_release(&overlay->index);
}

static bool is_context(const void *list, size_t number, const void *key)
{
	const struct context *context = (const struct context *)list + number, *as = key;

	return context->pair.parent == as->pair.parent && context->pair.row == as->pair.row;
}

/* The context of @row below @parent, made if it is new. */
static int context_of(struct overlay *overlay, uint32_t parent, uint32_t row, uint32_t *ret_context)
{
	const struct context context = { .pair = { .parent = parent, .row = row } };
	struct rarog_index_slot *slot =
		rarog_index_at(&overlay->index, rarog_index_hash(parent, row), is_context,
			       overlay->list.v, &context);

	if (!slot || (!slot->entry && (overlay->list.n >= RAROG_NONE ||
				       rarog_vec_push(&overlay->list, context) < 0)))
		return rarog_oom();
	if (!slot->entry)
		slot->entry = (uint32_t)overlay->list.n;
	*ret_context = slot->entry - 1;
	return 0;
}

static void add_square(struct context *context, bool is_paired, size_t side)
{
	double difference = context->now_ns - context->base_ns;

	if (!is_paired)
		context->squares[side] += context->now_ns * context->now_ns;
	else if (side == RAROG_TARGET)
		context->squares[0] += difference * difference;
	else
		context->base_ns = context->now_ns;
}

/* Adds what a run took to its contexts; its exclusive times are in .now_ns. */
static void add_up(struct overlay *overlay, size_t side)
{
	for (size_t i = overlay->list.n; i-- > 0;) {
		struct context *context = &overlay->list.v[i];

		context->pair.inclusive_ns[side] += context->now_ns;
		add_square(context, overlay->is_paired, side);
		if (i > 0)
			overlay->list.v[context->pair.parent].now_ns += context->now_ns;
		context->now_ns = 0;
	}
}

static int lay_over(struct overlay *overlay, size_t side, size_t run, size_t n,
		    const struct rarog_node nodes[])
{
	rarog_cleanup(rarog_freep) struct rarog_code_place *places = calloc(n, sizeof(*places));
	rarog_cleanup(rarog_freep) uint32_t *context_at = calloc(n, sizeof(*context_at));
	const struct rarog_side_run *of = &overlay->comparison->sides[side].runs.v[run];
	int r = places && context_at ? 0 : rarog_oom();

	if (r == 0)
		r = rarog_places_read(overlay->comparison, side, run, n, nodes, places);
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct context *context;

		if (i > 0 && (nodes[i].parent >= i || places[i].row == RAROG_NONE))
			return rarog_fail(-EBADMSG, "%s: node %zu of the call tree is damaged",
					  overlay->comparison->sides[side].name, i);
		if (i > 0 && places[i].is_folded)
			context_at[i] = context_at[nodes[i].parent];
		else if (i > 0)
			r = context_of(overlay, context_at[nodes[i].parent], places[i].row,
				       &context_at[i]);
		if (r < 0)
			return r;
		context = &overlay->list.v[context_at[i]];
		context->now_ns += places[i].exclusive_ns;
		context->pair.exclusive_ns[side] += places[i].exclusive_ns;
		if (i > 0 && !places[i].is_folded && !of->counts_samples)
			context->pair.calls[side] += (double)nodes[i].count;
	}
	if (r == 0)
		add_up(overlay, side);
	return r;
}

/* Half the width of the interval of the mean difference of @n pairs. */
static double paired_margin(size_t n, double mean, double squares)
{
	double variance = (squares - (double)n * mean * mean) / (double)(n - 1);

	return gsl_cdf_tdist_Pinv(0.5 + LEVEL / 2, (double)(n - 1)) *
	       sqrt(fmax(variance, 0) / (double)n);
}

/* Half the width of Welch's interval of the difference of two means. */
static double margin_of(const size_t n[2], const double means[2], const double squares[2])
{
	double error[2], both;

	if (n[0] < 2 || n[1] < 2)
		return INFINITY;
	for (size_t side = 0; side < 2; side++) {
		double of = (double)n[side];
		double variance = (squares[side] - of * means[side] * means[side]) / (of - 1);

		error[side] = fmax(variance, 0) / of;
	}
	both = error[0] + error[1];
	if (!(both > 0))
		return 0;
	double freedom = both * both /
			 (error[0] * error[0] / (double)(n[0] - 1) +
			  error[1] * error[1] / (double)(n[1] - 1));

	return gsl_cdf_tdist_Pinv(0.5 + LEVEL / 2, freedom) * sqrt(both);
}

static int finish(struct overlay *overlay, struct rarog_contexts *ret_contexts)
{
	const struct rarog_side *sides = overlay->comparison->sides;
	const size_t runs[2] = { sides[0].runs.n, sides[1].runs.n };
	struct rarog_context_pair *v = calloc(overlay->list.n + 1, sizeof(*v));

	if (!v)
		return rarog_oom();
	for (size_t i = 0; i < overlay->list.n; i++) {
		const struct context *context = &overlay->list.v[i];

		v[i] = context->pair;
		for (size_t side = 0; side < 2; side++) {
			v[i].exclusive_ns[side] /= (double)runs[side];
			v[i].inclusive_ns[side] /= (double)runs[side];
			v[i].calls[side] /= (double)runs[side];
		}
		v[i].margin_ns =
			overlay->is_paired
				? paired_margin(runs[0],
						v[i].inclusive_ns[1] - v[i].inclusive_ns[0],
						context->squares[0])
				: margin_of(runs, v[i].inclusive_ns, context->squares);
	}
	ret_contexts->v = v;
	ret_contexts->n = overlay->list.n;
	return 0;
}

static int add_run(struct overlay *overlay, size_t side, size_t run,
		   struct rarog_contexts *contexts)
{
	const struct rarog_side_run *of = &overlay->comparison->sides[side].runs.v[run];
	const struct rarog_node *nodes;
	long n = rarog_profile_nodes(of->profile, &nodes);

	contexts->without_tree += n == 0 || n == 1;
	return n > 1 ? lay_over(overlay, side, run, (size_t)n, nodes) : n < 0 ? (int)n : 0;
}

int rarog_contexts_read(const struct rarog_comparison *comparison,
			struct rarog_contexts *ret_contexts)
{
	const struct rarog_side *sides = comparison->sides;
	rarog_cleanup(overlay_release) struct overlay overlay = {
		.comparison = comparison,
		.is_paired = comparison->is_paired && sides[0].runs.n >= PAIRS_LEAST,
	};
	const struct context root = { .pair = { .row = RAROG_NONE } };
	int r = 0;

	*ret_contexts = (struct rarog_contexts){ 0 };
	if (rarog_vec_push(&overlay.list, root) < 0)
		return rarog_oom();
	for (size_t run = 0; r == 0 && (run < sides[0].runs.n || run < sides[1].runs.n); run++)
		for (size_t side = 0; r == 0 && side < 2; side++)
			if (run < sides[side].runs.n)
				r = add_run(&overlay, side, run, ret_contexts);
	if (r < 0)
		return r;
	if (ret_contexts->without_tree > 0) {
		overlay.list.v[0] = root;
		overlay.list.n = 1;
	}
	return finish(&overlay, ret_contexts);
}

void rarog_contexts_release(struct rarog_contexts *contexts)
{
	free(contexts->v);
	*contexts = (struct rarog_contexts){ 0 };
}
