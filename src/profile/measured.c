/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/measured.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/cleanup.h"
#include "base/error.h"

static void take(struct rarog_measured_table *table, const struct rarog_measured *row)
{
	if (row->location < table->n)
		table->how[row->location] = (uint8_t)row->how;
	else if (row->location == RAROG_NONE && row->binary < table->n_binaries)
		table->others_off[row->binary] = !rarog_how_is_known((uint8_t)row->how);
}

int rarog_measured_table_load(struct rarog_profile *profile, struct rarog_measured_table *ret_table)
{
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_measured *rows;
	long n = rarog_profile_locations(profile, &locations);
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n_rows = rarog_profile_measured(profile, &rows);

	*ret_table = (struct rarog_measured_table){ 0 };
	if (n < 0 || n_binaries < 0 || n_rows < 0)
		return (int)(n < 0 ? n : n_binaries < 0 ? n_binaries : n_rows);
	ret_table->how = calloc((size_t)n + 1, sizeof(*ret_table->how));
	ret_table->others_off = calloc((size_t)n_binaries + 1, sizeof(*ret_table->others_off));
	if (!ret_table->how || !ret_table->others_off)
		return rarog_oom();
	ret_table->n = (size_t)n;
	ret_table->n_binaries = (size_t)n_binaries;
	for (long i = 0; i < n_rows; i++)
		take(ret_table, &rows[i]);
	return 0;
}

void rarog_measured_table_release(struct rarog_measured_table *table)
{
	free(table->how);
	free(table->others_off);
	*table = (struct rarog_measured_table){ 0 };
}

/* Their order says nothing. */
int rarog_untimed_set(struct rarog_profile *profile, uint64_t *ret_set)
{
	struct rarog_measured_table measured;
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	int r = rarog_measured_table_load(profile, &measured);

	*ret_set = 0;
	for (size_t i = 0; r == 0 && i < (size_t)n; i++) {
		const char *name = locations[i].name;

		if (name && locations[i].kind == RAROG_LOCATION_FUNCTION &&
		    !rarog_how_is_timed(measured.how[i]))
			*ret_set += XXH3_64bits(name, strlen(name));
	}
	rarog_measured_table_release(&measured);
	return r;
}

/* --- exclusive times --- */

static bool is_of_all(const struct rarog_summary *s, size_t n)
{
	return s->strand == RAROG_NONE && s->location < n;
}

/* Profiles that count only have no durations at all; points have none either. */
static bool find_missed(long n_summaries, const struct rarog_summary summaries[],
			const struct rarog_location locations[],
			const struct rarog_measured_table *measured, bool missed[])
{
	bool has_times = false, any = false;

	for (long i = 0; i < n_summaries; i++)
		has_times |= summaries[i].timed > 0;
	for (long i = 0; has_times && i < n_summaries; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (!is_of_all(s, measured->n) || s->timed > 0 || s->count == 0 ||
		    locations[s->location].kind == RAROG_LOCATION_POINT ||
		    measured->how[s->location] == RAROG_HOW_COUNTED)
			continue;
		missed[s->location] = any = true;
	}
	return any;
}

int rarog_missed(struct rarog_profile *profile, bool **ret_missed)
{
	struct rarog_measured_table measured;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	long n = rarog_profile_locations(profile, &locations);
	long n_summaries = rarog_profile_summaries(profile, &summaries);
	int r = rarog_measured_table_load(profile, &measured);

	*ret_missed = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(**ret_missed));
	if (n < 0 || n_summaries < 0)
		r = (int)(n < 0 ? n : n_summaries);
	else if (r == 0)
		r = *ret_missed
			    ? find_missed(n_summaries, summaries, locations, &measured, *ret_missed)
			    : rarog_oom();
	rarog_measured_table_release(&measured);
	return r;
}

static bool find_off(long n_summaries, const struct rarog_summary summaries[],
		     const struct rarog_measured_table *measured, bool off[])
{
	bool any = false;

	for (long i = 0; i < n_summaries; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (!is_of_all(s, measured->n) || s->count == 0 ||
		    measured->how[s->location] != RAROG_HOW_OFF)
			continue;
		off[s->location] = any = true;
	}
	return any;
}

int rarog_off_at_times(struct rarog_profile *profile, bool **ret_off)
{
	struct rarog_measured_table measured;
	const struct rarog_summary *summaries;
	long n_summaries = rarog_profile_summaries(profile, &summaries);
	int r = rarog_measured_table_load(profile, &measured);

	*ret_off = calloc(measured.n + 1, sizeof(**ret_off));
	if (n_summaries < 0)
		r = (int)n_summaries;
	else if (r == 0)
		r = *ret_off ? find_off(n_summaries, summaries, &measured, *ret_off) : rarog_oom();
	rarog_measured_table_release(&measured);
	return r;
}

/* A point takes no time, so none is missing where it was not recorded. Return: is any? */
static bool find_sampled(long n_summaries, const struct rarog_summary summaries[], size_t n,
			 const struct rarog_location locations[], const bool off[],
			 bool are_sampled[])
{
	bool any = false;

	for (long i = 0; i < n_summaries; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (!is_of_all(s, n) || locations[s->location].kind == RAROG_LOCATION_POINT)
			continue;
		are_sampled[s->location] =
			s->timed > 0 && (s->timed < s->count || off[s->location]);
		any |= are_sampled[s->location];
	}
	return any;
}

