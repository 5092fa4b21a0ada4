/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/measured.h"

#include <stdlib.h>

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

/* --- exclusive times --- */

/* A point takes no time, so none is missing where it was not recorded. Return: is any? */
static bool find_sampled(long n_summaries, const struct rarog_summary summaries[], size_t n,
			 const struct rarog_location locations[], bool are_sampled[])
{
	bool any = false;

	for (long i = 0; i < n_summaries; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (s->strand != RAROG_NONE || s->location >= n ||
		    locations[s->location].kind == RAROG_LOCATION_POINT)
			continue;
		are_sampled[s->location] = s->timed > 0 && s->timed < s->count;
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
	bool any;

	if (n < 0 || n_summaries < 0 || n_nodes < 0)
		return (int)(n < 0 ? n : n_summaries < 0 ? n_summaries : n_nodes);
	are_sampled = calloc((size_t)n + 1, sizeof(*are_sampled));
	unknown = calloc((size_t)n + 1, sizeof(*unknown));
	if (!are_sampled || !unknown)
		return rarog_oom();
	any = find_sampled(n_summaries, summaries, (size_t)n, locations, are_sampled);
	if (any)
		spread(n_nodes, nodes, (size_t)n, are_sampled, unknown);
	*ret_unknown = rarog_take(unknown);
	return any;
}
