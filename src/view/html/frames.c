/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heaviest contexts are found without sorting: the bits of a positive float grow with its
 * value, so their upper half counts contexts in 2^16 steps of weight (less than 1 % each). All
 * steps that fit are kept; of the first one that does not, the contexts with the smallest indices,
 * whose parents come before them.
 */
#include "view/html/frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "view/html/columns.h"
#include "view/metric.h"

#define STEPS 65536

struct below {
	uint32_t contexts;
	uint32_t step; /* of weight */
};

struct chooser {
	const struct rarog_call_tree *tree;
	struct below *below;           /* below[node]: with itself */
	uint64_t *sums[RAROG_METRICS]; /* likewise; NULL: not known */
	uint32_t step;                 /* kept from here on … */
	uint32_t spare;                /* … and so many of the step before */
};

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint32_t step_of(double weight)
{
	float value = weight > 1 ? 1.0F : (float)weight;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 16;
}

static int sum_up(struct chooser *chooser)
{
	const struct rarog_node *nodes = chooser->tree->nodes;
	struct below *below = chooser->below;

	for (enum rarog_view_metric m = 0; m < RAROG_METRICS; m++) {
		if (!rarog_metric_is_known(chooser->tree, m))
			continue;
		chooser->sums[m] = rarog_metric_sum(chooser->tree, m);
		if (!chooser->sums[m])
			return -ENOMEM;
	}
	for (size_t i = chooser->tree->n; i-- > 0;) {
		below[i].contexts++;
		if (i > 0)
			below[nodes[i].parent].contexts += below[i].contexts;
	}
	return 0;
}

/* The greatest of its shares. A damaged profile may have a child that outweighs its parent: it is
 * no heavier here. */
static void weigh(struct chooser *chooser)
{
	for (size_t i = 0; i < chooser->tree->n; i++) {
		struct below *below = &chooser->below[i];
		double weight = 0;

		for (enum rarog_view_metric m = 0; m < RAROG_METRICS; m++)
			if (chooser->sums[m] && chooser->sums[m][0] > 0)
				weight = fmax(weight, (double)chooser->sums[m][i] /
							      (double)chooser->sums[m][0]);
		below->step = step_of(weight);
		if (i > 0 && below->step > chooser->below[chooser->tree->nodes[i].parent].step)
			below->step = chooser->below[chooser->tree->nodes[i].parent].step;
	}
}

static int choose(struct chooser *chooser, size_t max)
{
	rarog_cleanup(rarog_freep) uint32_t *counts = calloc(STEPS, sizeof(*counts));
	size_t kept = 0;

	if (!counts)
		return rarog_oom();
	if (sum_up(chooser) < 0)
		return -ENOMEM;
	weigh(chooser);
	for (size_t i = 0; i < chooser->tree->n; i++)
		counts[chooser->below[i].step]++;
	chooser->step = STEPS;
	while (chooser->step > 0 && kept + counts[chooser->step - 1] <= max)
		kept += counts[--chooser->step];
	chooser->spare = (uint32_t)(max - kept);
	return 0;
}

/* Marks what is kept: contexts = 0. */
static void mark_kept(struct chooser *chooser)
{
	for (size_t i = 0; i < chooser->tree->n; i++) {
		struct below *below = &chooser->below[i];
		bool is_spare =
			chooser->step > 0 && below->step == chooser->step - 1 && chooser->spare > 0;

		if (i > 0 && below->step < chooser->step && !is_spare)
			continue;
		chooser->spare -= is_spare;
		below->contexts = 0;
	}
}

static int push(struct rarog_frames *frames, struct rarog_frame frame)
{
	int r = rarog_vec_push(frames, frame);

	return r < 0 ? rarog_oom() : 0;
}

