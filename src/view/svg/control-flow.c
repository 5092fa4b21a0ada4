/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The blocks of a function in layers from its entry down: how often each ran, and by its colour how
 * much of what the function executed it is. Ways that were never taken are dashed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "base/units.h"
#include "blocks/tally.h"
#include "view/svg/block-graph.h"
#include "view/svg/svg.h"
#include "view/text.h"

struct picture {
	const struct rarog_tally *tally;
	const struct rarog_tally_function *function;
	struct rarog_block_graph drawn;
	uint32_t *number; /* of a block among the nodes; RAROG_NONE: it is not drawn */
};

/* As the page has it: steps at 0.1, 1, 5 and 20 % of what the function executed. */
static const char *colour_of(uint64_t instructions, uint64_t all)
{
	static const char *const colours[] = { "#fdf1e7", "#fde0c5", "#f8b58b", "#f19066",
					       "#e26a4a" };
	double share = all > 0 ? (double)instructions / (double)all : 0;

	return instructions == 0 ? "#ffffff"
				 : colours[(share >= 0.001) + (share >= 0.01) + (share >= 0.05) +
					   (share >= 0.2)];
}

/* What ran, and what it leads to. The rest is room between the code. */
static void choose(struct picture *p)
{
	const struct rarog_edge_count *edges = p->tally->edges + p->function->first_edge;
	bool is_more = true;

	for (uint32_t i = 0; i < p->function->n; i++)
		p->number[i] = i == 0 || p->tally->blocks[p->function->first + i].count > 0
				       ? 0
				       : RAROG_NONE;
	while (is_more) {
		is_more = false;
		for (uint32_t i = 0; i < p->function->n_edges; i++) {
			uint32_t *to = &p->number[edges[i].to - p->function->first];

			if (*to == RAROG_NONE &&
			    p->number[edges[i].from - p->function->first] != RAROG_NONE) {
				*to = 0;
				is_more = true;
			}
		}
	}
}

static void add_blocks(struct picture *p)
{
	choose(p);
	for (uint32_t i = 0; i < p->function->n; i++) {
		if (p->number[i] == RAROG_NONE)
			continue;
		p->number[i] = (uint32_t)p->drawn.n++;
		const struct rarog_block_count *block = &p->tally->blocks[p->function->first + i];
		uint64_t instructions = block->count * block->instructions;

		snprintf(p->drawn.texts[i].text, sizeof(p->drawn.texts[i].text),
			 "%" PRIu32 ": line %" PRIu32 ", %s ×", i, block->line,
			 rarog_format_count(block->count).text);
		snprintf(p->drawn.tips[i].text, sizeof(p->drawn.tips[i].text),
			 "%s times %" PRIu32 " instructions, %s",
			 rarog_format_count(block->count).text, block->instructions,
			 rarog_format_percent(instructions, p->function->instructions).text);
		p->drawn.nodes[p->number[i]] = (struct rarog_layered_node){
			.text = p->drawn.texts[i].text,
			.tip = p->drawn.tips[i].text,
			.colour = colour_of(instructions, p->function->instructions),
		};
	}
}

static void add_ways(struct picture *p)
{
	const struct rarog_edge_count *edges = p->tally->edges + p->function->first_edge;

	for (uint32_t i = 0; i < p->function->n_edges; i++) {
		bool is_taken = edges[i].is_unknown || edges[i].count > 0;
		uint32_t from = p->number[edges[i].from - p->function->first];
		uint32_t to = p->number[edges[i].to - p->function->first];

		if (from == RAROG_NONE)
			continue;

		snprintf(p->drawn.ways[i].text, sizeof(p->drawn.ways[i].text), "%s",
			 edges[i].is_unknown ? "how often is not known"
					     : rarog_format_count(edges[i].count).text);
		p->drawn.edges[p->drawn.n_ways++] = (struct rarog_layered_edge){
			.from = from,
			.to = to,
			.is_dashed = !is_taken,
			.tip = p->drawn.ways[i].text,
		};
	}
}

static int draw(struct picture *p, const struct rarog_svg_options *options, FILE *out)
{
	int r = rarog_block_graph_init(p->function->n, p->function->n_edges, options->func,
				       &p->drawn);

	if (r < 0)
		return r;
	p->number = calloc(p->function->n + 1, sizeof(*p->number));
	if (!p->number)
		return rarog_oom();
	add_blocks(p);
	add_ways(p);
	return rarog_block_graph_draw(&p->drawn, options->title, out);
}

static void picture_release(struct picture *p)
{
	free(p->number);
	rarog_block_graph_release(&p->drawn);
}

/* The one that executed most, of those that are meant. */
static const struct rarog_tally_function *find(const struct rarog_run *run,
					       const struct rarog_tally *tally,
					       struct rarog_match *match)
{
	const struct rarog_tally_function *found = NULL;

	for (size_t i = 0; i < tally->n; i++) {
		const struct rarog_location *of = &run->locations[tally->functions[i].location];
		const char *names[] = { of->name, of->demangled };

		if (rarog_match_test(match, RAROG_COUNT(names), names) &&
		    (!found || tally->functions[i].instructions > found->instructions))
			found = &tally->functions[i];
	}
	return found;
}

int rarog_svg_control_flow(const struct rarog_run *run, const struct rarog_svg_options *options,
			   FILE *out)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_tally_release) struct rarog_tally tally = { 0 };
	rarog_cleanup(picture_release) struct picture picture = { .tally = &tally };
	const char *path = rarog_profile_path(run->profile);
	int r = rarog_match_include(&match, options->func);

	if (r == 0)
		r = rarog_tally_read(run->profile, &tally);
	if (r < 0)
		return r;
	if (tally.n_edges == 0)
		return rarog_fail(-ENODATA,
				  "%s has no ways between blocks; rarog collect blocks counts them",
				  path);
	picture.function = find(run, &tally, &match);
	if (!picture.function)
		return rarog_fail(-ENOENT, "%s has no blocks of '%s'; rarog show lists functions",
				  path, options->func);
	return draw(&picture, options, out);
}
