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
#include "view/binary/layers.h"
#include "view/svg/svg.h"
#include "view/text.h"

#define BLOCKS_MAX 3000 /* a picture of more is none */

struct text {
	char text[96];
};

struct picture {
	const struct rarog_tally *tally;
	const struct rarog_tally_function *function;
	struct rarog_layered_node *nodes;
	struct rarog_layered_edge *edges;
	uint32_t *number; /* of a block among the nodes; RAROG_NONE: it is not drawn */
	size_t n_nodes, n_edges;
	struct text *texts, *tips, *ways;
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
		p->number[i] = (uint32_t)p->n_nodes++;
		const struct rarog_block_count *block = &p->tally->blocks[p->function->first + i];
		uint64_t instructions = block->count * block->instructions;

		snprintf(p->texts[i].text, sizeof(p->texts[i].text),
			 "%" PRIu32 ": line %" PRIu32 ", %s ×", i, block->line,
			 rarog_format_count(block->count).text);
		snprintf(p->tips[i].text, sizeof(p->tips[i].text),
			 "%s times %" PRIu32 " instructions, %s",
			 rarog_format_count(block->count).text, block->instructions,
			 rarog_format_percent(instructions, p->function->instructions).text);
		p->nodes[p->number[i]] = (struct rarog_layered_node){
			.text = p->texts[i].text,
			.tip = p->tips[i].text,
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

		snprintf(p->ways[i].text, sizeof(p->ways[i].text), "%s",
			 edges[i].is_unknown ? "how often is not known"
					     : rarog_format_count(edges[i].count).text);
		p->edges[p->n_edges++] = (struct rarog_layered_edge){
			.from = from,
			.to = to,
			.is_dashed = !is_taken,
			.tip = p->ways[i].text,
		};
	}
}

static int draw(struct picture *p, const char *title, FILE *out)
{
	size_t n = p->function->n, n_ways = p->function->n_edges;
	int r;

	p->nodes = calloc(n + 1, sizeof(*p->nodes));
	p->texts = calloc(n + 1, sizeof(*p->texts));
	p->tips = calloc(n + 1, sizeof(*p->tips));
	p->edges = calloc(n_ways + 1, sizeof(*p->edges));
	p->ways = calloc(n_ways + 1, sizeof(*p->ways));
	p->number = calloc(n + 1, sizeof(*p->number));
	if (!p->number || !p->nodes || !p->texts || !p->tips || !p->edges || !p->ways)
		return rarog_oom();
	add_blocks(p);
	add_ways(p);
	r = rarog_layers_assign(p->n_nodes, p->nodes, p->n_edges, p->edges);
	return r < 0 ? rarog_oom()
		     : rarog_layers_draw(out, title, p->n_nodes, p->nodes, p->n_edges, p->edges);
}

static void picture_release(struct picture *p)
{
	free(p->number);
	free(p->nodes);
	free(p->texts);
	free(p->tips);
	free(p->edges);
	free(p->ways);
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
	if (picture.function->n > BLOCKS_MAX)
		return rarog_fail(-E2BIG, "'%s' has %" PRIu32 " blocks; a drawing has at most %d",
				  options->func, picture.function->n, BLOCKS_MAX);
	return draw(&picture, options->title, out);
}
