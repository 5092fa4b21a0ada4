/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folded stacks: one line for each node of the context tree, "a;b;c VALUE", the input of flame
 * graph tools. The line is kept as one growing text; entering a node appends, leaving cuts.
 *
 * Values are rounded so that their sum is the rounded sum: each is the step of the running total
 * in nanoseconds. Frames deeper than MAX_DEPTH count for their ancestor there: a recursion of
 * 100,000 calls would make lines of gigabytes in all, which no reader of this format survives.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/error.h"
#include "base/vec.h"
#include "blocks/tally.h"
#include "view/export/export.h"
#include "view/text.h"

#define MAX_DEPTH 2000

struct folder {
	const struct rarog_clock *clock;
	const struct rarog_call_tree *tree;
	const struct rarog_metric_kind *metric;
	bool is_time;   /* values are ticks */
	uint64_t ticks; /* of all lines until now, times */
	uint64_t deep;  /* what lies below MAX_DEPTH */
	struct rarog_str stack;
	RAROG_VEC(size_t) lengths; /* of the stack text at each depth */
	FILE *out;
};

/* ';' separates frames and the last space a line's value: neither may stand in a name. */
static int add_frame(struct folder *folder, const char *name)
{
	rarog_cleanup(rarog_str_release) struct rarog_str clean = { 0 };
	int r = rarog_text_add_clean(&clean, name, false);

	if (r == 0 && folder->stack.length > 0)
		r = rarog_str_add_char(&folder->stack, ';');
	for (size_t i = 0; r == 0 && i < clean.length; i++)
		r = clean.text[i] == ';' ? rarog_str_add(&folder->stack, "\\x3b")
					 : rarog_str_add_char(&folder->stack, clean.text[i]);
	return r;
}

static void print_line(struct folder *folder, const char *stack, uint64_t value)
{
	uint64_t before = rarog_clock_ns(folder->clock, folder->ticks);

	folder->ticks += value;
	if (folder->is_time)
		value = rarog_clock_ns(folder->clock, folder->ticks) - before;
	if (value > 0)
		fprintf(folder->out, "%s %" PRIu64 "\n", stack, value);
}

static int enter(struct folder *folder, uint32_t index)
{
	const struct rarog_node *node = &folder->tree->nodes[index];

	if (rarog_vec_push(&folder->lengths, folder->stack.length) < 0)
		return rarog_oom();
	folder->deep = 0;
	if (node->location == RAROG_NONE)
		return 0;
	return add_frame(folder, rarog_location_title(&folder->tree->locations[node->location]));
}

static int leave(struct folder *folder, uint32_t node)
{
	const char *stack = folder->stack.length > 0 ? folder->stack.text : "(outside)";

	print_line(folder, stack, folder->metric->own(folder->tree, node) + folder->deep);
	folder->deep = 0;
	folder->stack.length = folder->lengths.v[--folder->lengths.n];
	if (folder->stack.text)
		folder->stack.text[folder->stack.length] = '\0';
	return 0;
}

static int count_deep(struct folder *folder, uint32_t node)
{
	folder->deep += folder->metric->own(folder->tree, node);
	return 0;
}

static int fold(struct folder *folder)
{
	struct rarog_call_tree_walk walk = { .tree = folder->tree };
	int r = 0;

	while (r == 0 && !ferror(folder->out) && rarog_call_tree_step(&walk)) {
		if (walk.depth > MAX_DEPTH)
			r = walk.is_leaving ? count_deep(folder, walk.node) : 0;
		else
			r = walk.is_leaving ? leave(folder, walk.node) : enter(folder, walk.node);
	}
	return r;
}

static int collapsed_write(struct rarog_profile *profile,
			   const struct rarog_export_options *options, FILE *out)
{
	rarog_cleanup(rarog_call_tree_release) struct rarog_call_tree tree = { 0 };
	struct folder folder = { .clock = rarog_profile_clock(profile),
				 .tree = &tree,
				 .metric = &rarog_metric_kinds[options->metric],
				 .is_time = rarog_metric_kinds[options->metric].is_time &&
					    !rarog_tally_has(profile),
				 .out = out };
	int r = rarog_call_tree_init(&tree, profile);

	if (r == 0 && !rarog_metric_is_known(&tree, options->metric))
		r = rarog_fail(-ENODATA, "%s has no CPU times; see rarog doctor",
			       rarog_profile_path(profile));
	if (r == 0)
		r = fold(&folder);
	rarog_str_release(&folder.stack);
	rarog_vec_release(&folder.lengths);
	return r;
}

const struct rarog_export_format rarog_export_collapsed = {
	.name = "collapsed",
	.summary =
		"folded stacks with exclusive ns (or another --metric; of counts: instructions), "
		"for flame graph tools",
	.use = RAROG_EXPORT_OF_CONTEXTS,
	.write = collapsed_write,
};
