/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/feature-pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "profile/measured.h"

void rarog_feature_pairs_release(struct rarog_feature_pairs *pairs)
{
	for (size_t i = 0; i < pairs->list.n; i++)
		free(pairs->list.v[i].text);
	rarog_vec_release(&pairs->list);
}

static uint64_t difference(const struct rarog_feature_pair *pair)
{
	uint64_t a = pair->sides[0].total_ns, b = pair->sides[1].total_ns;

	return a < b ? b - a : a - b;
}

static int largest_first(const void *a, const void *b)
{
	uint64_t x = difference(a), y = difference(b);

	if (x != y)
		return x < y ? 1 : -1;
	return strcmp(((const struct rarog_feature_pair *)a)->text,
		      ((const struct rarog_feature_pair *)b)->text);
}

static void sort(struct rarog_feature_pairs *pairs)
{
	if (pairs->list.n > 1)
		qsort(pairs->list.v, pairs->list.n, sizeof(*pairs->list.v), largest_first);
}

/* @take_text: NULL: no memory */
static int add_pair(struct rarog_feature_pairs *pairs, char *take_text,
		    struct rarog_feature_pair **ret_pair)
{
	struct rarog_feature_pair pair = { .text = take_text };

	if (!take_text || rarog_vec_push(&pairs->list, pair) < 0) {
		free(take_text);
		return rarog_oom();
	}
	*ret_pair = &pairs->list.v[pairs->list.n - 1];
	return 0;
}

/* --- sets --- */

static int find_pair(struct rarog_feature_pairs *pairs, const char *text,
		     struct rarog_feature_pair **ret_pair)
{
	for (size_t i = 0; i < pairs->list.n; i++)
		if (strcmp(pairs->list.v[i].text, text) == 0) {
			*ret_pair = &pairs->list.v[i];
			return 0;
		}
	return add_pair(pairs, strdup(text), ret_pair);
}

static int add_sets(struct rarog_profile *profile, size_t side, struct rarog_feature_pairs *pairs)
{
	rarog_cleanup(rarog_feature_sums_release) struct rarog_feature_sums sums = { 0 };
	const struct rarog_clock *clock = rarog_profile_clock(profile);
	int r = rarog_feature_sums_read(profile, &sums);

	for (size_t i = 0; r == 0 && i < sums.list.n; i++) {
		const struct rarog_feature_sum *sum = &sums.list.v[i];
		struct rarog_feature_pair *pair = NULL;

		r = find_pair(pairs, sum->text, &pair);
		if (r == 0)
			pair->sides[side] = (struct rarog_feature_cost){
				.is_there = true,
				.regions = sum->regions,
				.count = sum->count,
				.total_ns = rarog_clock_ns(clock, sum->inclusive),
				.exclusive_ns = rarog_clock_ns(clock, sum->exclusive),
			};
	}
	return r;
}

int rarog_feature_pairs_sets(struct rarog_profile *const profiles[2],
			     struct rarog_feature_pairs *ret_pairs)
{
	int r;

	*ret_pairs = (struct rarog_feature_pairs){ 0 };
	r = add_sets(profiles[0], 0, ret_pairs);
	if (r == 0)
		r = add_sets(profiles[1], 1, ret_pairs);
	sort(ret_pairs);
	return r;
}

/* --- regions --- */

struct region {
	const char *name;
	size_t n_features; /* bytes of the name */
	uint32_t line;
	struct rarog_feature_cost cost;
};

struct regions {
	RAROG_VEC(struct region) list; /* sorted */
};

static const char *file_of(const char *name)
{
	return strchr(name, '@') + 1;
}

static size_t length_of_file(const char *name)
{
	return (size_t)(strrchr(name, ':') - file_of(name));
}

