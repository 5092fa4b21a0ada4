/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each call that was inlined is counted by itself, as if its blocks were a function: the line that
 * it was called at is one of the code around it, and so on outwards. Then the counts of all calls
 * of one function are added up, which is what gcov and llvm-cov say that count before anything is
 * inlined.
 */
#include "view/coverage-elsewhere.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lower-bound.h"
#include "view/text.h"

/* A line that a block has in one inlined call, or in another file. */
struct entry {
	uint32_t frame;
	const char *file;
	uint32_t line, block; /* counted from the function's first */
	bool is_inlined, is_made;
	bool ends;    /* the block ends with a decision there … */
	bool decides; /* … or in what was inlined there */
};

struct elsewhere {
	struct rarog_coverage *c;
	struct rarog_line_counter *of;
	RAROG_VEC(struct entry) entries;
	RAROG_VEC(struct entry) begins; /* of frames: where the function begins */
	RAROG_VEC(struct rarog_block_on_line) places;
};

static void elsewhere_release(struct elsewhere *e)
{
	rarog_vec_release(&e->entries);
	rarog_vec_release(&e->begins);
	rarog_vec_release(&e->places);
}

static const struct rarog_location *location_of(const struct elsewhere *e)
{
	return &e->c->run.locations[e->of->function->location];
}

/* --- what there is --- */

static int add_entry(struct elsewhere *e, const struct entry *entry)
{
	if (!entry->file || entry->line == 0)
		return 0;
	return rarog_vec_push(&e->entries, *entry) < 0 ? rarog_oom() : 0;
}

/* The line of a call is one of the function around it; the function's own are counted as such. */
static int add_calls(struct elsewhere *e, struct entry entry)
{
	const struct rarog_inline_frame *frames = e->c->tally.frames;
	int r = 0;

	entry.is_inlined = true;
	entry.is_made = entry.ends = false; /* it still decides, for the code around it */
	while (r == 0 && entry.frame != RAROG_NONE) {
		const struct rarog_inline_frame *call = &frames[entry.frame];

		entry.frame = call->parent;
		entry.file = call->file;
		entry.line = call->line;
		if (call->parent != RAROG_NONE ||
		    (call->file && strcmp(call->file, location_of(e)->file) != 0))
			r = add_entry(e, &entry);
	}
	return r;
}

static int add_part(struct elsewhere *e, const struct rarog_block_part *part)
{
	const struct entry entry = {
		.frame = part->frame,
		.file = part->file,
		.line = part->line,
		.block = part->block - e->of->function->first,
		.is_made = part->flags & RAROG_PART_IS_MADE,
		.ends = part->flags & RAROG_PART_ENDS,
		.decides = part->flags & RAROG_PART_ENDS,
	};
	int r;

	if (part->flags & RAROG_PART_BEGINS)
		return part->frame == RAROG_NONE || !part->file ||
				       rarog_vec_push(&e->begins, entry) == 0
			       ? 0
			       : rarog_oom();
	r = add_entry(e, &entry);
	return r < 0 ? r : add_calls(e, entry);
}

static int compare_instances(const struct entry *a, const struct entry *b)
{
	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	return strcmp(a->file, b->file);
}

static int by_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_instances(x, y);

	if (order != 0)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->is_inlined - y->is_inlined;
}

/* A block is on a line once: with its own code, if there is any. */
static void sort_entries(struct elsewhere *e)
{
	struct entry *v = e->entries.v;
	size_t n = 0;

	if (e->entries.n > 1)
		qsort(v, e->entries.n, sizeof(*v), by_place);
	for (size_t i = 0; i < e->entries.n; i++) {
		if (n > 0 && compare_instances(&v[n - 1], &v[i]) == 0 &&
		    v[n - 1].line == v[i].line && v[n - 1].block == v[i].block) {
			v[n - 1].ends |= v[i].ends;
			v[n - 1].decides |= v[i].decides;
		} else {
			v[n++] = v[i];
		}
	}
	e->entries.n = n;
}

/* --- lines --- */

static struct rarog_covered_place place_of(const struct elsewhere *e, const struct entry *entry)
{
	const struct rarog_location *location = location_of(e);
	const char *inlined =
		entry->frame == RAROG_NONE ? NULL : e->c->tally.frames[entry->frame].name;

	if (inlined)
		return (struct rarog_covered_place){ entry->file, entry->line, inlined, inlined };
	return (struct rarog_covered_place){ entry->file, entry->line,
					     location->name ? location->name : "?",
					     rarog_location_title(location) };
}

static int add_decision(struct elsewhere *e, const struct entry *entry)
{
	const struct rarog_tally_function *function = e->of->function;
	const struct rarog_edge_count *edges = e->of->edges;
	uint32_t from = function->first + entry->block, end;
	uint32_t first = (uint32_t)rarog_lower_bound(i, function->n_edges, edges[i].from < from);

	for (end = first; end < function->n_edges && edges[end].from == from;)
		end++;
	const struct rarog_covered_decision decision = { place_of(e, entry), function, entry->block,
							 function->first_edge + first,
							 end - first };

	if (decision.n < 2)
		return 0;
	return rarog_vec_push(&e->c->decisions, decision) < 0 ? rarog_oom() : 0;
}