static void spread(long n_nodes, const struct rarog_node nodes[], size_t n,
		   const bool are_sampled[], bool unknown[])
{
	for (size_t i = 0; i < n; i++)
		unknown[i] = are_sampled[i] || n_nodes <= 1;
	for (long i = 1; i < n_nodes; i++) {
		uint32_t caller =
			nodes[i].parent < n_nodes ? nodes[nodes[i].parent].location : RAROG_NONE;

		if (nodes[i].location < n && are_sampled[nodes[i].location] && caller < n)
			unknown[caller] = true;
	}
}

int rarog_exclusive_unknown(struct rarog_profile *profile, bool **ret_unknown)
{
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	const struct rarog_node *nodes;
	long n = rarog_profile_locations(profile, &locations);
	long n_summaries = rarog_profile_summaries(profile, &summaries);
	long n_nodes = rarog_profile_nodes(profile, &nodes);
	rarog_cleanup(rarog_freep) bool *are_sampled = NULL, *unknown = NULL;
	rarog_cleanup(rarog_freep) bool *off = NULL;
	int is_missed, is_off;
	bool any;

	if (n < 0 || n_summaries < 0 || n_nodes < 0)
		return (int)(n < 0 ? n : n_summaries < 0 ? n_summaries : n_nodes);
	is_missed = rarog_missed(profile, &unknown);
	if (is_missed < 0)
		return is_missed;
	is_off = rarog_off_at_times(profile, &off);
	if (is_off < 0)
		return is_off;
	are_sampled = calloc((size_t)n + 1, sizeof(*are_sampled));
	if (!are_sampled)
		return rarog_oom();
	any = find_sampled(n_summaries, summaries, (size_t)n, locations, off, are_sampled);
	if (is_missed)
		memset(unknown, true, (size_t)n * sizeof(*unknown));
	else if (any)
		spread(n_nodes, nodes, (size_t)n, are_sampled, unknown);
	*ret_unknown = rarog_take(unknown);
	return any || is_missed;
}

/* --- totals --- */

static bool is_within_itself(const struct rarog_node nodes[], uint32_t node)
{
	for (uint32_t i = nodes[node].parent; i != 0 && i != RAROG_NONE; i = nodes[i].parent)
		if (nodes[i].location == nodes[node].location)
			return true;
	return false;
}

/* Calls that count for different numbers of calls have a bound of their total. */
static int find_thinned(struct rarog_profile *profile, size_t n, bool thinned[])
{
	const struct rarog_summary *summaries;
	const struct rarog_bound *bounds;
	long n_summaries = rarog_profile_summaries(profile, &summaries);
	long n_bounds = rarog_profile_bounds(profile, &bounds);

	for (long i = 0; i < n_summaries; i++)
		if (is_of_all(&summaries[i], n) && summaries[i].timed > 0 &&
		    summaries[i].timed < summaries[i].count)
			thinned[summaries[i].location] = true;
	for (long i = 0; i < n_bounds; i++)
		if (bounds[i].location < n)
			thinned[bounds[i].location] = true;
	return n_summaries < 0 ? (int)n_summaries : n_bounds < 0 ? (int)n_bounds : 0;
}

/* most[location]: the upper end of its total; 0: nothing is told. */
static void read_most(size_t n_bounds, const struct rarog_bound bounds[], size_t n, uint64_t most[])
{
	for (size_t i = 0; i < n_bounds; i++)
		if (bounds[i].location < n && bounds[i].what &&
		    strcmp(bounds[i].what, "total") == 0)
			most[bounds[i].location] = bounds[i].most;
}

/* Half of the interval is more than the total. */
static bool is_wide(const struct rarog_summary *s, uint64_t most)
{
	return s->timed < s->count && most > s->total && most - s->total > s->total;
}

int rarog_total_unsure(struct rarog_profile *profile, bool **ret_unsure)
{
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	const struct rarog_bound *bounds;
	long n = rarog_profile_locations(profile, &locations);
	long n_summaries = rarog_profile_summaries(profile, &summaries);
	long n_bounds = rarog_profile_bounds(profile, &bounds);
	bool *unsure = *ret_unsure = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*unsure));
	rarog_cleanup(rarog_freep) uint64_t *most =
		calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*most));
	int any = 0;

	if (n < 0 || n_summaries < 0 || n_bounds < 0)
		return (int)(n < 0 ? n : n_summaries < 0 ? n_summaries : n_bounds);
	if (!unsure || !most)
		return rarog_oom();
	read_most((size_t)n_bounds, bounds, (size_t)n, most);
	for (long i = 0; i < n_summaries; i++)
		if (is_of_all(&summaries[i], (size_t)n) &&
		    is_wide(&summaries[i], most[summaries[i].location])) {
			unsure[summaries[i].location] = true;
			any = 1;
		}
	return any;
}

int rarog_total_unknown(struct rarog_profile *profile, bool **ret_unknown)
{
	rarog_cleanup(rarog_freep) bool *thinned = NULL;
	const struct rarog_location *locations;
	const struct rarog_node *nodes;
	long n = rarog_profile_locations(profile, &locations);
	long n_nodes = rarog_profile_nodes(profile, &nodes);
	int any = rarog_total_unsure(profile, ret_unknown), r;
	bool *unknown = *ret_unknown;

	if (any < 0 || n_nodes < 0)
		return any < 0 ? any : (int)n_nodes;
	r = rarog_off_at_times(profile, &thinned);
	if (r >= 0)
		r = find_thinned(profile, (size_t)n, thinned);
	if (r == 0)
		r = any;
	for (long i = 1; r >= 0 && i < n_nodes; i++) {
		uint32_t location = nodes[i].location;

		if (location >= n || !thinned[location] || unknown[location] ||
		    !is_within_itself(nodes, (uint32_t)i))
			continue;
		unknown[location] = true;
		r = 1;
	}
	return r;
}