static int compare_texts(const char *a, size_t n_a, const char *b, size_t n_b)
{
	int order = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* Of the same features and file? */
static int compare_groups(const struct region *x, const struct region *y)
{
	int order = compare_texts(x->name, x->n_features, y->name, y->n_features);

	return order ? order
		     : compare_texts(file_of(x->name), length_of_file(x->name), file_of(y->name),
				     length_of_file(y->name));
}

static int compare_regions(const void *a, const void *b)
{
	const struct region *x = a, *y = b;
	int order = compare_groups(x, y);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return strcmp(x->name, y->name); /* some begin on one line */
}

static void add_amounts(const struct rarog_clock *clock, long n,
			const struct rarog_summary summaries[], uint32_t location,
			struct rarog_feature_cost *cost)
{
	for (long i = 0; i < n; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (s->strand != RAROG_NONE || s->location != location)
			continue;
		cost->count += s->count;
		cost->total_ns += rarog_clock_ns(clock, s->total);
		cost->exclusive_ns += rarog_clock_ns(clock, s->exclusive);
	}
}

static int read_regions(struct rarog_profile *profile, struct regions *regions)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	const struct rarog_clock *clock = rarog_profile_clock(profile);
	long n = rarog_profile_locations(profile, &locations);
	long n_sums = rarog_profile_summaries(profile, &summaries);
	int r = rarog_total_unknown(profile, &unknown);

	if (n < 0 || n_sums < 0 || r < 0)
		return n < 0 ? (int)n : n_sums < 0 ? (int)n_sums : r;
	for (long i = 0; i < n; i++) {
		struct region region = { .name = locations[i].name, .line = locations[i].line };

		region.n_features = rarog_feature_region_length(region.name);
		if (region.n_features == 0)
			continue;
		region.cost = (struct rarog_feature_cost){ .is_there = true,
							   .is_total_unknown = unknown[i],
							   .regions = 1 };
		add_amounts(clock, n_sums, summaries, (uint32_t)i, &region.cost);
		if (rarog_vec_push(&regions->list, region) < 0)
			return rarog_oom();
	}
	if (regions->list.n > 1)
		qsort(regions->list.v, regions->list.n, sizeof(*regions->list.v), compare_regions);
	return 0;
}

static size_t count_group(const struct regions *regions, size_t first, const struct region *like)
{
	size_t n = 0;

	while (first + n < regions->list.n &&
	       compare_groups(&regions->list.v[first + n], like) == 0)
		n++;
	return n;
}

static void add_cost(struct rarog_feature_cost *sum, const struct rarog_feature_cost *more)
{
	sum->is_there |= more->is_there;
	sum->is_total_unknown |= more->is_total_unknown;
	sum->regions += more->regions;
	sum->count += more->count;
	sum->total_ns += more->total_ns;
	sum->exclusive_ns += more->exclusive_ns;
}

struct group {
	const struct region *v[2]; /* of each side */
	size_t n[2];
};

/* Regions that all moved by as many lines are the same ones; of others nobody knows which is which.
 */
static bool moved_alike(const struct group *g)
{
	for (size_t i = 1; i < g->n[0]; i++)
		if (g->v[1][i].line - g->v[1][0].line != g->v[0][i].line - g->v[0][0].line)
			return false;
	return true;
}

static bool are_told_apart(const struct group *g)
{
	return g->n[0] == 0 || g->n[1] == 0 || (g->n[0] == g->n[1] && moved_alike(g));
}

static int add_each(const struct group *g, struct rarog_feature_pairs *pairs)
{
	bool is_newer = g->n[1] > 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < g->n[is_newer]; i++) {
		struct rarog_feature_pair *pair = NULL;

		r = add_pair(pairs, strdup(g->v[is_newer][i].name), &pair);
		for (size_t side = 0; r == 0 && side < 2; side++)
			if (g->n[side] > 0)
				pair->sides[side] = g->v[side][i].cost;
	}
	return r;
}

static int add_together(const struct group *g, struct rarog_feature_pairs *pairs)
{
	const char *name = g->v[0]->name;
	struct rarog_feature_pair *pair = NULL;
	int r = add_pair(pairs, strndup(name, (size_t)(strrchr(name, ':') - name)), &pair);

	for (size_t side = 0; r == 0 && side < 2; side++)
		for (size_t i = 0; i < g->n[side]; i++)
			add_cost(&pair->sides[side], &g->v[side][i].cost);
	return r;
}

static int add_regions(const struct regions sides[2], struct rarog_feature_pairs *pairs)
{
	size_t at[2] = { 0, 0 };
	int r = 0;

	while (r == 0 && (at[0] < sides[0].list.n || at[1] < sides[1].list.n)) {
		const struct region *a = sides[0].list.v + at[0], *b = sides[1].list.v + at[1];
		bool has_a = at[0] < sides[0].list.n, has_b = at[1] < sides[1].list.n;
		const struct region *like = !has_b || (has_a && compare_groups(a, b) <= 0) ? a : b;
		struct group g = { .v = { a, b } };

		g.n[0] = count_group(&sides[0], at[0], like);
		g.n[1] = count_group(&sides[1], at[1], like);
		r = are_told_apart(&g) ? add_each(&g, pairs) : add_together(&g, pairs);
		at[0] += g.n[0];
		at[1] += g.n[1];
	}
	return r;
}

int rarog_feature_pairs_regions(struct rarog_profile *const profiles[2],
				struct rarog_feature_pairs *ret_pairs)
{
	struct regions sides[2] = { 0 };
	int r = read_regions(profiles[0], &sides[0]);

	*ret_pairs = (struct rarog_feature_pairs){ 0 };
	if (r == 0)
		r = read_regions(profiles[1], &sides[1]);
	if (r == 0)
		r = add_regions(sides, ret_pairs);
	rarog_vec_release(&sides[0].list);
	rarog_vec_release(&sides[1].list);
	sort(ret_pairs);
	return r;
}
