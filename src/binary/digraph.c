/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/digraph.h"

#include <stdlib.h>

#include "base/error.h"

static int make_room(uint32_t n, size_t n_arcs, struct rarog_digraph *ret_arcs)
{
	*ret_arcs = (struct rarog_digraph){ .n = n };
	ret_arcs->first = calloc((size_t)n + 2, sizeof(*ret_arcs->first));
	ret_arcs->to = calloc(n_arcs + 1, sizeof(*ret_arcs->to));
	return ret_arcs->first && ret_arcs->to ? 0 : rarog_oom();
}

/* first[i + 1] has how many arcs node i - 1 has: summed up it is where those of i go, and counted
 * on while they are put there, where those of i + 1 begin. */
static void sum_up(struct rarog_digraph *arcs)
{
	for (uint32_t i = 0; i <= arcs->n; i++)
		arcs->first[i + 1] += arcs->first[i];
}

int rarog_digraph_make(uint32_t n, size_t n_arcs, const struct rarog_digraph_arc arcs[],
		       struct rarog_digraph *ret_arcs)
{
	int r = make_room(n, n_arcs, ret_arcs);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n_arcs; i++)
		ret_arcs->first[arcs[i].from + 2]++;
	sum_up(ret_arcs);
	for (size_t i = 0; i < n_arcs; i++)
		ret_arcs->to[ret_arcs->first[arcs[i].from + 1]++] = arcs[i].to;
	return 0;
}

int rarog_digraph_turn(const struct rarog_digraph *arcs, struct rarog_digraph *ret_arcs)
{
	int r = make_room(arcs->n, arcs->first[arcs->n], ret_arcs);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < arcs->first[arcs->n]; i++)
		ret_arcs->first[arcs->to[i] + 2]++;
	sum_up(ret_arcs);
	for (uint32_t from = 0; from < arcs->n; from++)
		for (uint32_t i = arcs->first[from]; i < arcs->first[from + 1]; i++)
			ret_arcs->to[ret_arcs->first[arcs->to[i] + 1]++] = from;
	return 0;
}

void rarog_digraph_release(struct rarog_digraph *arcs)
{
	free(arcs->first);
	free(arcs->to);
	*arcs = (struct rarog_digraph){ 0 };
}
