/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A node of the tree has the features of all regions on its path, as bits: parents come before
 * their children, so one pass finds them. The sets that some node has, and each feature alone, are
 * what sums are made of.
 */
#include "view/feature-sums.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

size_t rarog_feature_region_length(const char *name)
{
	const char *at = strchr(name, '@');
	const char *colon = at ? strrchr(at, ':') : NULL;

	return colon && at > name && isdigit((unsigned char)colon[1]) ? (size_t)(at - name) : 0;
}

bool rarog_feature_sums_are_in(struct rarog_profile *profile)
{
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);

	for (long i = 0; i < n; i++)
		if (rarog_feature_region_length(locations[i].name) > 0)
			return true;
	return false;
}

/* --- features of a location --- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static const char *next_name(const char *text, const char *end, size_t *ret_length)
{
	const char *comma = memchr(text, ',', (size_t)(end - text));

	*ret_length = (size_t)((comma ? comma : end) - text);
	return comma ? comma + 1 : end;
}

static bool is_called(const char *name, size_t n, const char *text)
{
	return strncmp(name, text, n) == 0 && name[n] == '\0';
}

static size_t find_name(const struct rarog_feature_sums *sums, size_t n, const char *text)
{
	size_t i = 0;

	while (i < sums->names.n && !is_called(sums->names.v[i], n, text))
		i++;
	return i;
}

static int add_names(struct rarog_feature_sums *sums, const char *region)
{
	const char *end = region + rarog_feature_region_length(region);
	size_t n;

	for (const char *text = region, *next; text < end; text = next) {
		char *name;

		next = next_name(text, end, &n);
		if (find_name(sums, n, text) < sums->names.n)
			continue;
		if (sums->names.n == RAROG_FEATURE_SUMS_MOST)
			return rarog_fail(-E2BIG, "more than %d features are in this profile",
					  RAROG_FEATURE_SUMS_MOST);
		name = strndup(text, n);
		if (!name || rarog_vec_push(&sums->names, name) < 0) {
			free(name);
			return rarog_oom();
		}
	}
	return 0;
}

static uint64_t set_of(const struct rarog_feature_sums *sums, const char *region)
{
	const char *end = region + rarog_feature_region_length(region);
	uint64_t set = 0;
	size_t n;

	for (const char *text = region, *next; text < end; text = next) {
		next = next_name(text, end, &n);
		set |= UINT64_C(1) << find_name(sums, n, text);
	}
	return set;
}

/* --- sets --- */

static int add_sum(struct rarog_feature_sums *sums, uint64_t set)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	struct rarog_feature_sum sum = { .features = set };

	for (size_t i = 0; i < sums->list.n; i++)
		if (sums->list.v[i].features == set)
			return 0;
	for (size_t i = 0; i < sums->names.n; i++)
		if (set >> i & 1)
			rarog_str_addf(&text, "%s%s", sum.n++ > 0 ? "," : "", sums->names.v[i]);
	sum.text = strdup(rarog_str_text(&text));
	if (sum.text && rarog_vec_push(&sums->list, sum) == 0)
		return 0;
	free(sum.text);
	return rarog_oom();
}

struct nodes {
	size_t n, n_locations;
	const struct rarog_node *v;
	const struct rarog_location *locations;
	uint64_t *of_location, *of_node; /* sets */
};

static void nodes_release(struct nodes *nodes)
{
	free(nodes->of_location);
	free(nodes->of_node);
}

static int read_locations(struct rarog_feature_sums *sums, struct nodes *nodes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < nodes->n_locations; i++)
		r = add_names(sums, nodes->locations[i].name);
	if (r == 0 && sums->names.n > 1)
		qsort(sums->names.v, sums->names.n, sizeof(*sums->names.v), compare_names);
	for (size_t i = 0; r == 0 && i < nodes->n_locations; i++)
		nodes->of_location[i] = set_of(sums, nodes->locations[i].name);
	return r;
}

static int read_nodes(struct rarog_feature_sums *sums, struct nodes *nodes)
{
	int r = 0;

	for (size_t i = 1; i < nodes->n; i++) {
		const struct rarog_node *node = &nodes->v[i];

		if (node->location >= nodes->n_locations || node->parent >= i)
			return rarog_fail(-EBADMSG, "node %zu of the call tree is damaged", i);
		nodes->of_node[i] =
			nodes->of_node[node->parent] | nodes->of_location[node->location];
	}
	for (size_t i = 0; r == 0 && i < sums->names.n; i++)
		r = add_sum(sums, UINT64_C(1) << i);
	for (size_t i = 1; r == 0 && i < nodes->n; i++)
		if (nodes->of_node[i])
			r = add_sum(sums, nodes->of_node[i]);
	return r;
}

