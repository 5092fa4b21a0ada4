/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/short-name.h"
#include "base/str.h"
#include "profile/off-cpu.h"

#define STEPS 6 /* callers that are told apart */

/* Rows from the function outwards; the rest RAROG_NONE. */
struct path {
	uint32_t rows[STEPS + 1];
	double ns; /* target - baseline, a run */
};

struct paths {
	RAROG_VEC(struct path) list;
};

static void paths_release(struct paths *paths)
{
	rarog_vec_release(&paths->list);
}

struct tree {
	const struct rarog_node *nodes;
	long n;
	const uint32_t *row_of;
	size_t n_locations;
	double ns_per_tick;
	struct rarog_off_cpu_table off_cpu; /* empty: wall times are compared */
};

static int open_tree(const struct rarog_comparison *c, size_t side, size_t run, struct tree *tree)
{
	struct rarog_profile *profile = c->sides[side].runs.v[run].profile;
	const struct rarog_location *locations;
	long n_locations = rarog_profile_locations(profile, &locations);

	tree->n = rarog_profile_nodes(profile, &tree->nodes);
	if (n_locations < 0 || tree->n < 0)
		return (int)(tree->n < 0 ? tree->n : n_locations);
	tree->n_locations = (size_t)n_locations;
	tree->row_of = c->row_of[side][run];
	tree->ns_per_tick = 1e9 / (double)rarog_profile_clock(profile)->hz;
	return c->is_cpu_time ? rarog_off_cpu_table_load(profile, true, &tree->off_cpu) : 0;
}

static double own_ns(const struct tree *tree, enum rarog_measure measure, long node)
{
	struct rarog_off_cpu_ticks off_cpu = { 0 };

	if (node < (long)tree->off_cpu.n_nodes)
		off_cpu = tree->off_cpu.nodes[node];
	if (measure == RAROG_MEASURE_WAITING)
		return (double)off_cpu.waited * tree->ns_per_tick;
	return (double)rarog_cpu_ticks(tree->nodes[node].exclusive, off_cpu.waited,
				       off_cpu.preempted) *
	       tree->ns_per_tick;
}

static uint32_t row_at(const struct tree *tree, uint32_t node)
{
	uint32_t location = tree->nodes[node].location;

	return location < tree->n_locations ? tree->row_of[location] : RAROG_NONE;
}

static struct path path_of(const struct tree *tree, uint32_t node, double ns)
{
	struct path path = { .ns = ns };
	size_t n = 0;

	memset(path.rows, 0xff, sizeof(path.rows));
	while (node > 0 && n <= STEPS) {
		uint32_t row = row_at(tree, node), parent = tree->nodes[node].parent;

		if (row != RAROG_NONE && (n == 0 || path.rows[n - 1] != row))
			path.rows[n++] = row;
		if (parent >= node)
			break;
		node = parent;
	}
	return path;
}

static int compare_paths(const void *a, const void *b)
{
	return memcmp(((const struct path *)a)->rows, ((const struct path *)b)->rows,
		      sizeof(((const struct path *)a)->rows));
}

/* Paths of one run, what it took there divided by the number of runs. */
static int add_run(const struct rarog_comparison *c, size_t side, size_t run, size_t row,
		   enum rarog_measure measure, struct paths *paths)
{
	double part = (side == RAROG_TARGET ? 1 : -1) / (double)c->sides[side].runs.n;
	struct tree tree = { 0 };
	int r = open_tree(c, side, run, &tree);

	for (long i = 1; r == 0 && i < tree.n; i++) {
		double ns = own_ns(&tree, measure, i) * part;

		if (row_at(&tree, (uint32_t)i) == row &&
		    rarog_vec_push(&paths->list, path_of(&tree, (uint32_t)i, ns)) < 0)
			r = rarog_oom();
	}
	rarog_off_cpu_table_release(&tree.off_cpu);
	return r;
}

static void sum_up(struct paths *paths)
{
	struct path *v = paths->list.v;
	size_t kept = 0;

	if (paths->list.n > 1)
		qsort(v, paths->list.n, sizeof(*v), compare_paths);
	for (size_t i = 0; i < paths->list.n; i++) {
		if (kept > 0 && compare_paths(&v[kept - 1], &v[i]) == 0)
			v[kept - 1].ns += v[i].ns;
		else
			v[kept++] = v[i];
	}
	paths->list.n = kept;
}

static const struct path *largest(const struct paths *paths, bool is_worse)
{
	const struct path *best = NULL;

	for (size_t i = 0; i < paths->list.n; i++) {
		const struct path *path = &paths->list.v[i];
		double ns = is_worse ? path->ns : -path->ns;

		if (ns > 0 && (!best || ns > (is_worse ? best->ns : -best->ns)))
			best = path;
	}
	return best;
}

static int write_path(const struct rarog_comparison *c, const struct path *path, char **ret_path)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	size_t n = 0;
	int r = 0;

	while (n <= STEPS && path->rows[n] != RAROG_NONE)
		n++;
	if (n > STEPS)
		r = rarog_str_add(&text, "… > ");
	for (size_t i = n; r == 0 && i-- > 0;) {
		r = rarog_short_name_add(&text, rarog_row_name(&c->rows[path->rows[i]]), "");
		if (r == 0 && i > 0)
			r = rarog_str_add(&text, " > ");
	}
	*ret_path = r < 0 ? NULL : rarog_str_take(&text);
	return *ret_path ? 0 : rarog_oom();
}

int rarog_paths_find(const struct rarog_comparison *comparison, size_t row,
		     enum rarog_measure measure, bool is_worse, char **ret_path)
{
	rarog_cleanup(paths_release) struct paths paths = { 0 };
	const struct path *best;
	int r = 0;

	*ret_path = NULL;
	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; r == 0 && run < comparison->sides[side].runs.n; run++) {
			r = add_run(comparison, side, run, row, measure, &paths);
			if (r == 0 && paths.list.n > 100000)
				sum_up(&paths);
		}
	if (r < 0)
		return r;
	sum_up(&paths);
	best = largest(&paths, is_worse);
	return best ? write_path(comparison, best, ret_path) : 0;
}

static bool calls(const struct tree *tree, size_t caller, size_t callee)
{
	for (long i = 1; i < tree->n; i++)
		if (row_at(tree, (uint32_t)i) == callee && tree->nodes[i].parent < i &&
		    row_at(tree, tree->nodes[i].parent) == caller)
			return true;
	return false;
}

bool rarog_paths_calls(const struct rarog_comparison *comparison, size_t caller, size_t callee)
{
	struct tree tree = { 0 };
	bool found = false;

	if (open_tree(comparison, RAROG_TARGET, 0, &tree) < 0)
		rarog_error_clear();
	else
		found = calls(&tree, caller, callee);
	rarog_off_cpu_table_release(&tree.off_cpu);
	return found;
}
