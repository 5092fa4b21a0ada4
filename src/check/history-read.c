/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the tip back along first parents until what is known begins; then forward, version by
 * version, profile by profile.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "check/history-reading.h"
#include "num/quantile.h"
#include "store/record.h"

static void reading_release(struct rarog_history_reading *reading)
{
	for (size_t i = 0; i < reading->names.n; i++)
		free(reading->names.v[i]);
	rarog_vec_release(&reading->names);
	rarog_vec_release(&reading->found);
	rarog_vec_release(&reading->runs);
}

/* --- one version --- */

static int compare(const void *a, const void *b)
{
	const struct rarog_history_amount *x = a, *y = b;

#define BY(member)                                                                                 \
	if (x->member != y->member)                                                                \
	return x->member < y->member ? -1 : 1
	BY(group);
	BY(which);
	BY(row);
	BY(run);
#undef BY
	return 0;
}

/* One series in one version. */
struct typical {
	double value; /* median of the runs that know it */
	double low, high;
	size_t runs;
	bool is_known;
	bool agrees; /* there were several, of the same value */
};

/* Did @run leave the function of @amount out? Then its calls are noted, and unknown. */
static bool is_left_out(const struct rarog_history_reading *reading,
			const struct rarog_history_amount *amount, size_t run)
{
	struct rarog_history_group *group = &reading->history->groups.v[amount->group];
	const struct rarog_history_row *row = &group->rows.v[amount->row];
	struct rarog_history_amount key = { amount->group, amount->row, 1, run, 0 };
	const struct rarog_history_amount *calls;

	if (group->is_blocks || group->is_samples || !*row->name)
		return false;
	if (row->set != 0) {
		row = rarog_history_row(group, row->binary, row->name, 0);
		key.row = row ? (size_t)(row - group->rows.v) : SIZE_MAX;
	}
	calls = bsearch(&key, reading->found.v, reading->found.n, sizeof(key), compare);
	return calls && isnan(calls->value);
}

/* Those of one series, found[0 … n-1]: sums by run (a function can have several rows in a profile),
 * their median. A run without it had none of it, unless it left the function out; of that, and of
 * one with NAN, it is not known. */
static int typical(const struct rarog_history_reading *reading, size_t n,
		   const struct rarog_history_amount found[], struct typical *ret_typical)
{
	size_t runs = reading->runs.v[found->group], known = 0, at = 0;
	rarog_cleanup(rarog_freep) double *by_run = calloc(runs, sizeof(*by_run));

	if (!by_run)
		return rarog_oom();
	for (size_t run = 0; run < runs; run++) {
		double sum = 0;

		if ((at == n || found[at].run != run) && is_left_out(reading, found, run))
			continue;
		for (; at < n && found[at].run == run; at++)
			sum += found[at].value;
		if (!isnan(sum))
			by_run[known++] = sum;
	}
	*ret_typical = (struct typical){ .low = INFINITY,
					 .high = -INFINITY,
					 .runs = known,
					 .is_known = known > 0,
					 .agrees = known > 1 };
	for (size_t i = 0; i < known; i++) {
		ret_typical->low = fmin(ret_typical->low, by_run[i]);
		ret_typical->high = fmax(ret_typical->high, by_run[i]);
		ret_typical->agrees &= by_run[i] == by_run[0];
	}
	return known > 0 ? rarog_median(known, by_run, &ret_typical->value) : 0;
}

static int keep_value(struct rarog_history_row *row, size_t which, uint32_t version,
		      const struct typical *typical)
{
	const struct rarog_history_value value = { version, (uint32_t)typical->runs, typical->value,
						   typical->low, typical->high };

	return rarog_vec_push(&row->values[which], value) < 0 ? rarog_oom() : 0;
}

static int add_typical(const struct rarog_history_reading *reading, struct rarog_history_row *row,
		       size_t which, uint32_t version, const struct typical *typical)
{
	struct rarog_series *series = &row->series[which];

	if (reading->history->keeps_values && keep_value(row, which, version, typical) < 0)
		return -ENOMEM;
	if (typical->runs == 1)
		return rarog_series_add(series, version, typical->value);
	return rarog_series_add_several(series, version, typical->value, typical->agrees);
}

static int add_total(struct rarog_history_reading *reading,
		     const struct rarog_history_amount *first, double value, uint32_t version)
{
	struct rarog_history_group *group = &reading->history->groups.v[first->group];
	size_t n = group->totals.n;

	if (first->which != 0 || !*group->rows.v[first->row].name)
		return 0;
	if (n > 0 && group->totals.v[n - 1].version == version) {
		group->totals.v[n - 1].value += value;
		return 0;
	}
	return rarog_vec_push(&group->totals, (struct rarog_series_value){ value, version }) < 0
		       ? rarog_oom()
		       : 0;
}

