/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which contexts are kept is decided for both versions at once, by what both took together: so a
 * frame stands in the same place whichever version gives its width.
 */
#include <math.h>

#include "base/error.h"
#include "check/contexts.h"
#include "view/html/columns.h"
#include "view/html/frames.h"
#include "view/html/pair-data.h"

/* A frame with what both versions took there, ns. */
struct pair_frame {
	double own[2], calls[2];
};

static uint64_t whole(double x)
{
	return (uint64_t)llround(x);
}

/* Both versions in one tree, as the choice of frames wants it. */
static int make_tree(const struct rarog_contexts *contexts, struct rarog_call_tree *ret_tree)
{
	struct rarog_node *nodes = calloc(contexts->n + 1, sizeof(*nodes));

	if (!nodes)
		return rarog_oom();
	for (size_t i = contexts->n; i-- > 0;) {
		const struct rarog_context_pair *of = &contexts->v[i];

		nodes[i].parent = of->parent;
		nodes[i].location = of->row;
		nodes[i].count = (uint64_t)ceil(of->calls[0] + of->calls[1]);
		nodes[i].exclusive = whole(of->exclusive_ns[0] + of->exclusive_ns[1]);
		nodes[i].inclusive += nodes[i].exclusive;
		if (i > 0)
			nodes[of->parent].inclusive += nodes[i].inclusive;
	}
	return rarog_call_tree_of(ret_tree, contexts->n, nodes);
}

/* Calls with all below; @ret_calls[2 * n]. */
static void sum_calls(const struct rarog_contexts *contexts, double ret_calls[])
{
	for (size_t i = contexts->n; i-- > 0;)
		for (size_t side = 0; side < 2; side++) {
			ret_calls[2 * i + side] += contexts->v[i].calls[side];
			if (i > 0)
				ret_calls[2 * contexts->v[i].parent + side] +=
					ret_calls[2 * i + side];
		}
}

/* A kept frame has its own time; the frame of what was left out has all of its parent that is in
 * no other frame. Parents come first, the frame of what was left out after its siblings. */
static void split(const struct rarog_contexts *contexts, const struct rarog_frames *frames,
		  double all_calls[], struct pair_frame rest[], struct pair_frame ret[])
{
	for (size_t i = 0; i < frames->n; i++) {
		const struct rarog_frame *frame = &frames->v[i];
		const struct rarog_context_pair *of = &contexts->v[frame->node];

		for (size_t side = 0; side < 2; side++) {
			struct pair_frame *mine = &rest[frame->node], *outer = &rest[of->parent];

			if (frame->left_out > 0) {
				ret[i].own[side] = fmax(mine->own[side], 0);
				ret[i].calls[side] = fmax(mine->calls[side], 0);
				continue;
			}
			ret[i].own[side] = of->exclusive_ns[side];
			ret[i].calls[side] = of->calls[side];
			mine->own[side] = of->inclusive_ns[side] - of->exclusive_ns[side];
			mine->calls[side] = all_calls[2 * frame->node + side] - of->calls[side];
			if (i == 0)
				continue;
			outer->own[side] -= of->inclusive_ns[side];
			outer->calls[side] -= all_calls[2 * frame->node + side];
		}
	}
}

/* Times in tenths of a nanosecond, so that what the page adds up is as exact as what it shows. */
static void write_tenths(struct rarog_json *json, double ns)
{
	rarog_json_int(json, NULL, llround(ns * 10));
}

static void write_margin(struct rarog_json *json, const struct rarog_contexts *contexts,
			 const struct rarog_frame *frame)
{
	double margin = contexts->v[frame->node].margin_ns;

	if (frame->left_out > 0 || !isfinite(margin))
		rarog_json_null(json, NULL);
	else
		rarog_json_uint(json, NULL, whole(margin));
}

static void write_frames(struct rarog_json *json, const struct rarog_contexts *contexts,
			 const struct rarog_frames *frames, const struct pair_frame pairs[])
{
	size_t n = frames->n;

	rarog_json_object(json, "tree");
	RAROG_COLUMN(json, "depth", n, i, rarog_json_uint(json, NULL, frames->v[i].depth));
	RAROG_COLUMN(json, "function", n, i, rarog_frames_write_function(json, &frames->v[i]));
	RAROG_COLUMN(json, "before", n, i, write_tenths(json, pairs[i].own[RAROG_BASELINE]));
	RAROG_COLUMN(json, "now", n, i, write_tenths(json, pairs[i].own[RAROG_TARGET]));
	RAROG_COLUMN(json, "calls_before", n, i,
		     rarog_json_double(json, NULL, pairs[i].calls[RAROG_BASELINE]));
	RAROG_COLUMN(json, "calls_now", n, i,
		     rarog_json_double(json, NULL, pairs[i].calls[RAROG_TARGET]));
	RAROG_COLUMN(json, "margin", n, i, write_margin(json, contexts, &frames->v[i]));
	rarog_frames_write_left_out(json, frames);
	rarog_json_end_object(json);
}

static int write_tree(const struct rarog_contexts *contexts, const struct rarog_call_tree *tree,
		      size_t max, struct rarog_json *json)
{
	rarog_cleanup(rarog_frames_release) struct rarog_frames frames = { 0 };
	rarog_cleanup(rarog_freep) double *calls = calloc(2 * contexts->n + 1, sizeof(*calls));
	rarog_cleanup(rarog_freep) struct pair_frame *rest = calloc(contexts->n + 1, sizeof(*rest));
	rarog_cleanup(rarog_freep) struct pair_frame *pairs = NULL;
	int r = calls && rest ? rarog_frames_init(&frames, tree, max) : rarog_oom();

	if (r < 0)
		return r;
	pairs = calloc(frames.n + 1, sizeof(*pairs));
	if (!pairs)
		return rarog_oom();
	sum_calls(contexts, calls);
	split(contexts, &frames, calls, rest, pairs);
	write_frames(json, contexts, &frames, pairs);
	rarog_json_uint(json, "contexts_left_out", frames.left_out.contexts);
	return 0;
}

int rarog_pair_tree_write(const struct rarog_comparison *comparison, size_t max,
			  struct rarog_json *json)
{
	rarog_cleanup(rarog_contexts_release) struct rarog_contexts contexts = { 0 };
	rarog_cleanup(rarog_call_tree_release) struct rarog_call_tree tree = { 0 };
	int r = rarog_contexts_read(comparison, &contexts);

	if (r < 0)
		return r;
	rarog_json_uint(json, "without_tree", contexts.without_tree);
	r = make_tree(&contexts, &tree);
	return r < 0 ? r : write_tree(&contexts, &tree, max, json);
}