/* One frame for the children of @node that are not kept. */
static int push_left_out(struct rarog_frames *frames, const struct chooser *chooser, uint32_t node,
			 size_t depth)
{
	const struct rarog_call_tree *tree = chooser->tree;
	struct rarog_frame frame = { .node = node,
				     .depth = (uint32_t)depth + 1,
				     .location = RAROG_NONE };

	for (uint32_t i = tree->child[node]; i != RAROG_NONE; i = tree->sibling[i]) {
		if (chooser->below[i].contexts == 0)
			continue;
		frame.left_out += chooser->below[i].contexts;
		frame.count = add_up(frame.count, chooser->sums[RAROG_METRIC_CALLS][i]);
		frame.self = add_up(frame.self, tree->nodes[i].inclusive);
		if (!tree->off_cpu)
			continue;
		frame.waited = add_up(frame.waited, chooser->sums[RAROG_METRIC_WAITED][i]);
		frame.preempted = add_up(frame.preempted, chooser->sums[RAROG_METRIC_PREEMPTED][i]);
	}
	if (frame.left_out == 0)
		return 0;
	frames->left_out.contexts += frame.left_out;
	frames->left_out.calls = add_up(frames->left_out.calls, frame.count);
	frames->left_out.ticks = add_up(frames->left_out.ticks, frame.self);
	return push(frames, frame);
}

static int push_kept(struct rarog_frames *frames, const struct rarog_call_tree *tree,
		     const struct rarog_call_tree_walk *walk)
{
	const struct rarog_node *node = &tree->nodes[walk->node];
	struct rarog_frame frame = { .node = walk->node,
				     .depth = (uint32_t)walk->depth,
				     .location = walk->node ? node->location : RAROG_NONE,
				     .count = node->count,
				     .self = node->exclusive };

	if (tree->off_cpu) {
		frame.waited = tree->off_cpu[walk->node].waited;
		frame.preempted = tree->off_cpu[walk->node].preempted;
	}
	return push(frames, frame);
}

static int collect(struct rarog_frames *frames, const struct chooser *chooser)
{
	struct rarog_call_tree_walk walk = { .tree = chooser->tree };
	int r = 0;

	while (r == 0 && rarog_call_tree_step(&walk)) {
		bool is_kept = chooser->below[walk.node].contexts == 0;

		if (!is_kept && !walk.is_leaving)
			rarog_call_tree_skip(&walk);
		else if (is_kept && walk.is_leaving)
			r = push_left_out(frames, chooser, walk.node, walk.depth);
		else if (is_kept)
			r = push_kept(frames, chooser->tree, &walk);
	}
	return r;
}

static void chooser_release(struct chooser *chooser)
{
	free(chooser->below);
	for (size_t i = 0; i < RAROG_METRICS; i++)
		free(chooser->sums[i]);
}

int rarog_frames_init(struct rarog_frames *frames, const struct rarog_call_tree *tree, size_t max)
{
	rarog_cleanup(chooser_release) struct chooser chooser = {
		.tree = tree,
		.below = calloc(tree->n + 1, sizeof(*chooser.below)),
	};

	*frames = (struct rarog_frames){ 0 };
	if (!chooser.below)
		return rarog_oom();
	if (tree->n == 0)
		return 0;
	int r = choose(&chooser, max);

	if (r < 0)
		return r;
	mark_kept(&chooser);
	r = collect(frames, &chooser);
	if (r < 0)
		rarog_frames_release(frames);
	return r;
}

void rarog_frames_release(struct rarog_frames *frames)
{
	rarog_vec_release(frames);
	*frames = (struct rarog_frames){ 0 };
}

void rarog_frames_write_function(struct rarog_json *json, const struct rarog_frame *frame)
{
	if (frame->left_out > 0)
		rarog_json_int(json, NULL, -2);
	else
		rarog_html_index(json, frame->location);
}

void rarog_frames_write_left_out(struct rarog_json *json, const struct rarog_frames *frames)
{
	rarog_json_array(json, "left_out");
	for (size_t i = 0; i < frames->n; i++) {
		if (frames->v[i].left_out == 0)
			continue;
		rarog_json_uint(json, NULL, i);
		rarog_json_uint(json, NULL, frames->v[i].left_out);
	}
	rarog_json_end_array(json);
}
