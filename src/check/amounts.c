/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/amounts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

struct reader {
	struct rarog_comparison *comparison;
	struct rarog_inlining *inlining;
	size_t side, run;
	const struct rarog_side_run *of;
	double ns_per_tick;
	size_t n_locations;
	const uint32_t *row_of;
};

static double *value_of(const struct reader *reader, uint32_t row, enum rarog_measure measure)
{
	return &reader->comparison->rows[row].values[reader->side][measure][reader->run];
}

static uint32_t row_at(const struct reader *reader, uint32_t location)
{
	return location < reader->n_locations ? reader->row_of[location] : RAROG_NONE;
}

/* --- from the tree --- */

/* A node as it is counted: the row it belongs to, its time without the cost of probes. */
struct place {
	uint32_t row;         /* RAROG_NONE: of no function */
	uint32_t first, next; /* child, sibling; 0: none */
	bool is_folded;       /* counted with its parent's row */
	double exclusive, inclusive;
};

static void place_rows(const struct reader *reader, size_t n, const struct rarog_node nodes[n],
		       struct place places[n])
{
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = nodes[i].parent;
		uint32_t row = row_at(reader, nodes[i].location);
		uint32_t host = i > 0 && parent < i ? places[parent].row : RAROG_NONE;

		places[i].row = row;
		places[i].exclusive = (double)nodes[i].exclusive * reader->ns_per_tick -
				      (double)nodes[i].count * reader->of->probe_self_ns;
		if (i == 0 || parent >= i)
			continue;
		places[i].next = places[parent].first;
		places[parent].first = (uint32_t)i;
		places[parent].exclusive -=
			(double)nodes[i].count * (reader->of->probe_ns - reader->of->probe_self_ns);
		if (row == RAROG_NONE || host == RAROG_NONE ||
		    !rarog_inlining_folds(reader->inlining, host, row))
			continue;
		places[i].is_folded = true;
		places[i].row = host;
	}
}

static void add_exclusive(const struct reader *reader, size_t n, const struct rarog_node nodes[n],
			  struct place places[n])
{
	for (size_t i = n; i-- > 0;) {
		struct place *place = &places[i];

		place->exclusive = fmax(place->exclusive, 0);
		place->inclusive += place->exclusive;
		if (i > 0 && nodes[i].parent < i)
			places[nodes[i].parent].inclusive += place->inclusive;
		if (place->row == RAROG_NONE)
			continue;
		*value_of(reader, place->row, RAROG_MEASURE_EXCLUSIVE) += place->exclusive;
		if (!place->is_folded)
			*value_of(reader, place->row, RAROG_MEASURE_CALLS) +=
				(double)nodes[i].count;
	}
}

/* Depth first, so that a function's calls inside itself are known; @on_stack: calls by row. */
static void add_inclusive(const struct reader *reader, const struct rarog_node nodes[],
			  struct place places[], uint32_t on_stack[])
{
	uint32_t at = 0;

	for (bool is_entering = true;;) {
		struct place *place = &places[at];

		if (is_entering && place->row != RAROG_NONE && on_stack[place->row]++ == 0)
			*value_of(reader, place->row, RAROG_MEASURE_INCLUSIVE) += place->inclusive;
		if (is_entering && place->first) {
			at = place->first;
			continue;
		}
		if (place->row != RAROG_NONE)
			on_stack[place->row]--;
		if (at == 0)
			return;
		is_entering = place->next != 0;
		at = is_entering ? place->next : nodes[at].parent;
	}
}

static int read_tree(const struct reader *reader, size_t n, const struct rarog_node nodes[n])
{
	rarog_cleanup(rarog_freep) struct place *places = calloc(n, sizeof(*places));
	rarog_cleanup(rarog_freep) uint32_t *on_stack =
		calloc(reader->comparison->n + 1, sizeof(*on_stack));

	if (!places || !on_stack)
		return rarog_oom();
	place_rows(reader, n, nodes, places);
	add_exclusive(reader, n, nodes, places);
	add_inclusive(reader, nodes, places, on_stack);
	return 0;
}

/* --- from sums --- */

static void read_sums(const struct reader *reader, size_t n,
		      const struct rarog_summary summaries[n])
{
	for (size_t i = 0; i < n; i++) {
		const struct rarog_summary *s = &summaries[i];
		uint32_t row = row_at(reader, s->location);
		double own = (double)s->timed * reader->of->probe_self_ns;

		if (s->strand != RAROG_NONE || row == RAROG_NONE)
			continue;
		*value_of(reader, row, RAROG_MEASURE_EXCLUSIVE) +=
			fmax((double)s->exclusive * reader->ns_per_tick - own, 0);
		*value_of(reader, row, RAROG_MEASURE_INCLUSIVE) +=
			(double)s->total * reader->ns_per_tick;
		*value_of(reader, row, RAROG_MEASURE_CALLS) += (double)s->count;
	}
}

int rarog_amounts_read(struct rarog_comparison *comparison, struct rarog_inlining *inlining,
		       size_t side, size_t run)
{
	const struct rarog_side_run *of = &comparison->sides[side].runs.v[run];
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	const struct rarog_node *nodes;
	long n_locations = rarog_profile_locations(of->profile, &locations);
	long n_summaries = rarog_profile_summaries(of->profile, &summaries);
	long n_nodes = rarog_profile_nodes(of->profile, &nodes);
	const struct reader reader = {
		.comparison = comparison,
		.inlining = inlining,
		.side = side,
		.run = run,
		.of = of,
		.ns_per_tick = 1e9 / (double)rarog_profile_clock(of->profile)->hz,
		.n_locations = n_locations > 0 ? (size_t)n_locations : 0,
		.row_of = comparison->row_of[side][run],
	};
	double *total = &comparison->total_ns[side][run];
	int r = 0;

	if (n_locations < 0 || n_summaries < 0 || n_nodes < 0)
		return (int)(n_locations < 0   ? n_locations
			     : n_summaries < 0 ? n_summaries
					       : n_nodes);
	if (n_nodes > 1)
		r = read_tree(&reader, (size_t)n_nodes, nodes);
	else
		read_sums(&reader, (size_t)n_summaries, summaries);
	for (size_t i = 0; i < comparison->n; i++)
		*total += comparison->rows[i].values[side][RAROG_MEASURE_EXCLUSIVE][run];
	return r < 0 ? r : *total > 0;
}
