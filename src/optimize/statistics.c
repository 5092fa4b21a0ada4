/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/statistics.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/lower-bound.h"
#include "optimize/name-json.h"
#include "profile/measured.h"
#include "profile/statistics.h"

static int by_name(const void *left, const void *right)
{
	const struct rarog_function_statistics *a = left, *b = right;

	return strcmp(a->name, b->name);
}

void rarog_statistics_settle(struct rarog_statistics *statistics)
{
	if (statistics->v.n > 1)
		qsort(statistics->v.v, statistics->v.n, sizeof(*statistics->v.v), by_name);
}

static bool is_named(const struct rarog_statistics *statistics, size_t i, const char *name)
{
	return i < statistics->v.n && strcmp(statistics->v.v[i].name, name) == 0;
}

/* The first of that name. */
static size_t first_of(const struct rarog_statistics *statistics, const char *name)
{
	const struct rarog_function_statistics *v = statistics->v.v;

	return rarog_lower_bound(k, statistics->v.n, strcmp(v[k].name, name) < 0);
}

static bool has(const struct rarog_statistics *statistics, const char *name)
{
	return is_named(statistics, first_of(statistics, name), name);
}

const struct rarog_function_statistics *rarog_statistics_find(
	const struct rarog_statistics *statistics, const char *name)
{
	size_t i = first_of(statistics, name);

	return is_named(statistics, i, name) && !is_named(statistics, i + 1, name)
		       ? &statistics->v.v[i]
		       : NULL;
}

/* --- from a profile --- */

static bool is_of(const struct rarog_location *l, const struct rarog_profile_binary binaries[],
		  long n_binaries, const char *path)
{
	return l->name && l->binary < (uint64_t)n_binaries &&
	       strcmp(binaries[l->binary].path, path) == 0;
}

static void row_release(struct rarog_function_statistics *f)
{
	free(f->name);
	free(f->digest);
	free(f->machine);
}

static int copy_row(const struct rarog_function_statistics *f, const char *name,
		    struct rarog_function_statistics *ret_copy)
{
	struct rarog_function_statistics copy = *f;

	copy.name = strdup(name);
	copy.digest = f->digest ? strdup(f->digest) : NULL;
	copy.machine = f->machine ? strdup(f->machine) : NULL;
	if (copy.name && (copy.digest || !f->digest) && (copy.machine || !f->machine)) {
		*ret_copy = copy;
		return 0;
	}
	row_release(&copy);
	return rarog_oom();
}

static int add(struct rarog_statistics *statistics, const struct rarog_function_statistics *f,
	       const char *name)
{
	struct rarog_function_statistics copy;
	int r = copy_row(f, name, &copy);

	if (r < 0 || rarog_vec_push(&statistics->v, copy) == 0)
		return r;
	row_release(&copy);
	return rarog_oom();
}

static int add_summary(struct rarog_statistics *statistics, const struct rarog_clock *clock,
		       const struct rarog_summary *s, bool was_off, const char *name)
{
	double ns = 1e9 / (double)clock->hz;
	const struct rarog_function_statistics f = {
		.count = s->count,
		.sampled = s->timed,
		.every = s->timed > 0 && s->timed < s->count
				 ? (uint32_t)((s->count + s->timed - 1) / s->timed)
				 : 1,
		.total_ns = ns * (double)s->total,
		.min_ns = ns * (double)s->min,
		.max_ns = ns * (double)s->max,
		.q1_ns = ns * (double)rarog_summary_quantile(s, 0.25),
		.median_ns = ns * (double)rarog_summary_quantile(s, 0.5),
		.q3_ns = ns * (double)rarog_summary_quantile(s, 0.75),
		.has_quartiles = s->n_buckets > 0 && !was_off, /* else of the beginning only */
	};

	return add(statistics, &f, name);
}

static int read_all(struct rarog_statistics *statistics, struct rarog_profile *profile,
		    const struct rarog_measured_table *measured, const char *path)
{
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n_locations = rarog_profile_locations(profile, &locations);
	long n = rarog_profile_summaries(profile, &summaries);
	int r = 0;

	if (n_binaries < 0 || n_locations < 0 || n < 0)
		return -EBADMSG;
	for (long i = 0; r == 0 && i < n; i++) {
		const struct rarog_location *l = &locations[summaries[i].location];

		if (summaries[i].strand == RAROG_NONE && summaries[i].count > 0 &&
		    is_of(l, binaries, n_binaries, path))
			r = add_summary(statistics, rarog_profile_clock(profile), &summaries[i],
					measured->how[summaries[i].location] == RAROG_HOW_OFF,
					l->name);
	}
	rarog_statistics_settle(statistics);
	return r;
}

