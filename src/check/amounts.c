/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/amounts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/places.h"
#include "profile/measured.h"
#include "profile/statistics.h"

struct reader {
	struct rarog_comparison *comparison;
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

/* Children are linked for the walk; 0: none. */
struct link {
	uint32_t first, next;
	double inclusive;
};

static void add_exclusive(const struct reader *reader, size_t n, const struct rarog_node nodes[n],
			  const struct rarog_code_place places[n], struct link links[n])
{
	for (size_t i = 1; i < n; i++) {
		if (nodes[i].parent >= i)
			continue;
		links[i].next = links[nodes[i].parent].first;
		links[nodes[i].parent].first = (uint32_t)i;
	}
	for (size_t i = n; i-- > 0;) {
		const struct rarog_code_place *place = &places[i];

		links[i].inclusive += place->exclusive_ns;
		if (i > 0 && nodes[i].parent < i)
			links[nodes[i].parent].inclusive += links[i].inclusive;
		if (place->row == RAROG_NONE)
			continue;
		*value_of(reader, place->row, RAROG_MEASURE_EXCLUSIVE) += place->exclusive_ns;
		*value_of(reader, place->row, RAROG_MEASURE_PROBED) += place->probed_ns;
		*value_of(reader, place->row, RAROG_MEASURE_WAITING) += place->waited_ns;
		if (!place->is_folded)
			*value_of(reader, place->row, RAROG_MEASURE_CALLS) +=
				(double)nodes[i].count;
	}
}

/* Depth first, so that a function's calls inside itself are known; @on_stack: calls by row. */
static void add_inclusive(const struct reader *reader, const struct rarog_node nodes[],
			  const struct rarog_code_place places[], const struct link links[],
			  uint32_t on_stack[])
{
	uint32_t at = 0;

	for (bool is_entering = true;;) {
		uint32_t row = places[at].row;

		if (is_entering && row != RAROG_NONE && on_stack[row]++ == 0)
			*value_of(reader, row, RAROG_MEASURE_INCLUSIVE) += links[at].inclusive;
		if (is_entering && links[at].first) {
			at = links[at].first;
			continue;
		}
		if (row != RAROG_NONE)
			on_stack[row]--;
		if (at == 0)
			return;
		is_entering = links[at].next != 0;
		at = is_entering ? links[at].next : nodes[at].parent;
	}
}

/* What the probes cost of callees that the other version did not measure. They were taken out of
 * the times, but only as well as their cost is known. */
static int note_unlike(const struct reader *reader, size_t n, const struct rarog_node nodes[n],
		       const struct rarog_code_place places[n])
{
	const struct rarog_comparison *c = reader->comparison;
	rarog_cleanup(rarog_freep) double *ns = calloc(c->n + 1, sizeof(*ns));

	if (!ns)
		return rarog_oom();
	for (size_t i = 1; i < n; i++) {
		uint32_t row = row_at(reader, nodes[i].location);

		if (row == RAROG_NONE || !c->rows[row].is_unknown || c->rows[row].has_no_total ||
		    places[i].row == RAROG_NONE)
			continue;
		ns[places[i].row] += reader->of->probe_ns > 0
					     ? (double)nodes[i].count * reader->of->probe_ns
					     : INFINITY;
	}
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].unlike_ns = fmax(c->rows[i].unlike_ns, ns[i]);
	return 0;
}

static int read_tree(const struct reader *reader, size_t n, const struct rarog_node nodes[n])
{
	const struct rarog_comparison *c = reader->comparison;
	rarog_cleanup(rarog_freep) struct rarog_code_place *places = calloc(n, sizeof(*places));
	rarog_cleanup(rarog_freep) struct link *links = calloc(n, sizeof(*links));
	rarog_cleanup(rarog_freep) uint32_t *on_stack = calloc(c->n + 1, sizeof(*on_stack));

	int r;

	if (!places || !links || !on_stack)
		return rarog_oom();
	r = rarog_places_read(c, reader->side, reader->run, n, nodes, places);
	if (r < 0)
		return r;
	add_exclusive(reader, n, nodes, places, links);
	add_inclusive(reader, nodes, places, links, on_stack);
	return note_unlike(reader, n, nodes, places);
}

/* --- from sums --- */

