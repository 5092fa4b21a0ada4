/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks of both versions of a function in layers from the entry down, as the page has them:
 * how often each ran before and now, by its colour how many more or less instructions that is. What
 * only one version has says so; its ways are dashed.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "base/units.h"
#include "view/joined-blocks.h"
#include "view/svg/block-graph.h"
#include "view/svg/pair.h"
#include "view/text.h"

struct picture {
	const struct rarog_joined_graph *graph;
	uint64_t instructions; /* of the version that executed more */
	struct rarog_block_graph drawn;
};

static uint64_t executed(const struct rarog_block_count *block)
{
	return block ? block->count * block->instructions : 0;
}

/* Steps at 1, 5 and 20 % of what the function executes; grey: no change. */
static const char *colour_of(const struct picture *p, double gain)
{
	static const char *const colours[2][4] = {
		{ "#d1e2f2", "#b0cee9", "#8ab6de", "#69a1d5" },
		{ "#f6d4cf", "#efb4ad", "#e89186", "#e17163" },
	};
	double share = fabs(gain) / (double)(p->instructions > 0 ? p->instructions : 1);

	return gain == 0 ? "#e4e2df"
			 : colours[gain > 0][(share >= 0.01) + (share >= 0.05) + (share >= 0.2)];
}

static void name_node(const struct picture *p, size_t i, const struct rarog_block_count *before,
		      const struct rarog_block_count *now)
{
	const uint32_t *number = p->graph->nodes.v[i].block;
	char *text = p->drawn.texts[i].text;
	size_t room = sizeof(p->drawn.texts[i].text);

	if (!before)
		snprintf(text, room, "+ %" PRIu32 " new: %s ×", number[1],
			 rarog_format_count(now->count).text);
	else if (!now)
		snprintf(text, room, "- %" PRIu32 " gone: %s ×", number[0],
			 rarog_format_count(before->count).text);
	else if (before->count == now->count)
		snprintf(text, room, "%" PRIu32 ": %s ×", number[1],
			 rarog_format_count(now->count).text);
	else
		snprintf(text, room, "%" PRIu32 ": %s → %s ×", number[1],
			 rarog_format_count(before->count).text,
			 rarog_format_count(now->count).text);
}

static void add_node(struct picture *p, size_t i)
{
	const struct rarog_block_count *before = rarog_joined_block_of(p->graph, i, 0);
	const struct rarog_block_count *now = rarog_joined_block_of(p->graph, i, 1);

	name_node(p, i, before, now);
	snprintf(p->drawn.tips[i].text, sizeof(p->drawn.tips[i].text), "instructions %s → %s",
		 rarog_format_count(executed(before)).text, rarog_format_count(executed(now)).text);
	p->drawn.nodes[i] = (struct rarog_layered_node){
		.text = p->drawn.texts[i].text,
		.tip = p->drawn.tips[i].text,
		.colour = colour_of(p, (double)executed(now) - (double)executed(before)),
	};
}

static struct rarog_amount count_of(const struct rarog_joined_way *way, size_t side)
{
	static const struct rarog_amount none = { "none" }, unknown = { "unknown" };

	return !way->is_there[side]    ? none
	       : way->is_unknown[side] ? unknown
				       : rarog_format_count(way->count[side]);
}

static void add_way(struct picture *p, size_t i)
{
	const struct rarog_joined_way *way = &p->graph->ways.v[i];

	snprintf(p->drawn.ways[i].text, sizeof(p->drawn.ways[i].text), "%s → %s",
		 count_of(way, 0).text, count_of(way, 1).text);
	p->drawn.edges[i] = (struct rarog_layered_edge){
		.from = way->from,
		.to = way->to,
		.is_dashed = !way->is_there[0] || !way->is_there[1],
		.tip = p->drawn.ways[i].text,
	};
}

static int draw(struct picture *p, const struct rarog_svg_options *options, FILE *out)
{
	int r = rarog_block_graph_init(p->graph->nodes.n, p->graph->ways.n, options->func,
				       &p->drawn);

	if (r < 0)
		return r;
	p->drawn.n = p->graph->nodes.n;
	p->drawn.n_ways = p->graph->ways.n;
	for (size_t i = 0; i < p->drawn.n; i++)
		add_node(p, i);
	for (size_t i = 0; i < p->drawn.n_ways; i++)
		add_way(p, i);
	r = rarog_block_graph_draw(&p->drawn, options->title, out);
	rarog_block_graph_release(&p->drawn);
	return r;
}

static uint64_t instructions_of(const struct rarog_joined_sides *sides, size_t row)
{
	uint64_t most = 0;

	for (size_t side = 0; side < 2; side++) {
		const struct rarog_tally_function *of = sides->of[side][row];

		if (of && of->instructions > most)
			most = of->instructions;
	}
	return most;
}

/* The one that executed most, of those that are meant; RAROG_NONE: there is none. */
static size_t find(const struct rarog_joined_sides *sides, struct rarog_match *match)
{
	size_t found = RAROG_NONE;

	for (size_t row = 0; row < sides->comparison->n; row++) {
		const struct rarog_row_form *form = sides->comparison->rows[row].form;
		const char *names[] = { form[0].mangled, form[0].name, form[1].mangled,
					form[1].name };

		if (rarog_joined_has_run(sides, row) &&
		    rarog_match_test(match, RAROG_COUNT(names), names) &&
		    (found == RAROG_NONE ||
		     instructions_of(sides, row) > instructions_of(sides, found)))
			found = row;
	}
	return found;
}

static int draw_row(const struct rarog_joined_sides *sides, size_t row,
		    const struct rarog_svg_options *options, FILE *out)
{
	rarog_cleanup(rarog_joined_graph_release) struct rarog_joined_graph graph = { 0 };
	struct picture picture = { .graph = &graph, .instructions = instructions_of(sides, row) };
	int r = rarog_joined_graph_make(sides, row, &graph);

	return r < 0 ? r : draw(&picture, options, out);
}

int rarog_svg_pair_flow(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			FILE *out)
{
	const struct rarog_comparison *comparison = &checks->list.v[0].comparison;
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_joined_sides_release) struct rarog_joined_sides sides = { 0 };
	int r = rarog_match_include(&match, options->func);
	size_t row;

	if (r == 0 && !comparison->has_blocks)
		return rarog_fail(-ENODATA, "--svg control-flow: these have no counts of blocks; "
					    "rarog collect blocks counts them");
	if (r == 0)
		r = rarog_joined_sides_read(comparison, &sides);
	if (r < 0)
		return r;
	row = find(&sides, &match);
	if (row == RAROG_NONE)
		return rarog_fail(-ENOENT,
				  "--svg control-flow: neither version ran a function '%s'; "
				  "rarog report without --svg lists them",
				  options->func);
	return draw_row(&sides, row, options, out);
}
