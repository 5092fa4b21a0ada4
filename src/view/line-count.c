/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line that several blocks have code of was reached as often as control came into these from
 * elsewhere, and once more for each round of a loop that is on the line alone.
 */
#include "view/line-count.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static uint32_t target(const struct rarog_line_counter *c, uint32_t edge)
{
	return c->edges[edge].to - c->function->first;
}

static uint32_t source(const struct rarog_line_counter *c, uint32_t edge)
{
	return c->edges[edge].from - c->function->first;
}

/* By counting. */
static void sort_edges(struct rarog_line_counter *c)
{
	uint32_t n = c->function->n, sum = 0;

	for (uint32_t i = 0; i < c->function->n_edges; i++)
		c->first_into[target(c, i)]++;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t here = i < n ? c->first_into[i] : 0;

		c->first_into[i] = sum;
		sum += here;
	}
	for (uint32_t i = c->function->n_edges; i-- > 0;)
		c->into[c->first_into[target(c, i) + 1] - 1 - c->reached[target(c, i)]++] = i;
	memset(c->reached, 0, n * sizeof(*c->reached));
}

/* Does the way back @edge close a loop inside of the group? Ways on go to later blocks. */
static bool is_loop(struct rarog_line_counter *c, size_t n,
		    const struct rarog_block_on_line places[n], uint32_t edge)
{
	uint32_t first = target(c, edge), last = source(c, edge);

	for (size_t i = 0; i < n; i++) {
		uint32_t block = places[i].block;
		bool is_reached = block == first;

		for (uint32_t k = c->first_into[block]; !is_reached && k < c->first_into[block + 1];
		     k++) {
			uint32_t from = source(c, c->into[k]);

			is_reached = from < block && from >= first && c->group[from] == c->number &&
				     c->reached[from] == edge + 1;
		}
		c->reached[block] = is_reached ? edge + 1 : 0;
	}
	return c->reached[last] == edge + 1;
}

/* Marks the blocks that control comes to without having been on the line. */
static void find_before(struct rarog_line_counter *c)
{
	bool is_changed = true;
	uint32_t n = c->function->n;

	memset(c->is_before, 0, n * sizeof(*c->is_before));
	c->is_before[0] = c->group[0] != c->number;
	while (is_changed) {
		is_changed = false;
		for (uint32_t i = 0; i < c->function->n_edges; i++) {
			uint32_t from = source(c, i), to = target(c, i);

			if (!c->is_before[from] || c->is_before[to] || c->group[to] == c->number)
				continue;
			c->is_before[to] = true;
			is_changed |= to < from; /* edges are in the order of their sources */
		}
	}
}

/* Is @block on the line, or does control come to it from an earlier block that is? */
static bool begins_here(const struct rarog_line_counter *c, uint32_t block)
{
	if (c->group[block] == c->number)
		return true;
	for (uint32_t k = c->first_into[block]; k < c->first_into[block + 1]; k++) {
		uint32_t from = source(c, c->into[k]);

		if (from < block && c->group[from] == c->number)
			return true;
	}
	return false;
}

/* Does @block lead back to a round of a loop that begins on the line? */
static bool is_round(const struct rarog_line_counter *c, uint32_t block)
{
	for (uint32_t i = 0; i < c->function->n_edges; i++)
		if (source(c, i) == block && target(c, i) < block && begins_here(c, target(c, i)))
			return true;
	return false;
}

/* Control that was on the line and comes back without a round only ends what has begun there: an
 * operator whose operands are on several lines. */
static bool is_continued(const struct rarog_line_counter *c, uint32_t from, uint32_t block)
{
	return from < block && !c->is_before[from] && !is_round(c, block);
}

/* What comes into the blocks places[n) of one line, which are in order. */
static uint64_t count_ways(struct rarog_line_counter *c, size_t n,
			   const struct rarog_block_on_line places[n], bool *is_known)
{
	uint64_t sum = 0;

	find_before(c);
	for (size_t i = 0; i < n; i++) {
		uint32_t block = places[i].block;

		sum += block == 0 ? c->function->calls : 0;
		for (uint32_t k = c->first_into[block]; k < c->first_into[block + 1]; k++) {
			uint32_t edge = c->into[k], from = source(c, edge);

			bool is_here = c->group[from] == c->number;

			if (is_here ? from < block || !is_loop(c, n, places, edge)
				    : is_continued(c, from, block))
				continue;
			sum += c->edges[edge].count;
			*is_known &= !c->edges[edge].is_unknown;
		}
	}
	return sum;
}

static bool is_jump(const struct rarog_line_counter *c, const struct rarog_block_on_line *place)
{
	if (!place->is_made)
		return false;
	for (uint32_t i = 0; i < c->function->n_edges; i++)
		if (source(c, i) == place->block)
			return true;
	return false; /* a return */
}

/* Is it a jump that goes on on the line, as one side of a ?: may be, or the way back of a loop,
 * whose head that line is? */
static bool stays(const struct rarog_line_counter *c, uint32_t block)
{
	for (uint32_t i = 0; i < c->function->n_edges; i++) {
		uint32_t to = target(c, i);

		if (source(c, i) == block && (to <= block || c->group[to] == c->number))
			return true;
	}
	return false;
}

