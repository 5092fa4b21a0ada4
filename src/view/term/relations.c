/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The callers and callees of a function, over the whole call tree. A pattern may stand for
 * several functions, which then are one.
 *
 * Recursion: a pair (caller, callee) may be on a call path several times. All its calls count, but
 * its time only where the pair is outermost, for there it holds the inner ones; so a pair's time
 * never exceeds the time that the function was on the stack.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"
#include "view/term/node-amounts.h"
#include "view/term/views.h"
#include "view/text.h"
#include "view/tree.h"

#define NAME_WIDTH 50 /* longer C++ names are shown without arguments on a terminal */

struct pair {
	uint32_t other; /* location; RAROG_NONE: not called by a traced function */
	uint32_t on_path;
	uint64_t count, ticks;
};

struct relations {
	struct rarog_show *show;
	struct rarog_call_tree tree;
	bool callers;
	bool *is_wanted;    /* by location */
	bool *unknown;      /* by location: exclusive times; NULL: all are known */
	bool is_unknown;    /* … of what is wanted */
	struct pair *pairs; /* by location; the last one is "outside" */
	uint64_t count, ticks, exclusive;
	uint32_t on_path; /* wanted functions on the path */
};

/* The pair that a node stands for, NULL if it is not between the function and another. */
static struct pair *pair_of(struct relations *rel, uint32_t node)
{
	uint32_t parent = rel->tree.nodes[node].parent;
	uint32_t callee = rel->tree.nodes[node].location;
	uint32_t caller = rel->tree.nodes[parent].location;

	if (rel->callers)
		return !rel->is_wanted[callee] ? NULL
		       : caller == RAROG_NONE  ? &rel->pairs[rel->tree.n_locations]
					       : &rel->pairs[caller];
	return caller != RAROG_NONE && rel->is_wanted[caller] ? &rel->pairs[callee] : NULL;
}

static void enter_wanted(struct relations *rel, const struct rarog_node *node)
{
	rel->count += node->count;
	rel->exclusive += node->exclusive;
	if (rel->on_path++ == 0)
		rel->ticks += node->inclusive;
}

static void visit(struct relations *rel, const struct rarog_call_tree_walk *walk)
{
	const struct rarog_node *node = &rel->tree.nodes[walk->node];
	struct pair *pair = walk->node > 0 ? pair_of(rel, walk->node) : NULL;
	bool is_wanted = walk->node > 0 && rel->is_wanted[node->location];

	if (walk->is_leaving) {
		rel->on_path -= is_wanted;
		if (pair)
			pair->on_path--;
		return;
	}
	if (is_wanted)
		enter_wanted(rel, node);
	if (!pair)
		return;
	pair->count += node->count;
	if (pair->on_path++ == 0)
		pair->ticks += node->inclusive;
}

static int gather(struct relations *rel)
{
	struct rarog_call_tree_walk walk = { .tree = &rel->tree, .is_unordered = true };
	size_t n = rel->tree.n_locations;

	rel->is_wanted = calloc(n + 1, sizeof(*rel->is_wanted));
	rel->pairs = calloc(n + 1, sizeof(*rel->pairs));
	if (!rel->is_wanted || !rel->pairs)
		return rarog_oom();
	for (size_t i = 0; i <= n; i++)
		rel->pairs[i].other = i < n ? (uint32_t)i : RAROG_NONE;
	for (size_t i = 0; i < n; i++)
		rel->is_wanted[i] = rarog_show_matches(rel->show, &rel->tree.locations[i]);
	for (size_t i = 0; rel->unknown && i < n; i++)
		rel->is_unknown |= rel->is_wanted[i] && rel->unknown[i];
	while (rarog_call_tree_step(&walk))
		visit(rel, &walk);
	return 0;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->other < y->other ? -1 : x->other > y->other;
}

static uint64_t ns(const struct relations *rel, uint64_t ticks)
{
	return rarog_show_amount(rel->show, ticks);
}

static int add_pair(struct relations *rel, struct rarog_sheet *sheet, const struct pair *pair)
{
	static const struct rarog_location outside = { .name = "(outside)", .binary = RAROG_NONE };
	const struct rarog_location *location =
		pair->other == RAROG_NONE ? &outside : &rel->tree.locations[pair->other];
	rarog_cleanup(rarog_str_release) struct rarog_str place = rarog_show_place(location);
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	bool has_samples = rel->show->has_samples;
	const struct rarog_show_options *options = &rel->show->options;
	int r = rarog_str_add(&name, rarog_location_title(location));

	if (r == 0 && options->width > 0 && options->format == RAROG_SHEET_TABLE)
		r = rarog_text_fit_name(&name, NAME_WIDTH, options->ascii);
	const struct rarog_value values[] = {
		{ .number = ns(rel, pair->ticks) },
		{ .number = pair->ticks, .whole = rel->ticks },
		{ .number = pair->count, .is_null = has_samples },
		{ .number = pair->count ? ns(rel, pair->ticks) / pair->count : 0,
		  .is_null = pair->count == 0 || has_samples },
		{ .text = rarog_str_text(&name) },
		{ .text = location->name },
		{ .text = rarog_run_binary(&rel->show->run, location) },
		{ .text = location->file },
		{ .number = location->line, .is_null = location->line == 0 },
		{ .text = rarog_str_text(&place) },
	};

	return r < 0 ? r : rarog_sheet_add(sheet, values);
}

