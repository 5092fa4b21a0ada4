/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "binary/call-reach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define BYTES_MAX (UINT64_C(1) << 30)

static uint64_t *set_of(const struct rarog_call_reach *reach, uint32_t component)
{
	return reach->bits + (size_t)component * reach->words;
}

static void add_set(const struct rarog_call_reach *reach, uint32_t into, uint32_t from)
{
	uint64_t *a = set_of(reach, into), *b = set_of(reach, from);

	if (a[from / 64] >> from % 64 & 1)
		return; /* all of it was added with what led there */
	for (size_t i = 0; i <= from / 64; i++)
		a[i] |= b[i];
}

/* Arcs by the component that they leave, in rising order: what they lead to is complete. */
static int fill(const struct rarog_digraph *arcs, struct rarog_call_reach *reach)
{
	const struct rarog_components *components = reach->components;
	struct rarog_digraph members = { 0 };
	struct rarog_digraph_arc *list = calloc((size_t)arcs->n + 1, sizeof(*list));
	int r = list ? 0 : rarog_oom();

	for (uint32_t i = 0; list && i < arcs->n; i++)
		list[i] = (struct rarog_digraph_arc){ components->of[i], i };
	if (r == 0)
		r = rarog_digraph_make(components->n, arcs->n, list, &members);
	for (uint32_t c = 0; r == 0 && c < components->n; c++) {
		set_of(reach, c)[c / 64] |= UINT64_C(1) << c % 64;
		for (uint32_t m = members.first[c]; m < members.first[c + 1]; m++) {
			uint32_t node = members.to[m];

			for (uint32_t i = arcs->first[node]; i < arcs->first[node + 1]; i++)
				add_set(reach, c, components->of[arcs->to[i]]);
		}
	}
	rarog_digraph_release(&members);
	free(list);
	return r;
}

int rarog_call_reach_make(const struct rarog_digraph *arcs,
			  const struct rarog_components *components,
			  struct rarog_call_reach *ret_reach)
{
	size_t words = (size_t)components->n / 64 + 1;

	*ret_reach = (struct rarog_call_reach){ .components = components, .words = words };
	if ((uint64_t)components->n * words * sizeof(uint64_t) > BYTES_MAX)
		return -EFBIG;
	ret_reach->bits = calloc((size_t)components->n * words + 1, sizeof(uint64_t));
	return ret_reach->bits ? fill(arcs, ret_reach) : rarog_oom();
}

void rarog_call_reach_release(struct rarog_call_reach *reach)
{
	free(reach->bits);
	*reach = (struct rarog_call_reach){ 0 };
}

bool rarog_call_reach_has(const struct rarog_call_reach *reach, uint32_t from, uint32_t to)
{
	uint32_t a = reach->components->of[from], b = reach->components->of[to];

	return set_of(reach, a)[b / 64] >> b % 64 & 1;
}

void rarog_call_bottom(const struct rarog_digraph *arcs, const struct rarog_components *components,
		       bool ret[])
{
	bool leads_on;

	for (uint32_t node = 0; node < arcs->n; node++) {
		leads_on = false;
		for (uint32_t i = arcs->first[node]; i < arcs->first[node + 1]; i++)
			leads_on |= components->of[arcs->to[i]] != components->of[node];
		ret[node] = !leads_on;
	}
}

/* Leaves out @root and, as long as there is only one, what it leads to. */
static void cut_off(const struct rarog_digraph *arcs, uint32_t root, bool is_left[])
{
	while (is_left[root]) {
		is_left[root] = false;
		if (arcs->first[root + 1] - arcs->first[root] != 1)
			return;
		root = arcs->to[arcs->first[root]];
	}
}

int rarog_call_top(const struct rarog_digraph *arcs, const struct rarog_components *components,
		   uint32_t root, const bool is_there[], bool ret[])
{
	bool *is_below = calloc((size_t)components->n + 1, sizeof(*is_below)), any = false;

	if (!is_below)
		return rarog_oom();
	memcpy(ret, is_there, arcs->n * sizeof(*ret));
	cut_off(arcs, root, ret);
	for (uint32_t node = 0; node < arcs->n; node++)
		for (uint32_t i = arcs->first[node]; ret[node] && i < arcs->first[node + 1]; i++)
			if (components->of[arcs->to[i]] != components->of[node])
				is_below[components->of[arcs->to[i]]] = true;
	for (uint32_t node = 0; node < arcs->n; node++) {
		ret[node] &= !is_below[components->of[node]];
		any |= ret[node];
	}
	if (!any)
		ret[root] = true;
	free(is_below);
	return 0;
}
