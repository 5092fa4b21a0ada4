/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/features.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "view/feature-pairs.h"
#include "view/feature-probes.h"
#include "view/html/columns.h"

static void write_known(struct rarog_json *json, bool is_known, uint64_t number)
{
	if (is_known)
		rarog_json_uint(json, NULL, number);
	else
		rarog_json_null(json, NULL);
}

static void write_sums(const struct rarog_run *run, const struct rarog_feature_sums *sums,
		       struct rarog_json *json)
{
	const struct rarog_feature_sum *v = sums->list.v;
	bool has_counts = !rarog_run_counts_samples(run->profile);
	rarog_cleanup(rarog_freep) char *note = rarog_feature_probes_say(sums, run);
	size_t n = sums->list.n;

	rarog_json_object(json, "features");
	rarog_json_uint(json, "whole", rarog_feature_sums_whole(sums, run));
	rarog_json_string(json, "note", note ? note : "");
	RAROG_COLUMN(json, "name", n, i, rarog_json_string(json, NULL, v[i].text));
	RAROG_COLUMN(json, "regions", n, i, rarog_json_uint(json, NULL, v[i].regions));
	RAROG_COLUMN(json, "count", n, i, write_known(json, has_counts, v[i].count));
	RAROG_COLUMN(json, "inclusive", n, i, rarog_json_uint(json, NULL, v[i].inclusive));
	RAROG_COLUMN(json, "exclusive", n, i, rarog_json_uint(json, NULL, v[i].exclusive));
	rarog_json_end_object(json);
}

/* The terminal says of more features than that. */
static int read_sums(struct rarog_profile *profile, struct rarog_feature_sums *sums)
{
	int r = rarog_feature_sums_are_in(profile) ? rarog_feature_sums_read(profile, sums) : 0;

	if (r != -E2BIG)
		return r;
	rarog_error_clear();
	return 0;
}

int rarog_html_features_write(const struct rarog_run *run, struct rarog_json *json)
{
	rarog_cleanup(rarog_feature_sums_release) struct rarog_feature_sums sums = { 0 };
	int r = read_sums(run->profile, &sums);

	if (r == 0 && sums.list.n > 0)
		write_sums(run, &sums, json);
	else if (r == 0)
		rarog_json_null(json, "features");
	return r;
}

/* --- of two runs --- */

static void write_side(struct rarog_json *json, const char *key,
		       const struct rarog_feature_pairs *pairs, size_t side)
{
	const struct rarog_feature_pair *v = pairs->list.v;
	size_t n = pairs->list.n;

#define OF(i, what) write_known(json, v[i].sides[side].is_there, v[i].sides[side].what)
	rarog_json_object(json, key);
	RAROG_COLUMN(json, "regions", n, i, rarog_json_uint(json, NULL, v[i].sides[side].regions));
	RAROG_COLUMN(json, "count", n, i, OF(i, count));
	RAROG_COLUMN(json, "inclusive", n, i, OF(i, total_ns));
	RAROG_COLUMN(json, "exclusive", n, i, OF(i, exclusive_ns));
	rarog_json_end_object(json);
#undef OF
}

static void write_pairs(struct rarog_json *json, const char *key,
			const struct rarog_feature_pairs *pairs)
{
	rarog_json_object(json, key);
	RAROG_COLUMN(json, "name", pairs->list.n, i,
		     rarog_json_string(json, NULL, pairs->list.v[i].text));
	write_side(json, "before", pairs, 0);
	write_side(json, "now", pairs, 1);
	rarog_json_end_object(json);
}

int rarog_html_features_compare(struct rarog_profile *const profiles[2], struct rarog_json *json)
{
	rarog_cleanup(rarog_feature_pairs_release) struct rarog_feature_pairs sets = { 0 };
	rarog_cleanup(rarog_feature_pairs_release) struct rarog_feature_pairs regions = { 0 };
	bool are_there =
		rarog_feature_sums_are_in(profiles[0]) && rarog_feature_sums_are_in(profiles[1]);
	int r = are_there ? rarog_feature_pairs_sets(profiles, &sets) : -E2BIG;

	if (r == 0)
		r = rarog_feature_pairs_regions(profiles, &regions);
	if (r == -E2BIG) {
		rarog_error_clear();
		rarog_json_null(json, "features");
		return 0;
	}
	if (r < 0)
		return r;
	rarog_json_object(json, "features");
	write_pairs(json, "sets", &sets);
	write_pairs(json, "regions", &regions);
	rarog_json_end_object(json);
	return 0;
}