/* Which series of a group counts what happened: a version that is not in it had none of it. */
static size_t counted(const struct rarog_history_group *group)
{
	return group->is_blocks ? 0 : 1;
}

/* Of blocks all functions are counted, of calls all that were not left out: one that does not run
 * executes none. A function that is new had none in the version that was measured before. */
static int begin_row(const struct rarog_history_reading *reading,
		     const struct rarog_history_group *group, struct rarog_history_row *row,
		     size_t which, uint32_t version)
{
	const struct typical none = { .is_known = true, .agrees = true };
	size_t n = group->totals.n;

	while (n > 0 && group->totals.v[n - 1].version >= version)
		n--;
	if (group->is_samples || which != counted(group) || !*row->name ||
	    row->series[which].n > 0 || row->left_out > 0 || n == 0)
		return 0;
	return add_typical(reading, row, which, group->totals.v[n - 1].version, &none);
}

/* Nor has one that is gone any from here on. */
static int end_row(struct rarog_history_reading *reading, size_t g, struct rarog_history_row *row,
		   uint32_t version)
{
	const struct typical none = { .runs = reading->runs.v[g],
				      .is_known = true,
				      .agrees = reading->runs.v[g] > 1 };
	size_t which = counted(&reading->history->groups.v[g]);
	const struct rarog_series *series = &row->series[which];

	if (!*row->name || series->n == 0 || row->left_out == version + 1 ||
	    series->values.v[series->values.n - 1].version == version)
		return 0;
	return add_typical(reading, row, which, version, &none);
}

static int end_groups(struct rarog_history_reading *reading, uint32_t version)
{
	int r = 0;

	for (size_t g = 0; r == 0 && g < reading->runs.n; g++) {
		struct rarog_history_group *group = &reading->history->groups.v[g];

		if (reading->runs.v[g] == 0 || group->is_samples)
			continue;
		for (size_t i = 0; r == 0 && i < group->rows.n; i++)
			r = end_row(reading, g, &group->rows.v[i], version);
	}
	return r;
}

static int add_amounts(struct rarog_history_reading *reading, uint32_t version)
{
	struct rarog_history_amount *v = reading->found.v;
	size_t n = reading->found.n, end;
	int r = 0;

	if (n > 0)
		qsort(v, n, sizeof(*v), compare);
	for (size_t i = 0; r == 0 && i < n; i = end) {
		struct rarog_history_group *group = &reading->history->groups.v[v[i].group];
		struct typical of = { 0 };
		struct rarog_history_row *row;

		for (end = i; end < n && v[end].group == v[i].group && v[end].row == v[i].row &&
			      v[end].which == v[i].which;)
			end++;
		r = typical(reading, end - i, v + i, &of);
		row = &group->rows.v[v[i].row];
		if (r == 0 && of.is_known)
			r = add_total(reading, &v[i], of.value, version);
		if (r == 0 && of.is_known)
			r = begin_row(reading, group, row, v[i].which, version);
		if (r == 0 && of.is_known)
			r = add_typical(reading, row, v[i].which, version, &of);
		if (!of.is_known && v[i].which == counted(group))
			row->left_out = version + 1;
	}
	return r < 0 ? r : end_groups(reading, version);
}

static int collect_record(const struct rarog_record *record, void *user)
{
	return rarog_history_read_profile(record, user);
}

static int read_version(struct rarog_history_reading *reading, const char *name)
{
	const struct rarog_record_filter filter = { .version = name, .clean_only = true };
	struct rarog_history *history = reading->history;
	char *copy;
	int r;

	reading->found.n = 0;
	for (size_t i = 0; i < reading->runs.n; i++)
		reading->runs.v[i] = 0;
	r = rarog_record_each(reading->store, &filter, collect_record, reading);
	if (r < 0 || reading->found.n == 0)
		return r;
	copy = strdup(name);
	if (!copy || rarog_vec_push(&history->versions, copy) < 0) {
		free(copy);
		return rarog_oom();
	}
	return add_amounts(reading, (uint32_t)history->versions.n - 1);
}

/* --- the line --- */

#define MET   1
#define TRIES 2 /* the second one knows all calls */

