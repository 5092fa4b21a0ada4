/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call tree, heaviest branch first. Children are sorted, so those that are heavy enough to be
 * shown come before those that are not, and a branch is the last one drawn when its next sibling is
 * too light. Of deep stacks only the innermost guides are drawn, after the number of those left
 * out.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "base/vec.h"
#include "view/metric.h"
#include "view/term/node-amounts.h"
#include "view/term/views.h"
#include "view/text.h"

#define MAX_GUIDES    24 /* levels whose guides are drawn */
#define NUMBERS_WIDTH 44 /* what the columns before the tree take, about */
#define LABEL_MIN     20

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_ID, NULL, "id", false },
	{ RAROG_FACT_ID, NULL, "parent", false },
	{ RAROG_FACT_ID, NULL, "depth", false },
	{ RAROG_FACT_NS, "total", "inclusive_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_NS, "cpu", NULL, false }, /* FACT_CPU */
	{ RAROG_FACT_COUNT, "calls", "count", false },
	{ RAROG_FACT_DRAWN, "call tree", NULL, false },
	{ RAROG_FACT_TEXT, NULL, "name", false },
	{ RAROG_FACT_TEXT, NULL, "mangled", false },
	{ RAROG_FACT_TEXT, NULL, "binary", false },
	{ RAROG_FACT_TEXT, NULL, "file", false },
	{ RAROG_FACT_ID, NULL, "line", false },
	{ RAROG_FACT_NS, NULL, "cpu_ns", false },
	{ RAROG_FACT_NS, NULL, "waited_ns", false },
	{ RAROG_FACT_NS, NULL, "preempted_ns", false },
	{ RAROG_FACT_NS, NULL, "inclusive_cpu_ns", false },
};

#define FACT_CPU   6
#define FACT_COUNT 7
#define CPU_WIDTH  10 /* what its column takes … */
#define CPU_FROM   85 /* … where lines are as long */

struct printer {
	struct rarog_show *show;
	struct rarog_call_tree tree;
	struct rarog_sheet sheet;
	struct rarog_sheet_fact facts[RAROG_COUNT(facts)];
	int numbers_width;       /* what the columns before the tree take */
	uint64_t *inclusive_cpu; /* by node; NULL: CPU time is not known */
	uint64_t *samples;       /* by node, with all below; NULL: calls were counted */
	bool *unknown;           /* by location: exclusive amounts; NULL: all are known */
	uint64_t threshold;      /* ticks */
	size_t n_light, n_deep;  /* branches not shown */
	RAROG_VEC(bool) more;    /* by depth: further siblings will be drawn */
	RAROG_VEC(uint64_t) id;  /* by depth: of the node on the path */
	size_t max_guides;
	size_t within; /* depth of the outermost node that --func wants + 1; 0: none */
};

static bool is_heavy(const struct printer *p, uint32_t node)
{
	return node != RAROG_NONE && p->tree.nodes[node].inclusive >= p->threshold;
}

/* Guides left out at @depth: in jumps of half of what fits, so that lines between two jumps stand
 * below each other. */
static size_t hidden_guides(const struct printer *p, size_t depth)
{
	size_t jump = (p->max_guides + 1) / 2, fits = p->max_guides + 2;

	return depth <= fits ? 0 : (depth - fits + jump - 1) / jump * jump;
}

static int add_guides(const struct printer *p, size_t depth, struct rarog_str *text)
{
	bool ascii = p->show->options.ascii;
	size_t hidden = hidden_guides(p, depth), first = 2 + hidden;
	int r = hidden > 0 ? rarog_str_addf(text, "+%-3zu ", hidden) : 0;

	for (size_t level = first; r == 0 && level < depth; level++)
		r = rarog_str_add(text, !p->more.v[level] ? "   " : ascii ? "|  " : "│  ");
	if (r < 0 || depth < 2)
		return r;
	if (ascii)
		return rarog_str_add(text, p->more.v[depth] ? "|- " : "`- ");
	return rarog_str_add(text, p->more.v[depth] ? "├─ " : "└─ ");
}

/* Guides are never cut, so that the tree stays one: names give way. */
static int cut_label(const struct printer *p, size_t depth, struct rarog_str *label)
{
	size_t hidden = hidden_guides(p, depth);
	size_t n_guides = depth - 1 - hidden + (hidden > 0 ? 2 : 0);
	int columns = p->show->options.width - p->numbers_width - 3 * (int)n_guides;

	if (p->show->options.width == 0)
		return 0;
	if (rarog_text_fit_name(label, columns, p->show->options.ascii) < 0)
		return -ENOMEM;
	return rarog_text_elide(label, columns < LABEL_MIN ? LABEL_MIN : columns,
				p->show->options.ascii);
}