/* Of the outermost region a part of its probes is outside. */
static void add_up(const struct nodes *nodes, const struct rarog_probe_ticks *ticks,
		   struct rarog_feature_sum *sum)
{
	uint64_t set = sum->features;

	for (size_t i = 0; i < nodes->n_locations; i++)
		sum->regions += nodes->of_location[i] == set;
	for (size_t i = 1; i < nodes->n; i++) {
		bool is_within = (nodes->of_node[nodes->v[i].parent] & set) == set;

		if ((nodes->of_node[i] & set) != set)
			continue;
		sum->probes += (double)nodes->v[i].count * (is_within ? ticks->call : ticks->self);
		sum->inclusive += nodes->v[i].exclusive;
		if (nodes->of_node[i] == set)
			sum->exclusive += nodes->v[i].exclusive;
		if (!is_within)
			sum->count += nodes->v[i].count;
	}
}

static int heaviest_first(const void *a, const void *b)
{
	const struct rarog_feature_sum *x = a, *y = b;

	if (x->inclusive != y->inclusive)
		return x->inclusive < y->inclusive ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int sum_up(struct rarog_feature_sums *sums, const struct rarog_probe_ticks *ticks,
		  struct nodes *nodes)
{
	int r;

	nodes->of_location = calloc(nodes->n_locations + 1, sizeof(*nodes->of_location));
	nodes->of_node = calloc(nodes->n + 1, sizeof(*nodes->of_node));
	if (!nodes->of_location || !nodes->of_node)
		return rarog_oom();
	r = read_locations(sums, nodes);
	if (r == 0)
		r = read_nodes(sums, nodes);
	for (size_t i = 0; r == 0 && i < sums->list.n; i++)
		add_up(nodes, ticks, &sums->list.v[i]);
	for (size_t i = 1; r == 0 && i < nodes->n; i++) {
		sums->measured += nodes->v[i].exclusive;
		sums->probes += (double)nodes->v[i].count * ticks->call;
	}
	if (r == 0 && sums->list.n > 1)
		qsort(sums->list.v, sums->list.n, sizeof(*sums->list.v), heaviest_first);
	return r;
}

int rarog_feature_sums_read(struct rarog_profile *profile, struct rarog_feature_sums *ret_sums)
{
	rarog_cleanup(nodes_release) struct nodes nodes = { 0 };
	struct rarog_probe_ticks ticks = rarog_run_probe_ticks(profile);
	long n_nodes = rarog_profile_nodes(profile, &nodes.v);
	long n_locations = rarog_profile_locations(profile, &nodes.locations);
	int r;

	*ret_sums = (struct rarog_feature_sums){ .is_compensated = ticks.is_compensated };
	if (n_nodes < 0 || n_locations < 0)
		return (int)(n_nodes < 0 ? n_nodes : n_locations);
	nodes.n = (size_t)n_nodes;
	nodes.n_locations = (size_t)n_locations;
	r = sum_up(ret_sums, &ticks, &nodes);
	if (r == 0 && ret_sums->names.n == 0)
		return rarog_fail(-ENODATA,
				  "%s: no region of a feature was measured; rarog collect features "
				  "measures them",
				  rarog_profile_path(profile));
	return r;
}

/* A thread that was seen only from its first region on is as old as the run at most. */
static uint64_t time_of_threads(const struct rarog_run *run)
{
	uint64_t whole = 0, own = run->end_ticks - run->start_ticks;

	for (size_t i = 0; i < run->n_strands; i++) {
		const struct rarog_strand *strand = &run->strands[i];

		if (strand->end_ticks > strand->start_ticks)
			whole += strand->end_ticks - strand->start_ticks;
	}
	return whole > own ? whole : own;
}

/* What probes took is in no sum of a run that is compensated, so it is not in all of it, either. */
uint64_t rarog_feature_sums_whole(const struct rarog_feature_sums *sums,
				  const struct rarog_run *run)
{
	uint64_t whole = time_of_threads(run), probes = rarog_run_compensation(run->profile);

	if (rarog_run_counts_samples(run->profile))
		return sums->measured;
	return probes < whole ? whole - probes : whole;
}

void rarog_feature_sums_release(struct rarog_feature_sums *sums)
{
	for (size_t i = 0; i < sums->names.n; i++)
		free(sums->names.v[i]);
	for (size_t i = 0; i < sums->list.n; i++)
		free(sums->list.v[i].text);
	rarog_vec_release(&sums->names);
	rarog_vec_release(&sums->list);
}