/* The end of a statement may be a jump that is a block by itself and that nobody wrote, so that it
 * has no column: that does not come to the line, if there is more on it. Returns how many places
 * are left; those are of the group. */
static size_t without_jumps(struct rarog_line_counter *c, size_t n,
			    struct rarog_block_on_line places[n])
{
	size_t kept = 0;

	c->number++;
	for (size_t i = 0; i < n; i++)
		if (!is_jump(c, &places[i])) {
			c->group[places[i].block] = c->number;
			kept++;
		}
	if (kept == 0) /* the first is what was written: others are ends of statements */
		c->group[places[0].block] = c->number;
	for (size_t i = 0; i < n; i++)
		if (stays(c, places[i].block))
			c->group[places[i].block] = c->number;
	kept = 0;
	for (size_t i = 0; i < n; i++)
		if (c->group[places[i].block] == c->number)
			places[kept++] = places[i];
	return kept;
}

/* What runs in inlined code is no matter of the line that calls it: that is reached where the
 * line's own code is, or, if it has none, where the inlined code begins. */
static size_t without_inlined(size_t n, struct rarog_block_on_line places[n])
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!places[i].is_inlined)
			places[kept++] = places[i];
	return kept > 0 ? kept : 1;
}

/* Is it what all returns of the function go to: the value is loaded, and that is all? */
#define RETURN_INSTRUCTIONS 2

static bool is_shared_return(const struct rarog_line_counter *c, uint32_t block)
{
	const struct rarog_block_count *b = &c->tally->blocks[c->function->first + block];

	if (b->instructions > RETURN_INSTRUCTIONS ||
	    c->first_into[block + 1] - c->first_into[block] < 2)
		return false;
	for (uint32_t i = 0; i < c->function->n_edges; i++)
		if (source(c, i) == block)
			return false;
	return true;
}

/* A brace that has a line of its own is no further to the right than what it closes. */
static bool is_behind_code(const struct rarog_line_counter *c, uint32_t block)
{
	const struct rarog_block_count *blocks = &c->tally->blocks[c->function->first];

	for (uint32_t i = 0; i < c->function->n; i++)
		if (blocks[i].column > 0 && blocks[i].column < blocks[block].column)
			return true;
	return false;
}

/* "return n; }": returns of other lines come to the brace, not to the statement. */
static size_t without_return(struct rarog_line_counter *c, size_t n,
			     struct rarog_block_on_line places[n])
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (kept + n - i > 1 && is_shared_return(c, places[i].block) &&
		    is_behind_code(c, places[i].block))
			c->group[places[i].block] = 0;
		else
			places[kept++] = places[i];
	return kept;
}

void rarog_line_count(struct rarog_line_counter *c, size_t n, struct rarog_block_on_line places[n],
		      struct rarog_line_counted *ret_counted)
{
	const struct rarog_block_count *blocks = &c->tally->blocks[c->function->first];
	struct rarog_line_counted counted = { 0 };
	bool is_known = true;
	uint64_t sum;

	n = without_inlined(n, places);
	n = without_jumps(c, n, places);
	n = without_return(c, n, places);
	for (size_t i = 0; i < n; i++) {
		uint64_t count = blocks[places[i].block].count;

		counted.count = count > counted.count ? count : counted.count;
		counted.has_unexecuted |= count == 0;
	}
	sum = n > 1 ? count_ways(c, n, places, &is_known) : 0;
	if (is_known && sum > counted.count)
		counted.count = sum;
	*ret_counted = counted;
}

uint64_t rarog_line_entries(const struct rarog_line_counter *c, const uint8_t inside[])
{
	uint32_t first = 0, n = c->function->n;
	uint64_t sum;

	while (first < n && !inside[first])
		first++;
	if (first == n)
		return 0;
	sum = first == 0 ? c->function->calls : 0;
	for (uint32_t i = 0; i < c->function->n_edges; i++) {
		uint32_t from = source(c, i), to = target(c, i);

		if (!inside[to] ||
		    (inside[from] && (to != first || inside[from] & RAROG_LINE_DECIDES)))
			continue;
		if (c->edges[i].is_unknown)
			return c->tally->blocks[c->function->first + first].count;
		sum += c->edges[i].count;
	}
	return sum;
}

int rarog_line_counter_init(const struct rarog_tally *tally,
			    const struct rarog_tally_function *function,
			    struct rarog_line_counter *ret_counter)
{
	size_t n = function->n;
	struct rarog_line_counter c = {
		.tally = tally,
		.function = function,
		.edges = tally->edges + function->first_edge,
		.group = calloc(3 * n + 1 + function->n_edges, sizeof(*c.group)),
		.is_before = calloc(n + 1, sizeof(*c.is_before)),
	};

	if (!c.group || !c.is_before) {
		rarog_line_counter_release(&c);
		return rarog_oom();
	}
	c.reached = c.group + n;
	c.first_into = c.group + 2 * n;
	c.into = c.group + 3 * n + 1;
	sort_edges(&c);
	*ret_counter = c;
	return 0;
}

void rarog_line_counter_release(struct rarog_line_counter *c)
{
	free(c->group);
	free(c->is_before);
	*c = (struct rarog_line_counter){ 0 };
}
