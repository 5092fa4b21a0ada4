/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/inlining.h"

#include <stdlib.h>

#include "base/error.h"

/* --- which row a name means --- */

struct names {
	RAROG_VEC(struct rarog_entry) list; /* sorted */
};

static void names_release(struct names *names)
{
	rarog_vec_release(&names->list);
}

static int compare_names(const void *a, const void *b)
{
	return rarog_entry_by_name(a, b);
}

static int names_read(const struct rarog_entries entries[2], struct names *names)
{
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < entries[side].list.n; i++)
			if (rarog_vec_push(&names->list, entries[side].list.v[i]) < 0)
				return rarog_oom();
	if (names->list.n > 1)
		qsort(names->list.v, names->list.n, sizeof(*names->list.v), compare_names);
	return 0;
}

/* The row of @name in the binary of @host. */
static uint32_t row_named(const struct names *names, const char *name,
			  const struct rarog_entry *host)
{
	const struct rarog_entry key = { .form = { .mangled = name, .binary = host->form.binary } };
	const struct rarog_entry *found = names->list.n == 0
						  ? NULL
						  : bsearch(&key, names->list.v, names->list.n,
							    sizeof(*names->list.v), compare_names);

	return found ? found->row : RAROG_NONE;
}

/* --- what is inlined in one version only --- */

struct edges {
	RAROG_VEC(struct rarog_inlined_edge) list;
};

static void edges_release(struct edges *edges)
{
	rarog_vec_release(&edges->list);
}

static int compare_edges(const void *a, const void *b)
{
	const struct rarog_inlined_edge *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static void sort_edges(struct edges *edges)
{
	size_t kept = 0;

	if (edges->list.n > 1)
		qsort(edges->list.v, edges->list.n, sizeof(*edges->list.v), compare_edges);
	for (size_t i = 0; i < edges->list.n; i++)
		if (kept == 0 || compare_edges(&edges->list.v[kept - 1], &edges->list.v[i]) != 0)
			edges->list.v[kept++] = edges->list.v[i];
	edges->list.n = kept;
}

/* Source lines mean debug information, which names what was inlined. */
static bool knows_inlined(long n_inlined, long n, const struct rarog_location locations[])
{
	bool knows = n_inlined > 0;

	for (long i = 0; !knows && i < n; i++)
		knows = locations[i].file != NULL;
	return knows;
}

/* All runs of a side are of one build: the first tells. Return: 1, 0 nothing is known of inlining,
 * negative. */
static int read_edges(const struct rarog_side *side, const struct rarog_entries *entries,
		      const struct names *names, struct edges *edges)
{
	const struct rarog_inlined_into *inlined;
	const struct rarog_location *locations;
	long n = rarog_profile_inlined(side->runs.v[0].profile, &inlined);
	long n_locations = rarog_profile_locations(side->runs.v[0].profile, &locations);

	if (n < 0 || n_locations < 0)
		return (int)(n < 0 ? n : n_locations);
	for (long i = 0; i < n; i++) {
		if (!inlined[i].name || (long)inlined[i].host >= n_locations)
			continue;
		const struct rarog_entry *host =
			&entries->list.v[entries->of.v[0][inlined[i].host]];
		struct rarog_inlined_edge edge = {
			.host = host->row,
			.callee = row_named(names, inlined[i].name, host),
		};

		if (edge.callee != RAROG_NONE && edge.callee != edge.host &&
		    rarog_vec_push(&edges->list, edge) < 0)
			return rarog_oom();
	}
	sort_edges(edges);
	return knows_inlined(n, n_locations, locations);
}

/* Those that are in one list only. Both are sorted, and so is what is kept. */
static int keep_different(const struct edges *a, const struct edges *b,
			  struct rarog_inlining *inlining)
{
	size_t i = 0, k = 0;

	while (i < a->list.n || k < b->list.n) {
		int order = i == a->list.n   ? 1
			    : k == b->list.n ? -1
					     : compare_edges(&a->list.v[i], &b->list.v[k]);
		struct rarog_inlined_edge edge = order > 0 ? b->list.v[k] : a->list.v[i];

		if (order != 0 && rarog_vec_push(&inlining->edges, edge) < 0)
			return rarog_oom();
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

int rarog_inlining_find(const struct rarog_comparison *comparison,
			const struct rarog_entries entries[2], struct rarog_inlining *ret_inlining)
{
	rarog_cleanup(names_release) struct names names = { 0 };
	rarog_cleanup(edges_release) struct edges a = { 0 };
	rarog_cleanup(edges_release) struct edges b = { 0 };
	struct edges *const edges[2] = { &a, &b };
	int r = names_read(entries, &names);

	*ret_inlining = (struct rarog_inlining){ .n = comparison->n };
	ret_inlining->may_be = calloc(comparison->n + 1, sizeof(*ret_inlining->may_be));
	if (!ret_inlining->may_be)
		return rarog_oom();
	for (size_t side = 0; r == 0 && side < 2; side++) {
		int knows =
			read_edges(&comparison->sides[side], &entries[side], &names, edges[side]);

		for (size_t i = 0; knows == 0 && i < comparison->n; i++)
			ret_inlining->may_be[i] |= !comparison->rows[i].form[side].mangled;
		r = knows < 0 ? knows : 0;
	}
	return r < 0 ? r : keep_different(&a, &b, ret_inlining);
}

void rarog_inlining_release(struct rarog_inlining *inlining)
{
	rarog_vec_release(&inlining->edges);
	free(inlining->may_be);
	*inlining = (struct rarog_inlining){ 0 };
}

bool rarog_inlining_folds(struct rarog_inlining *inlining, uint32_t host, uint32_t callee)
{
	const struct rarog_inlined_edge key = { .host = host, .callee = callee };
	struct rarog_inlined_edge *found;

	if (host == callee)
		return false;
	found = inlining->edges.n == 0 ? NULL
				       : bsearch(&key, inlining->edges.v, inlining->edges.n,
						 sizeof(key), compare_edges);
	if (found)
		found->is_used = true;
	return found || inlining->may_be[callee];
}