static int add_label(const struct printer *p, const struct rarog_location *location, size_t depth,
		     struct rarog_str *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(location);
	rarog_cleanup(rarog_str_release) struct rarog_str label = { 0 };
	bool ascii = p->show->options.ascii;
	int r = rarog_text_add_clean(&label, rarog_location_title(location), ascii);

	if (r == 0)
		r = cut_label(p, depth, &label);
	if (r == 0)
		r = rarog_str_add(text, rarog_str_text(&label));

	if (r < 0 || !p->show->options.lines || place.length == 0)
		return r;
	r = rarog_str_add(text, "  ");
	return r < 0 ? r : rarog_text_add_clean(text, rarog_str_text(&place), ascii);
}

static bool is_own_known(const struct printer *p, const struct rarog_node *node)
{
	return !p->unknown || !p->unknown[node->location];
}

static enum rarog_style weight(const struct printer *p, const struct rarog_node *node)
{
	uint64_t whole = p->tree.nodes[0].inclusive;

	if (is_own_known(p, node) && node->exclusive > 0 && node->exclusive >= whole / 10)
		return RAROG_STYLE_BOLD;
	return RAROG_STYLE_PLAIN;
}

static uint64_t ns(const struct printer *p, uint64_t ticks)
{
	return rarog_show_amount(p->show, ticks);
}

static struct rarog_value off_cpu_value(const struct printer *p, uint64_t ticks)
{
	return (struct rarog_value){ .number = ns(p, ticks), .is_null = !p->inclusive_cpu };
}

/* Of the node without what it calls. */
static struct rarog_value own_value(const struct printer *p, const struct rarog_node *node,
				    struct rarog_value value)
{
	value.is_null |= !is_own_known(p, node);
	return value;
}

static int add_node(struct printer *p, uint32_t index, size_t depth)
{
	bool has_cpu = p->inclusive_cpu != NULL;
	const struct rarog_off_cpu_ticks off_cpu =
		has_cpu ? p->tree.off_cpu[index] : (struct rarog_off_cpu_ticks){ 0 };
	uint64_t cpu = has_cpu ? rarog_metric_kinds[RAROG_METRIC_CPU].own(&p->tree, index) : 0;
	const struct rarog_node *node = &p->tree.nodes[index];
	const struct rarog_location *location = &p->tree.locations[node->location];
	rarog_cleanup(rarog_str_release) struct rarog_str drawn = { 0 };
	int r = add_guides(p, depth, &drawn);

	if (r == 0)
		r = add_label(p, location, depth, &drawn);
	p->id.v[depth] = p->sheet.n_rows + 1;
	const struct rarog_value values[] = {
		{ .number = p->id.v[depth] },
		{ .number = depth > 1 ? p->id.v[depth - 1] : 0, .is_null = depth < 2 },
		{ .number = depth },
		{ .number = ns(p, node->inclusive) },
		{ .number = node->inclusive, .whole = p->tree.nodes[0].inclusive },
		own_value(p, node, (struct rarog_value){ .number = ns(p, node->exclusive) }),
		own_value(p, node, off_cpu_value(p, cpu)),
		{ .number = p->samples ? p->samples[index] : node->count },
		{ .text = rarog_str_text(&drawn), .style = weight(p, node) },
		{ .text = rarog_location_title(location) },
		{ .text = location->name },
		{ .text = rarog_run_binary(&p->show->run, location) },
		{ .text = location->file },
		{ .number = location->line, .is_null = location->line == 0 },
		own_value(p, node, off_cpu_value(p, cpu)),
		own_value(p, node, off_cpu_value(p, off_cpu.waited)),
		own_value(p, node, off_cpu_value(p, off_cpu.preempted)),
		off_cpu_value(p, has_cpu ? p->inclusive_cpu[index] : 0),
	};

	return r < 0 ? r : rarog_sheet_add(&p->sheet, values);
}

/* Reserves what the path needs at @depth. */
static int make_room(struct printer *p, size_t depth)
{
	while (p->more.n <= depth)
		if (rarog_vec_push(&p->more, false) < 0 || rarog_vec_push(&p->id, 0) < 0)
			return rarog_oom();
	return 0;
}

/* --func: the tree is cut to the outermost calls of what matches; their depth becomes 1. */
static size_t shown_depth(struct printer *p, const struct rarog_call_tree_walk *walk)
{
	uint32_t location = p->tree.nodes[walk->node].location;

	if (walk->depth == 0 || !p->show->options.func)
		return walk->depth;
	if (p->within == 0 && rarog_show_matches(p->show, &p->tree.locations[location]))
		p->within = walk->depth;
	return p->within == 0 ? 0 : walk->depth - p->within + 1;
}