static int push_line(struct elsewhere *e, const struct entry *entry,
		     const struct rarog_line_counted *counted)
{
	const struct rarog_covered_line line = {
		.at = place_of(e, entry),
		.function = e->of->function,
		.is_elsewhere = true,
		.count = counted->count,
		.has_unexecuted = counted->has_unexecuted,
	};

	return rarog_vec_push(&e->c->lines, line) < 0 ? rarog_oom() : 0;
}

static int add_line(struct elsewhere *e, size_t n, const struct entry entries[n])
{
	struct rarog_line_counted counted;
	int r = 0;

	e->places.n = 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_block_on_line place = { entries[i].line, entries[i].block,
							   entries[i].is_inlined,
							   entries[i].is_made };

		if (rarog_vec_push(&e->places, place) < 0)
			return rarog_oom();
		if (entries[i].ends)
			r = add_decision(e, &entries[i]);
	}
	rarog_line_count(e->of, n, e->places.v, &counted);
	return r < 0 ? r : push_line(e, &entries[0], &counted);
}

static int add_lines(struct elsewhere *e)
{
	const struct entry *v = e->entries.v;
	int r = 0;

	for (size_t i = 0, end; r == 0 && i < e->entries.n; i = end) {
		for (end = i + 1; end < e->entries.n && v[end].line == v[i].line &&
				  compare_instances(&v[i], &v[end]) == 0;)
			end++;
		r = add_line(e, end - i, v + i);
	}
	return r;
}

/* --- functions --- */

static bool has_line(const struct entry *begin, size_t n, const struct entry entries[n])
{
	for (size_t i = 0; i < n; i++)
		if (entries[i].line == begin->line && strcmp(entries[i].file, begin->file) == 0)
			return true;
	return false;
}

static void mark(struct rarog_covered_function *function, const struct rarog_block_count blocks[],
		 const struct entry *entry, uint8_t inside[])
{
	if (!inside[entry->block]) {
		function->blocks++;
		function->blocks_executed += blocks[entry->block].count > 0;
	}
	inside[entry->block] |= RAROG_LINE_INSIDE | (entry->decides ? RAROG_LINE_DECIDES : 0);
	if (entry->line > function->last_line && strcmp(entry->file, function->at.file) == 0)
		function->last_line = entry->line;
}

/* entries[n]: all of the frame; @inside: zeros, also afterwards */
static int add_function(struct elsewhere *e, const struct entry *begin, size_t n,
			const struct entry entries[n], uint8_t inside[])
{
	const struct rarog_block_count *blocks = &e->c->tally.blocks[e->of->function->first];
	struct rarog_covered_function function = { .at = place_of(e, begin),
						   .last_line = begin->line };
	struct rarog_line_counted head;

	for (size_t i = 0; i < n; i++)
		mark(&function, blocks, &entries[i], inside);
	function.calls = rarog_line_entries(e->of, inside);
	for (size_t i = 0; i < n; i++)
		inside[entries[i].block] = 0;
	if (rarog_vec_push(&e->c->functions, function) < 0)
		return rarog_oom();
	head = (struct rarog_line_counted){ function.calls, function.calls == 0 };
	return has_line(begin, n, entries) ? 0 : push_line(e, begin, &head);
}

static int add_functions(struct elsewhere *e)
{
	rarog_cleanup(rarog_freep) uint8_t *inside = calloc(e->of->function->n + 1, 1);
	const struct entry *v = e->entries.v;
	int r = inside ? 0 : rarog_oom();

	for (size_t i = 0; r == 0 && i < e->begins.n; i++) {
		uint32_t frame = e->begins.v[i].frame;
		size_t first = rarog_lower_bound(k, e->entries.n, v[k].frame < frame), end = first;

		while (end < e->entries.n && v[end].frame == frame)
			end++;
		if (end > first)
			r = add_function(e, &e->begins.v[i], end - first, v + first, inside);
	}
	return r;
}

/* --- all --- */

int rarog_coverage_add_elsewhere(struct rarog_coverage *coverage, struct rarog_line_counter *of,
				 size_t *part)
{
	const struct rarog_tally *tally = &coverage->tally;
	rarog_cleanup(elsewhere_release) struct elsewhere e = { .c = coverage, .of = of };
	uint32_t first = of->function->first;
	int r = 0;

	while (*part < tally->n_parts && tally->parts[*part].block < first)
		(*part)++;
	for (; r == 0 && *part < tally->n_parts &&
	       tally->parts[*part].block < first + of->function->n;
	     (*part)++)
		r = add_part(&e, &tally->parts[*part]);
	if (r < 0 || e.entries.n == 0)
		return r;
	sort_entries(&e);
	r = add_lines(&e);
	return r < 0 ? r : add_functions(&e);
}

bool rarog_coverage_ends_elsewhere(const struct rarog_tally *tally, uint32_t block)
{
	size_t i = rarog_lower_bound(k, tally->n_parts, tally->parts[k].block < block);

	for (; i < tally->n_parts && tally->parts[i].block == block; i++)
		if (tally->parts[i].flags & RAROG_PART_ENDS)
			return true;
	return false;
}
