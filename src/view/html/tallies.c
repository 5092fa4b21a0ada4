/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/tallies.h"

#include <stdlib.h>

#include "base/error.h"

static int add_nodes(const struct rarog_run *run, struct rarog_summary *tallies)
{
	const struct rarog_node *nodes;
	long n = rarog_profile_nodes(run->profile, &nodes);

	for (long i = 1; i < n; i++)
		if (nodes[i].location < run->n_locations)
			tallies[nodes[i].location].count += nodes[i].count;
	return n < 0 ? (int)n : 0;
}

int rarog_tallies_new(const struct rarog_run *run, struct rarog_summary **ret_tallies)
{
	rarog_cleanup(rarog_freep) struct rarog_summary *tallies =
		calloc(run->n_locations + 1, sizeof(*tallies));
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(run->profile, &summaries);

	if (!tallies)
		return rarog_oom();
	if (n < 0)
		return (int)n;
	int r = n == 0 ? add_nodes(run, tallies) : 0;

	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE && summaries[i].location < run->n_locations)
			tallies[summaries[i].location] = summaries[i];
	if (r < 0)
		return r;
	*ret_tallies = rarog_take(tallies);
	return 0;
}