/* Without a tree nobody knows whose exclusive times the calls that were not recorded are in. */
static void read_sums(const struct reader *reader, size_t n,
		      const struct rarog_summary summaries[n])
{
	bool is_sampled = rarog_summaries_are_sampled(n, summaries);

	for (size_t i = 0; i < n; i++) {
		const struct rarog_summary *s = &summaries[i];
		uint32_t row = row_at(reader, s->location);
		double own = (double)s->timed * reader->of->probe_self_ns,
		       ns = (double)s->exclusive * reader->ns_per_tick;
		bool is_compensated = reader->of->is_compensated;

		if (s->strand != RAROG_NONE || row == RAROG_NONE)
			continue;
		reader->comparison->rows[row].was_called |= s->count > 0;
		if (reader->comparison->rows[row].is_unknown)
			continue;
		reader->comparison->rows[row].is_inclusive |= is_sampled;
		*value_of(reader, row, RAROG_MEASURE_EXCLUSIVE) +=
			is_sampled ? (double)s->total * reader->ns_per_tick
				   : fmax(ns - (is_compensated ? 0 : own), 0);
		*value_of(reader, row, RAROG_MEASURE_PROBED) +=
			is_sampled ? (double)s->total * reader->ns_per_tick
				   : ns + (is_compensated ? own : 0);
		*value_of(reader, row, RAROG_MEASURE_INCLUSIVE) +=
			(double)s->total * reader->ns_per_tick;
		*value_of(reader, row, RAROG_MEASURE_CALLS) += (double)s->count;
	}
}

/* --- not every call was recorded --- */

static int note_inclusive(const struct reader *reader)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	int r = rarog_exclusive_unknown(reader->of->profile, &unknown);

	for (size_t i = 0; r > 0 && i < reader->n_locations; i++)
		if (unknown[i] && reader->row_of[i] != RAROG_NONE)
			reader->comparison->rows[reader->row_of[i]].is_inclusive = true;
	return r < 0 ? r : 0;
}

/* How many calls of a row were counted, and how many of these recorded; and, in ticks, how long all
 * of them took, and those that were recorded. */
struct part {
	double count, timed;
	double total, sum;
};

/* What the tree has of them is of the calls that were recorded, without what probes cost. The total
 * knows that they did not always count for as many calls. */
static void take_estimates(const struct reader *reader, const struct part parts[])
{
	for (uint32_t row = 0; row < reader->comparison->n; row++) {
		const struct part *part = &parts[row];

		if (reader->comparison->rows[row].is_unknown || part->timed >= part->count)
			continue;
		if (part->sum > 0)
			*value_of(reader, row, RAROG_MEASURE_INCLUSIVE) *= part->total / part->sum;
		*value_of(reader, row, RAROG_MEASURE_CALLS) += part->count - part->timed;
	}
}

/* The total of what is not sampled has calls inside itself once. */
static void add_part(struct part *part, const struct rarog_summary *s)
{
	part->count += (double)s->count;
	part->timed += (double)s->timed;
	part->total += (double)(s->timed < s->count ? s->total : s->sum);
	part->sum += (double)s->sum;
}

static int read_estimates(const struct reader *reader, size_t n,
			  const struct rarog_summary summaries[n])
{
	rarog_cleanup(rarog_freep) struct part *parts =
		calloc(reader->comparison->n + 1, sizeof(*parts));

	if (!parts)
		return rarog_oom();
	for (size_t i = 0; i < n; i++) {
		uint32_t row = row_at(reader, summaries[i].location);

		if (summaries[i].strand != RAROG_NONE || row == RAROG_NONE)
			continue;
		add_part(&parts[row], &summaries[i]);
		reader->comparison->rows[row].was_called |= summaries[i].count > 0;
	}
	take_estimates(reader, parts);
	return note_inclusive(reader);
}

int rarog_amounts_read(struct rarog_comparison *comparison, size_t side, size_t run)
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
	if (r == 0 && n_nodes > 1)
		r = read_estimates(&reader, (size_t)n_summaries, summaries);
	for (size_t i = 0; i < comparison->n; i++) {
		double *const *values = comparison->rows[i].values[side];

		*total += values[RAROG_MEASURE_EXCLUSIVE][run];
		comparison->waiting_ns[side][run] += values[RAROG_MEASURE_WAITING][run];
	}
	return r < 0 ? r : *total > 0;
}