static int visit(const struct rarog_commit *commit, void *user)
{
	struct rarog_history_reading *reading = user;
	char *name;

	if (reading->history->tip && strcmp(reading->history->tip, commit->name) == 0) {
		reading->has_met = true;
		return MET;
	}
	name = strdup(commit->name);
	if (!name || rarog_vec_push(&reading->names, name) < 0) {
		free(name);
		return rarog_oom();
	}
	return 0;
}

static int walk(struct rarog_history_reading *reading, struct rarog_vcs *vcs, const char *tip)
{
	const struct rarog_walk how = { .n_from = 1, .from = &tip, .first_parent = true };
	int r = rarog_vcs_walk(vcs, &how, visit, reading);

	return r < 0 ? r : 0;
}

static int read_versions(struct rarog_history_reading *reading)
{
	int r = 0;

	for (size_t i = reading->names.n; r == 0 && i-- > 0;)
		r = read_version(reading, reading->names.v[i]);
	return r;
}

static int add_seal(const struct rarog_record *record, void *user)
{
	uint64_t *seal = user;

	*seal += rarog_history_seal(record);
	return 0;
}

/* Bring @history, which may be empty, up to @tip. 1; 0 it does not belong to this line, or profiles
 * were added or removed in what is known. */
static int bring_up(struct rarog_history_reading *reading, struct rarog_vcs *vcs, const char *tip)
{
	const struct rarog_record_filter clean = { .clean_only = true };
	struct rarog_history *history = reading->history;
	bool is_new = !history->tip;
	uint64_t had = history->profiles;
	uint64_t seal = 0;
	int r = rarog_record_each(reading->store, &clean, add_seal, &seal);

	if (r == 0)
		r = walk(reading, vcs, tip);

	if (r == 0 && !is_new && !reading->has_met)
		return 0;
	if (r == 0)
		r = read_versions(reading);
	if (r < 0 || history->calls.is_stale)
		return r;
	if (!is_new && seal != history->seal)
		return 0;
	history->seal = seal;
	history->is_changed = is_new || history->profiles != had || reading->names.n > 0;
	free(history->tip);
	history->tip = strdup(tip);
	return history->tip ? 1 : rarog_oom();
}

/* Empty, but for what is known of calls: with them the same profiles are read to the end. */
static void begin_anew(struct rarog_history *history)
{
	struct rarog_history_calls calls = rarog_take_struct(history->calls);
	bool keeps_values = history->keeps_values;

	rarog_history_release(history);
	calls.is_stale = false;
	*history = (struct rarog_history){ .calls = calls, .keeps_values = keeps_values };
}

static int try(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip,
	       void (*progress)(uint64_t done, void *user), void *user,
	       struct rarog_history *history)
{
	rarog_cleanup(reading_release) struct rarog_history_reading reading = {
		.store = store, .history = history, .progress = progress, .user = user
	};

	return bring_up(&reading, vcs, tip);
}

static int fail_empty(void)
{
	return rarog_fail(-ENODATA, "no version of this history has profiles; make some: "
				    "rarog run --commit=REV..");
}

int rarog_history_read(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip, bool keep,
		       void (*progress)(uint64_t done, void *user), void *user,
		       struct rarog_history *ret_history)
{
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	rarog_cleanup(rarog_freep) char *folder = NULL;
	rarog_cleanup(rarog_freep) char *path = NULL;
	int r = rarog_store_place(store, RAROG_PLACE_HISTORY, &folder);

	if (r < 0)
		return r;
	path = rarog_asprintf("%s/changes", folder);
	r = path ? rarog_history_load(path, &history) : rarog_oom();
	if (r == 1)
		r = try(store, vcs, tip, progress, user, &history);
	for (int i = 0; r == 0 && i < TRIES; i++) {
		begin_anew(&history);
		r = try(store, vcs, tip, progress, user, &history);
	}
	if (r < 0)
		return r;
	if (history.versions.n == 0)
		return fail_empty();
	if (keep && history.is_changed && !rarog_store_is_read_only(store))
		r = rarog_history_save(&history, path);
	*ret_history = rarog_take_struct(history);
	return r < 0 ? r : 0;
}

int rarog_history_read_values(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip,
			      void (*progress)(uint64_t done, void *user), void *user,
			      struct rarog_history *ret_history)
{
	rarog_cleanup(rarog_history_release) struct rarog_history history = { .keeps_values =
										      true };
	int r = try(store, vcs, tip, progress, user, &history);

	for (int i = 0; r == 0 && i < TRIES; i++) {
		begin_anew(&history);
		r = try(store, vcs, tip, progress, user, &history);
	}
	if (r < 0)
		return r;
	if (history.versions.n == 0)
		return fail_empty();
	*ret_history = rarog_take_struct(history);
	return 0;
}
