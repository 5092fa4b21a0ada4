/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes: inclusive = exclusive + sum of the children's inclusive, so what is left of it without its
 * children is what the column already predicts. Folding goes from parents to children, each taking
 * its own time from its parent's before its own is changed; unfolding goes back.
 *
 * Summaries: one timed call is shortest, longest and sum at once; of two, the longest is what the
 * shortest leaves of the sum; the squares of up to three follow.
 */
#include "profile/fold.h"

#include <stdbool.h>

static struct rarog_node *parent_of(uint64_t first, size_t i, struct rarog_node rows[])
{
	uint32_t parent = rows[i].parent;

	return parent >= first && parent < first + i ? &rows[parent - first] : NULL;
}

void rarog_nodes_fold(uint64_t first, size_t n, struct rarog_node rows[])
{
	for (size_t i = 0; i < n; i++) {
		struct rarog_node *parent = parent_of(first, i, rows);

		if (parent)
			parent->inclusive -= rows[i].inclusive;
	}
}

void rarog_nodes_unfold(uint64_t first, size_t n, struct rarog_node rows[])
{
	for (size_t i = n; i-- > 0;) {
		struct rarog_node *parent = parent_of(first, i, rows);

		if (parent)
			parent->inclusive += rows[i].inclusive;
	}
}

static uint64_t least_min(const struct rarog_summary *s)
{
	return s->timed == 1 ? s->sum : 0;
}

/* Beyond what the column predicts, which is the minimum. */
static uint64_t least_max(const struct rarog_summary *s)
{
	return s->timed == 2 ? s->sum - 2 * s->min : 0;
}

static unsigned __int128 squares(const struct rarog_summary *s)
{
	unsigned __int128 sum = s->sum, min = s->min, max = s->max;
	unsigned __int128 third = s->sum - s->min - s->max;

	if (s->timed == 1)
		return sum * sum;
	return s->timed == 2 || s->timed == 3 ? min * min + max * max + third * third : 0;
}

void rarog_summaries_fold(size_t n, struct rarog_summary rows[])
{
	for (size_t i = 0; i < n; i++) {
		struct rarog_summary *s = &rows[i];
		unsigned __int128 square = squares(s);

		s->square_low -= (uint64_t)square;
		s->square_high -= (uint64_t)(square >> 64);
		s->max -= least_max(s) + least_min(s);
		s->min -= least_min(s);
	}
}

void rarog_summaries_unfold(size_t n, struct rarog_summary rows[])
{
	for (size_t i = 0; i < n; i++) {
		struct rarog_summary *s = &rows[i];

		s->min += least_min(s);
		s->max += least_max(s) + least_min(s);
		unsigned __int128 square = squares(s);

		s->square_low += (uint64_t)square;
		s->square_high += (uint64_t)(square >> 64);
	}
}