int rarog_statistics_read(struct rarog_statistics *statistics, struct rarog_profile *profile,
			  const char *path)
{
	struct rarog_measured_table measured;
	int r = rarog_measured_table_load(profile, &measured);

	if (r == 0)
		r = read_all(statistics, profile, &measured, path);
	rarog_measured_table_release(&measured);
	return r;
}

/* What has a probe has a location; what has one and had no probe has a row that says so. */
static int add_uncalled(struct rarog_statistics *statistics, struct rarog_profile *profile,
			const struct rarog_measured_table *measured, const char *path)
{
	const struct rarog_function_statistics none = { .every = 1 };
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n = rarog_profile_locations(profile, &locations);
	struct rarog_statistics uncalled = { 0 };
	int r = n_binaries < 0 || n < 0 ? -EBADMSG : 0;

	for (long i = 0; r == 0 && i < n; i++)
		if (locations[i].kind == RAROG_LOCATION_FUNCTION &&
		    rarog_how_is_known(measured->how[i]) &&
		    is_of(&locations[i], binaries, n_binaries, path) &&
		    !has(statistics, locations[i].name))
			r = add(&uncalled, &none, locations[i].name);
	for (size_t i = 0; r == 0 && i < uncalled.v.n; i++)
		r = add(statistics, &none, uncalled.v.v[i].name);
	rarog_statistics_settle(statistics);
	rarog_statistics_release(&uncalled);
	return r;
}

int rarog_statistics_add_uncalled(struct rarog_statistics *statistics,
				  struct rarog_profile *profile, const char *path)
{
	struct rarog_measured_table measured;
	int r = rarog_measured_table_load(profile, &measured);

	if (r == 0)
		r = add_uncalled(statistics, profile, &measured, path);
	rarog_measured_table_release(&measured);
	return r;
}

int rarog_statistics_stamp(struct rarog_statistics *statistics, const char *digest,
			   const char *machine)
{
	for (size_t i = 0; i < statistics->v.n; i++) {
		struct rarog_function_statistics *f = &statistics->v.v[i];

		free(f->digest);
		free(f->machine);
		f->digest = strdup(digest);
		f->machine = strdup(machine);
		if (!f->digest || !f->machine)
			return rarog_oom();
	}
	return 0;
}

void rarog_statistics_localise(struct rarog_statistics *statistics, const char *machine)
{
	for (size_t i = 0; i < statistics->v.n; i++) {
		struct rarog_function_statistics *f = &statistics->v.v[i];

		if (f->sampled == 0 || (f->machine && strcmp(f->machine, machine) == 0))
			continue;
		f->total_ns = f->min_ns = f->max_ns = f->q1_ns = f->median_ns = f->q3_ns = 0;
		f->has_quartiles = false;
		statistics->lacks_times = true;
	}
}

/* The newest run in which it was called tells most. */
static int prefer_called(struct rarog_statistics *statistics,
			 const struct rarog_function_statistics *older)
{
	struct rarog_function_statistics *v = statistics->v.v;
	size_t i = first_of(statistics, older->name);
	struct rarog_function_statistics copy;
	int r;

	if (v[i].count > 0 || older->count == 0)
		return 0;
	r = copy_row(older, older->name, &copy);
	if (r < 0)
		return r;
	row_release(&v[i]);
	v[i] = copy;
	return 0;
}

int rarog_statistics_carry(struct rarog_statistics *statistics,
			   const struct rarog_statistics *older)
{
	struct rarog_statistics carried = { 0 };
	int r = 0;

	statistics->runs = older->runs + 1;
	for (size_t i = 0; r == 0 && i < older->v.n; i++) {
		struct rarog_function_statistics f = older->v.v[i];

		f.age++;
		if (has(statistics, f.name))
			r = prefer_called(statistics, &f);
		else
			r = add(&carried, &f, f.name);
	}
	for (size_t i = 0; r == 0 && i < carried.v.n; i++)
		r = add(statistics, &carried.v.v[i], carried.v.v[i].name);
	rarog_statistics_settle(statistics);
	rarog_statistics_release(&carried);
	return r;
}

