/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Resources that are no calls become sums: of times a summary with extremes, squares and histogram;
 * of everything else a quantity in its unit. Contexts come from "trace". A sample counts as many
 * times as its amount says, any other resource once.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/stats.h"
#include "events/tree.h"
#include "import/perun-own.h"

#define NODES_MAX  ((size_t)4 << 20)
#define AMOUNT_MAX 9e18

struct sums {
	const struct rarog_perun *perun;
	struct rarog_perun_places *places;
	struct rarog_perun_result *result;
	double unit_ns;
	bool has_others; /* amounts that are no samples */
	struct rarog_tree tree;
	struct rarog_histograms histograms;
	RAROG_VEC(struct rarog_stats) stats; /* by location; count: timed */
	RAROG_VEC(uint64_t) counts;          /* by location, timed or not */
	RAROG_VEC(struct rarog_quantity) quantities;
};

static void sums_release(struct sums *sums)
{
	rarog_tree_release(&sums->tree);
	rarog_histograms_release(&sums->histograms);
	rarog_vec_release(&sums->stats);
	rarog_vec_release(&sums->counts);
	rarog_vec_release(&sums->quantities);
}

/* --- where a kind belongs --- */

struct place {
	uint32_t location, node;
};

static int make_room(struct sums *sums, long location)
{
	while (sums->stats.n <= (size_t)location) {
		if (rarog_vec_push(&sums->stats, (struct rarog_stats){ 0 }) < 0 ||
		    rarog_vec_push(&sums->counts, 0) < 0)
			return rarog_oom();
	}
	return rarog_histograms_reserve(&sums->histograms, sums->stats.n);
}

static int descend(struct sums *sums, const json_t *uid, const struct rarog_perun_kind *kind,
		   struct place *place)
{
	const char *subtype = rarog_perun_text(kind->facts, "subtype"), *unit;
	const char *type = rarog_perun_text(kind->facts, "type");
	bool is_one_of = subtype && type && strcmp(type, "time") == 0;
	long location;
	int r;

	if (rarog_perun_scale(sums->perun, kind, &unit) == 0)
		is_one_of = false;
	location =
		rarog_perun_location(sums->places, uid, rarog_perun_text(kind->facts, "location"),
				     is_one_of ? subtype : NULL);
	r = location < 0 ? (int)location : make_room(sums, location);
	if (r < 0)
		return r;
	place->location = (uint32_t)location;
	place->node =
		(uint32_t)(rarog_tree_child(&sums->tree, place->node, place->location, false) &
			   UINT32_MAX);
	return 0;
}

/* kperf: outermost first, the uid itself is not among them; memory: innermost first, it is. */
static int find_place(struct sums *sums, const struct rarog_perun_kind *kind,
		      struct place *ret_place)
{
	const json_t *trace = json_object_get(kind->facts, "trace");
	size_t n = json_array_size(trace);
	bool is_outer_first = n > 0 && json_object_get(json_array_get(trace, 0), "func");
	struct place place = { .node = 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		size_t at = is_outer_first ? i : n - 1 - i;

		if (is_outer_first || at > 0)
			r = descend(sums, json_array_get(trace, at), kind, &place);
	}
	if (r == 0)
		r = descend(sums, json_object_get(kind->facts, "uid"), kind, &place);
	*ret_place = place;
	return r;
}

/* --- times --- */

/* An amount in nanoseconds; false: it is none that can be summed up. */
static bool to_ns(const struct rarog_perun_kind *kind, const char *column, size_t i, double scale,
		  uint64_t *ret_ns)
{
	int64_t whole;
	double value;

	if (rarog_perun_integer(kind, column, i, &whole) && whole >= 0 &&
	    (double)whole * scale < AMOUNT_MAX && scale >= 1 && scale == floor(scale)) {
		*ret_ns = (uint64_t)whole * (uint64_t)scale;
		return true;
	}
	if (!rarog_perun_number(kind, column, i, &value) || !(value >= 0) ||
	    !(value * scale < AMOUNT_MAX))
		return false;
	*ret_ns = (uint64_t)llround(value * scale);
	return true;
}

static int add_time(struct sums *sums, const struct rarog_perun_kind *kind, size_t i, double scale,
		    const struct place *place)
{
	struct rarog_stats *stats = &sums->stats.v[place->location];
	uint64_t ns = 0, exclusive;
	uint32_t *row;

	sums->counts.v[place->location]++;
	sums->tree.amounts[place->node].count++;
	if (!to_ns(kind, "amount", i, scale, &ns)) {
		sums->result->unfit++;
		return 0;
	}
	if (!to_ns(kind, "exclusive", i, scale, &exclusive))
		exclusive = ns;
	row = rarog_histograms_row(&sums->histograms, place->location);
	if (!row)
		return rarog_oom();
	row[rarog_histogram_bucket(ns)]++;
	rarog_stats_add(stats, ns);
	stats->total += ns;
	stats->exclusive += exclusive;
	sums->tree.amounts[place->node].exclusive += exclusive;
	return 0;
}

/* --- quantities --- */

static int quantity_of(struct sums *sums, const struct rarog_quantity *wanted,
		       struct rarog_quantity **ret_quantity)
{
	for (size_t i = sums->quantities.n; i-- > 0;) {
		struct rarog_quantity *q = &sums->quantities.v[i];

		if (q->location == wanted->location && strcmp(q->what, wanted->what) == 0 &&
		    strcmp(q->unit, wanted->unit) == 0) {
			*ret_quantity = q;
			return 0;
		}
	}
	if (rarog_vec_push(&sums->quantities, *wanted) < 0)
		return rarog_oom();
	*ret_quantity = &sums->quantities.v[sums->quantities.n - 1];
	return 0;
}