static int enter(struct printer *p, struct rarog_call_tree_walk *walk)
{
	size_t depth = shown_depth(p, walk), limit = p->show->options.depth;

	bool is_light = !is_heavy(p, walk->node);

	if (is_light || (limit > 0 && depth > limit)) {
		p->n_light += is_light && depth > 0;
		p->n_deep += !is_light;
		rarog_call_tree_skip(walk);
		return 0;
	}
	int r = make_room(p, depth + 1);

	if (r < 0 || depth == 0)
		return r;
	p->more.v[depth] = is_heavy(p, p->tree.sibling[walk->node]);
	return add_node(p, walk->node, depth);
}

static int draw(struct printer *p)
{
	struct rarog_call_tree_walk walk = { .tree = &p->tree };
	int r = 0;

	while (r == 0 && !ferror(p->show->out) && rarog_call_tree_step(&walk)) {
		if (!walk.is_leaving)
			r = enter(p, &walk);
		else if (walk.depth > 0 && walk.depth == p->within)
			p->within = 0;
	}
	return r;
}

static void note_hidden(struct printer *p)
{
	const struct rarog_show_options *options = &p->show->options;

	if (p->n_light > 0)
		rarog_show_note(p->show, "%zu branch%s below %.3g %% not shown; --min-share 0 does",
				p->n_light, p->n_light == 1 ? "" : "es", 100 * options->min_share);
	if (p->n_deep > 0)
		rarog_show_note(p->show,
				"%zu branch%s deeper than %zu levels not shown; --depth 0 does",
				p->n_deep, p->n_deep == 1 ? "" : "es", options->depth);
	if (p->unknown)
		rarog_show_note_unknown(p->show);
}

static int print_tree(struct printer *p)
{
	const struct rarog_show_options *options = &p->show->options;
	int r = rarog_show_sheet(p->show, &p->sheet, RAROG_COUNT(facts), p->facts, "nodes");

	if (r == 0)
		r = draw(p);
	if (r == 0)
		r = rarog_sheet_end(&p->sheet, options->width, options->colour);
	if (r == 0)
		note_hidden(p);
	return r;
}

int rarog_show_check_tree(const struct rarog_show *show)
{
	if (show->has_times || show->tally.n > 0)
		return 0;
	return rarog_fail(-ENODATA,
			  "%s has only counts, neither times nor a call tree; collect with "
			  "--detail=summary or --detail=calls",
			  rarog_profile_path(show->run.profile));
}

static void choose_columns(struct printer *p)
{
	const struct rarog_show_options *options = &p->show->options;
	bool has_cpu = p->inclusive_cpu && options->columns_width >= CPU_FROM;
	int room;

	memcpy(p->facts, facts, sizeof(facts));
	rarog_show_name_amounts(p->show, RAROG_COUNT(facts), p->facts);
	if (!has_cpu)
		p->facts[FACT_CPU].title = NULL;
	if (p->samples)
		p->facts[FACT_COUNT].title = p->facts[FACT_COUNT].key = "samples";
	p->numbers_width = NUMBERS_WIDTH + (has_cpu ? CPU_WIDTH : 0);
	room = (options->width - p->numbers_width - LABEL_MIN) / 3;
	p->max_guides = options->width == 0 || room > MAX_GUIDES ? MAX_GUIDES
			: room < 4                               ? 4
								 : (size_t)room;
}

/* The tree, folded if that is wanted, and its CPU times. */
static int load_tree(struct printer *p)
{
	int r = rarog_call_tree_init(&p->tree, p->show->run.profile);

	if (r == 0)
		r = rarog_show_unknown(p->show, &p->unknown);
	if (r == 0 && p->show->options.fold_recursion)
		r = rarog_call_tree_fold(&p->tree);
	if (r == 0 && p->show->has_samples) {
		p->samples = rarog_metric_sum(&p->tree, RAROG_METRIC_CALLS);
		r = p->samples ? 0 : -ENOMEM;
	}
	if (r < 0 || !p->tree.off_cpu)
		return r;
	p->inclusive_cpu = rarog_metric_sum(&p->tree, RAROG_METRIC_CPU);
	return p->inclusive_cpu ? 0 : -ENOMEM;
}

static int show_tree(struct rarog_show *show)
{
	struct printer p = { .show = show };
	int r = load_tree(&p);

	choose_columns(&p);
	if (r == 0) {
		double whole = p.tree.n > 0 ? (double)p.tree.nodes[0].inclusive : 0;

		p.threshold = (uint64_t)(whole * show->options.min_share);
		r = print_tree(&p);
	}
	rarog_sheet_release(&p.sheet);
	rarog_call_tree_release(&p.tree);
	free(p.inclusive_cpu);
	free(p.samples);
	free(p.unknown);
	rarog_vec_release(&p.more);
	rarog_vec_release(&p.id);
	return r;
}

const struct rarog_view rarog_view_tree = {
	.run = show_tree,
	.check = rarog_show_check_tree,
	.is_of_callers = true,
	.depth = 64, /* deeper is recursion, and --fold-recursion tells more of it */
};