/* --- as bytes --- */

/* The mean and the IQR are for other readers. */
static json_t *to_json(const struct rarog_function_statistics *f)
{
	double mean = f->sampled > 0 ? f->total_ns / (double)f->sampled : 0;
	json_t *row = json_pack("{s:o, s:I, s:I, s:i, s:f, s:f, s:f, s:f, s:i}", "name",
				rarog_name_pack(f->name), "count", (json_int_t)f->count, "sampled",
				(json_int_t)f->sampled, "every", (int)f->every, "total_ns",
				f->total_ns, "min_ns", f->min_ns, "max_ns", f->max_ns, "mean_ns",
				mean, "age", (int)f->age);

	if (row && f->digest)
		json_object_set_new(row, "digest", json_string(f->digest));
	if (row && f->machine)
		json_object_set_new(row, "machine", json_string(f->machine));
	if (row && f->has_quartiles) {
		json_object_set_new(row, "quartiles_ns",
				    json_pack("[f, f, f]", f->q1_ns, f->median_ns, f->q3_ns));
		json_object_set_new(row, "iqr_ns", json_real(f->q3_ns - f->q1_ns));
	}
	return row;
}

json_t *rarog_statistics_pack(const struct rarog_statistics *statistics)
{
	json_t *rows = json_array();

	for (size_t i = 0; rows && i < statistics->v.n; i++) {
		json_t *row = to_json(&statistics->v.v[i]);

		if (row)
			json_array_append_new(rows, row);
	}
	return rows;
}

/* @of_file: of what was kept before each function had its own. */
static int add_row(struct rarog_statistics *statistics, json_t *row, json_t *of_file)
{
	rarog_cleanup(rarog_str_release) struct rarog_str scratch = { 0 };
	struct rarog_function_statistics f = { 0 };
	json_int_t count, sampled;
	int every, age;
	const char *name = rarog_name_unpack(json_object_get(row, "name"), &scratch);
	json_t *own = json_object_get(row, "digest"), *machine = json_object_get(row, "machine");

	if (!name ||
	    json_unpack(row, "{s:I, s:I, s:i, s:F, s:F, s:F, s:i}", "count", &count, "sampled",
			&sampled, "every", &every, "total_ns", &f.total_ns, "min_ns", &f.min_ns,
			"max_ns", &f.max_ns, "age", &age) < 0 ||
	    every < 1 || count < 0 || sampled < 0 || age < 0)
		return -EBADMSG;
	f.count = (uint64_t)count;
	f.sampled = (uint64_t)sampled;
	f.every = (uint32_t)every;
	f.age = (uint32_t)age;
	f.digest = (char *)(uintptr_t)json_string_value(own ? own : of_file); /* add() copies */
	f.machine = (char *)(uintptr_t)json_string_value(machine);
	f.has_quartiles = json_unpack(row, "{s:[F, F, F]}", "quartiles_ns", &f.q1_ns, &f.median_ns,
				      &f.q3_ns) == 0;
	return add(statistics, &f, name);
}

int rarog_statistics_unpack(size_t n, const char *bytes, struct rarog_statistics *ret_statistics)
{
	rarog_cleanup(rarog_statistics_release) struct rarog_statistics statistics = { 0 };
	json_t *all = json_loadb(bytes, n, 0, NULL), *rows = json_object_get(all, "functions");
	int r = json_is_array(rows) ? 0 : -EBADMSG;

	statistics.runs = (uint32_t)json_integer_value(json_object_get(all, "runs"));
	for (size_t i = 0; r == 0 && i < json_array_size(rows); i++)
		r = add_row(&statistics, json_array_get(rows, i), json_object_get(all, "digest"));
	json_decref(all);
	if (r < 0)
		return r;
	rarog_statistics_settle(&statistics);
	*ret_statistics = rarog_take_struct(statistics);
	return 0;
}

void rarog_statistics_release(struct rarog_statistics *statistics)
{
	for (size_t i = 0; i < statistics->v.n; i++)
		row_release(&statistics->v.v[i]);
	rarog_vec_release(&statistics->v);
}