static int add_quantity(struct sums *sums, const struct rarog_perun_kind *kind, size_t i,
			const char *unit, const struct place *place)
{
	const char *what = rarog_perun_text(kind->facts, "subtype");
	const struct rarog_quantity wanted = { .location = place->location,
					       .what = what ? what : "amount",
					       .unit = unit,
					       .min = UINT64_MAX };
	bool is_sample = strncmp(unit, "sample", 6) == 0;
	struct rarog_quantity *q = NULL;
	uint64_t amount = 0, weight;
	bool fits = to_ns(kind, "amount", i, 1, &amount);
	int r = fits ? quantity_of(sums, &wanted, &q) : 0;

	if (r < 0)
		return r;
	sums->result->unfit += !fits;
	sums->result->has_samples |= is_sample;
	sums->has_others |= !is_sample;
	weight = is_sample && fits ? amount : 1;
	sums->result->samples += is_sample ? weight : 0;
	sums->counts.v[place->location] += weight;
	sums->tree.amounts[place->node].count += weight;
	if (!q)
		return 0;
	q->count++;
	q->sum += amount;
	q->min = amount < q->min ? amount : q->min;
	q->max = amount > q->max ? amount : q->max;
	return 0;
}

/* --- all of it --- */

static int add_kind(struct sums *sums, const struct rarog_perun_kind *kind)
{
	const char *unit;
	double scale = rarog_perun_scale(sums->perun, kind, &unit);
	struct place place;
	int r = find_place(sums, kind, &place);

	scale = sums->unit_ns > 0 ? sums->unit_ns : scale;
	sums->result->is_time |= scale > 0;
	if (r == 0)
		r = rarog_histograms_expect(&sums->histograms, kind->n);
	for (size_t i = 0; r == 0 && i < kind->n; i++)
		r = scale > 0 ? add_time(sums, kind, i, scale, &place)
			      : add_quantity(sums, kind, i, unit, &place);
	return r;
}

static int write_tree(struct sums *sums, struct rarog_profile_writer *writer)
{
	rarog_cleanup(rarog_freep) uint64_t *inclusive = NULL;
	struct rarog_node node = { .parent = RAROG_NONE, .location = RAROG_NONE };
	int r = rarog_tree_inclusive(&sums->tree, &inclusive);

	for (size_t i = 0; r == 0 && i < sums->tree.n; i++) {
		if (i > 0)
			node = (struct rarog_node){ .parent = sums->tree.links[i].parent,
						    .location = sums->tree.links[i].location };
		node.count = sums->tree.amounts[i].count;
		node.exclusive = sums->tree.amounts[i].exclusive;
		node.inclusive = inclusive[i];
		r = rarog_profile_add_nodes(writer, 1, &node);
	}
	return r;
}

/* Of samples a function has those in which it was on the stack, once each. */
static int count_below(struct sums *sums)
{
	size_t n = sums->stats.n;
	rarog_cleanup(rarog_freep) uint32_t *seen = calloc(n + 1, sizeof(*seen));

	if (!seen)
		return rarog_oom();
	memset(sums->counts.v, 0, n * sizeof(*sums->counts.v));
	for (uint32_t i = 1; i < sums->tree.n; i++) {
		for (uint32_t at = i; at && sums->tree.amounts[i].count;
		     at = sums->tree.links[at].parent) {
			uint32_t location = sums->tree.links[at].location;

			if (location < n && seen[location] != i)
				sums->counts.v[location] += sums->tree.amounts[i].count;
			if (location < n)
				seen[location] = i;
		}
	}
	return 0;
}

static int write_summaries(struct sums *sums, struct rarog_profile_writer *writer)
{
	static const struct rarog_stats_ends none;
	struct rarog_histogram_bucket buckets[RAROG_HISTOGRAM_BUCKETS];
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < sums->stats.n; i++) {
		struct rarog_summary summary =
			rarog_stats_summary(&sums->stats.v[i], &none, i, RAROG_NONE);

		if (sums->counts.v[i] == 0)
			continue;
		summary.timed = summary.count;
		summary.count = sums->counts.v[i];
		summary.n_buckets = rarog_histograms_buckets(&sums->histograms, i, buckets);
		summary.buckets = buckets;
		r = rarog_profile_add_summaries(writer, 1, &summary);
	}
	return r;
}

int rarog_perun_sums(const struct rarog_perun *perun, const struct rarog_perun_options *options,
		     struct rarog_profile_writer *writer, struct rarog_perun_places *places,
		     struct rarog_perun_result *result)
{
	struct sums sums = {
		.perun = perun, .places = places, .result = result, .unit_ns = options->unit_ns
	};
	int r = rarog_tree_init(&sums.tree, NODES_MAX);

	for (size_t i = 0; r == 0 && i < perun->kinds.n; i++)
		if (!rarog_perun_is_marker(&perun->kinds.v[i]))
			r = add_kind(&sums, &perun->kinds.v[i]);
	result->has_samples &= !sums.has_others && !result->is_time;
	if (r == 0 && result->has_samples)
		r = count_below(&sums);
	if (r == 0)
		r = rarog_profile_add_quantities(writer, sums.quantities.n, sums.quantities.v);
	if (r == 0)
		r = write_summaries(&sums, writer);
	if (r == 0)
		r = write_tree(&sums, writer);
	sums_release(&sums);
	return r;
}
