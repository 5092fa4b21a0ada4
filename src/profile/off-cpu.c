/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/off-cpu.h"

#include <stdlib.h>

#include "base/error.h"

void rarog_off_cpu_table_release(struct rarog_off_cpu_table *table)
{
	free(table->over);
	free(table->nodes);
	*table = (struct rarog_off_cpu_table){ 0 };
}

static void take_rows(struct rarog_off_cpu_table *table, size_t n,
		      const struct rarog_off_cpu rows[n])
{
	for (size_t i = 0; i < n; i++) {
		if (rows[i].strand != RAROG_NONE)
			continue;
		if (rows[i].location == RAROG_NONE) {
			table->is_known = true;
			table->is_whole = !rows[i].is_unknown;
		} else if (rows[i].location < table->n_locations) {
			table->over[rows[i].location] = rows[i];
		}
	}
}

static int load_nodes(struct rarog_profile *profile, struct rarog_off_cpu_table *table)
{
	const struct rarog_node *nodes;
	const struct rarog_node_off_cpu *rows;
	long n_nodes = rarog_profile_nodes(profile, &nodes);
	long n = n_nodes < 0 ? n_nodes : rarog_profile_nodes_off_cpu(profile, &rows);

	if (n < 0)
		return (int)n;
	table->nodes = calloc((size_t)n_nodes + 1, sizeof(*table->nodes));
	if (!table->nodes)
		return rarog_oom();
	table->n_nodes = (size_t)n_nodes;
	for (long i = 0; i < n; i++)
		if (rows[i].node < table->n_nodes)
			table->nodes[rows[i].node] =
				(struct rarog_off_cpu_ticks){ rows[i].waited, rows[i].preempted };
	return 0;
}

/* Sums that were computed from the calls know nothing of it, and where a file was cut off rows may
 * be missing, which would say that nothing was away. */
static bool has_all(const struct rarog_profile *profile)
{
	return rarog_profile_rebuilt_from(profile) < 0 && !rarog_profile_is_partial(profile);
}

int rarog_off_cpu_is_known(struct rarog_profile *profile)
{
	const struct rarog_off_cpu *rows;
	long n = rarog_profile_off_cpu(profile, &rows);

	return n < 0 ? (int)n : n > 0 && has_all(profile);
}

static int load(struct rarog_profile *profile, bool with_nodes, struct rarog_off_cpu_table *table)
{
	const struct rarog_location *locations;
	const struct rarog_off_cpu *rows;
	long n_locations = rarog_profile_locations(profile, &locations);
	long n = n_locations < 0 ? n_locations : rarog_profile_off_cpu(profile, &rows);

	if (n <= 0 || !has_all(profile))
		return (int)n < 0 ? (int)n : 0;
	table->over = calloc((size_t)n_locations + 1, sizeof(*table->over));
	if (!table->over)
		return rarog_oom();
	table->n_locations = (size_t)n_locations;
	take_rows(table, (size_t)n, rows);
	return with_nodes ? load_nodes(profile, table) : 0;
}

int rarog_off_cpu_table_load(struct rarog_profile *profile, bool with_nodes,
			     struct rarog_off_cpu_table *ret_table)
{
	struct rarog_off_cpu_table table = { 0 };
	int r = load(profile, with_nodes, &table);

	if (r < 0) {
		rarog_off_cpu_table_release(&table);
		return r;
	}
	*ret_table = table;
	return 0;
}