static void print_function(struct relations *rel)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	struct rarog_show *show = rel->show;

	if (show->options.format == RAROG_SHEET_JSON) {
		rarog_json_string(&show->json, "function", show->options.func_text);
		if (show->has_samples)
			rarog_json_null(&show->json, "count");
		else
			rarog_json_uint(&show->json, "count", rel->count);
		rarog_json_uint(&show->json, rarog_show_amount_key(show, "total_ns"),
				ns(rel, rel->ticks));
		if (rel->is_unknown)
			rarog_json_null(&show->json, "exclusive_ns");
		else
			rarog_json_uint(&show->json, rarog_show_amount_key(show, "exclusive_ns"),
					ns(rel, rel->exclusive));
	}
	if (show->options.format != RAROG_SHEET_TABLE)
		return;
	rarog_text_add_clean(&name, show->options.func_text, show->options.ascii);
	fprintf(show->out, "%s: ", rarog_str_text(&name));
	if (!show->has_samples)
		fprintf(show->out, "%s call%s, ", rarog_format_count(rel->count).text,
			rarog_plural(rel->count));
	fprintf(show->out, "%s total, ", rarog_show_amount_text(show, rel->ticks).text);
	fprintf(show->out, "%s exclusive\n\n",
		rel->is_unknown ? "-" : rarog_show_amount_text(show, rel->exclusive).text);
}

enum { PAIR_CALLS = 2, PAIR_MEAN = 3 };

/* Samples below a pair need not be in the callee itself. */
static bool is_there(const struct relations *rel, const struct pair *pair)
{
	return pair->count > 0 || (rel->show->has_samples && pair->ticks > 0);
}

static int print_pairs(struct relations *rel)
{
	const struct rarog_show_options *options = &rel->show->options;
	struct rarog_sheet_fact facts[] = {
		{ RAROG_FACT_NS, "total", "total_ns", false },
		{ RAROG_FACT_SHARE, "share", "share", false },
		{ RAROG_FACT_COUNT, "calls", "count", false },
		{ RAROG_FACT_NS, "mean", "mean_ns", false },
		{ RAROG_FACT_TEXT, rel->callers ? "caller" : "callee", "name", true },
		{ RAROG_FACT_TEXT, NULL, "mangled", false },
		{ RAROG_FACT_TEXT, NULL, "binary", false },
		{ RAROG_FACT_TEXT, NULL, "file", false },
		{ RAROG_FACT_ID, NULL, "line", false },
		{ RAROG_FACT_TEXT, options->lines ? "line" : NULL, NULL, false },
	};
	struct rarog_sheet sheet = { 0 };
	size_t n = rel->tree.n_locations + 1, limit = options->limit ? options->limit : n;
	int r;

	if (rel->show->has_samples)
		facts[PAIR_CALLS].title = facts[PAIR_MEAN].title = NULL;
	rarog_show_name_amounts(rel->show, RAROG_COUNT(facts), facts);
	r = rarog_show_sheet(rel->show, &sheet, RAROG_COUNT(facts), facts,
			     rel->callers ? "callers" : "callees");

	qsort(rel->pairs, n, sizeof(*rel->pairs), heaviest_first);
	for (size_t i = 0; r == 0 && i < n && i < limit && is_there(rel, &rel->pairs[i]); i++)
		r = add_pair(rel, &sheet, &rel->pairs[i]);
	if (r == 0 && sheet.n_rows == 0 && !rel->callers && options->format == RAROG_SHEET_TABLE)
		rarog_show_note(rel->show, rel->show->has_samples
						   ? "no sample is in what it calls"
						   : "it calls nothing that was traced");
	else if (r == 0)
		r = rarog_sheet_end(&sheet, options->width, options->colour);
	rarog_sheet_release(&sheet);
	return r;
}

static int show_relations(struct rarog_show *show, bool callers)
{
	struct relations rel = { .show = show, .callers = callers };
	int r = rarog_call_tree_init(&rel.tree, show->run.profile);

	if (r == 0)
		r = rarog_show_unknown(show, &rel.unknown);
	if (r == 0)
		r = gather(&rel);
	if (r == 0) {
		print_function(&rel);
		r = print_pairs(&rel);
	}
	if (r == 0 && rel.unknown)
		rarog_show_note_unknown(show);
	rarog_call_tree_release(&rel.tree);
	free(rel.is_wanted);
	free(rel.pairs);
	free(rel.unknown);
	return r;
}

static int show_callers(struct rarog_show *show)
{
	return show_relations(show, true);
}

static int show_callees(struct rarog_show *show)
{
	return show_relations(show, false);
}

const struct rarog_view rarog_view_callers = {
	.run = show_callers,
	.check = rarog_show_check_tree,
	.is_of_callers = true,
};

const struct rarog_view rarog_view_callees = {
	.run = show_callees,
	.check = rarog_show_check_tree,
	.is_of_callers = true,
};
