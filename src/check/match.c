/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/short-name.h"
#include "check/alike.h"
#include "check/function-name.h"

#define LIKE_SIZE 0.2 /* of a renamed function's code: at most so much more or less */
#define LIKE_LINE 50  /* of one that is called once, and so looks like any other */

/* --- orders: equal means matched, as far as a pass is concerned --- */

static int compare_part(const char *a, size_t na, const char *b, size_t nb)
{
	int r = memcmp(a, b, na < nb ? na : nb);

	return r ? r : (na > nb) - (na < nb);
}

/* Equals nothing of the other side. */
static int by_place(const struct rarog_entry *a, const struct rarog_entry *b)
{
	return (a > b) - (a < b);
}

static int by_name(const struct rarog_entry *a, const struct rarog_entry *b)
{
	if (a->is_renumbered != b->is_renumbered)
		return a->is_renumbered ? 1 : -1;
	if (a->is_renumbered)
		return by_place(a, b);
	return compare_part(a->form.mangled, rarog_name_length(a->form.mangled), b->form.mangled,
			    rarog_name_length(b->form.mangled));
}

static int by_binary(const struct rarog_entry *a, const struct rarog_entry *b)
{
	const char *x = rarog_file_name(a->form.binary), *y = rarog_file_name(b->form.binary);

	return compare_part(x, rarog_binary_length(x), y, rarog_binary_length(y));
}

static int by_file(const struct rarog_entry *a, const struct rarog_entry *b)
{
	return strcmp(rarog_file_name(a->form.file), rarog_file_name(b->form.file));
}

int rarog_entry_by_name(const struct rarog_entry *a, const struct rarog_entry *b)
{
	int r = by_name(a, b);

	return r ? r : by_binary(a, b);
}

static int by_name_binary_file(const struct rarog_entry *a, const struct rarog_entry *b)
{
	int r = rarog_entry_by_name(a, b);

	return r ? r : by_file(a, b);
}

static int by_family(const struct rarog_entry *a, const struct rarog_entry *b)
{
	int r;

	if (!a->family || !b->family)
		return a->family ? 1 : b->family ? -1 : by_place(a, b);
	r = strcmp(a->family, b->family);
	r = r ? r : by_binary(a, b);
	return r ? r : by_file(a, b);
}

/* Lambdas and the like: as much code, as often called. */
static int by_body(const struct rarog_entry *a, const struct rarog_entry *b)
{
	int r = by_family(a, b);

	if (r == 0 && (a->form.size == 0 || a->form.size != b->form.size))
		return a->form.size != b->form.size ? (a->form.size > b->form.size ? 1 : -1)
						    : by_place(a, b);
	if (r == 0 && isnan(a->calls) != isnan(b->calls))
		return isnan(a->calls) ? 1 : -1;
	return r || isnan(a->calls) ? r : (a->calls > b->calls) - (a->calls < b->calls);
}

/* The same function with other parameters. */
static int by_base_file(const struct rarog_entry *a, const struct rarog_entry *b)
{
	if (a->is_renumbered != b->is_renumbered)
		return a->is_renumbered ? 1 : -1;
	if (a->is_renumbered)
		return by_place(a, b);
	int r = strcmp(a->short_name, b->short_name);

	return r ? r : by_file(a, b);
}

/* As often called, from the same file. Numbers that vary equal nothing. */
static int by_calls_file(const struct rarog_entry *a, const struct rarog_entry *b)
{
	int r = by_binary(a, b);

	r = r ? r : by_file(a, b);
	if (r)
		return r;
	if (isnan(a->calls) || isnan(b->calls))
		return isnan(a->calls) == isnan(b->calls) ? (a > b) - (a < b)
		       : isnan(a->calls)                  ? 1
							  : -1;
	return (a->calls > b->calls) - (a->calls < b->calls);
}

static bool is_renamed(const struct rarog_entry *a, const struct rarog_entry *b)
{
	double x = (double)a->form.size, y = (double)b->form.size;
	long lines = labs((long)a->form.line - (long)b->form.line);

	if (a->may_be_unknown || b->may_be_unknown)
		return false;
	if (!(a->calls > 0) || fabs(x - y) > LIKE_SIZE * fmax(x, y))
		return false;
	return a->calls > 1 || (a->form.line && b->form.line && lines <= LIKE_LINE);
}

static const struct pass {
	int (*compare)(const struct rarog_entry *a, const struct rarog_entry *b);
	bool (*verify)(const struct rarog_entry *a, const struct rarog_entry *b);
	const char *word;  /* NULL: nothing to say */
	bool is_by_counts; /* not where control flow is known */
} passes[] = {
	{ by_body, NULL, "renumbered" },
	{ by_name_binary_file, NULL, NULL },
	{ rarog_entry_by_name, NULL, "moved" },
	{ by_name, NULL, "moved" },
	{ by_base_file, NULL, "other parameters" },
	{ by_calls_file, is_renamed, "renamed", true },
};

/* --- the functions of one side --- */

struct found {
	struct rarog_entry entry;
	size_t run, location;
};

struct founds {
	RAROG_VEC(struct found) list;
};

static void founds_release(struct founds *founds)
{
	rarog_vec_release(&founds->list);
}

static struct rarog_row_form form_of(const struct rarog_location *location, long n_binaries,
				     const struct rarog_profile_binary *binaries)
{
	return (struct rarog_row_form){
		.mangled = location->name ? location->name : "",
		.name = location->demangled ? location->demangled
			: location->name    ? location->name
					    : "",
		.binary = (long)location->binary < n_binaries ? binaries[location->binary].path
							      : NULL,
		.file = location->file,
		.line = location->line,
		.size = location->size,
	};
}

/* @summaries of samples say nothing of calls. */
static void find_calls(const struct rarog_side_run *of, size_t n_summaries,
		       const struct rarog_summary summaries[n_summaries], size_t n,
		       struct found founds[n])
{
	for (size_t i = 0; i < n_summaries; i++)
		if (summaries[i].strand == RAROG_NONE && summaries[i].location < (uint32_t)n)
			founds[summaries[i].location].entry.calls +=
				of->counts_samples ? NAN : (double)summaries[i].count;
}

static int find_in_run(const struct rarog_side_run *of, size_t run, struct founds *founds,
		       uint32_t **ret_of)
{
	struct rarog_profile *profile = of->profile;
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n = rarog_profile_locations(profile, &locations);
	long n_summaries = rarog_profile_summaries(profile, &summaries);
	size_t first = founds->list.n;

	if (n_binaries < 0 || n < 0 || n_summaries < 0)
		return (int)(n_binaries < 0 ? n_binaries : n < 0 ? n : n_summaries);
	*ret_of = calloc((size_t)n + 1, sizeof(**ret_of));
	if (!*ret_of || rarog_vec_reserve(&founds->list, first + (size_t)n) < 0)
		return rarog_oom();
	for (long i = 0; i < n; i++)
		founds->list.v[founds->list.n++] = (struct found){
			.entry.form = form_of(&locations[i], n_binaries, binaries),
			.run = run,
			.location = (size_t)i,
		};
	if (n > 0)
		find_calls(of, (size_t)n_summaries, summaries, (size_t)n, founds->list.v + first);
	return 0;
}

/* Of equal names, in the order of runs. */
static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int r = by_name_binary_file(&x->entry, &y->entry);

	r = r ? r : (x->run > y->run) - (x->run < y->run);
	return r ? r : (x->location > y->location) - (x->location < y->location);
}

/* founds[n] are one function: calls a run, if that is a number. */
static double calls_of(size_t n, const struct found founds[], size_t n_runs)
{
	double calls = NAN;
	size_t runs = 0;

	for (size_t i = 0; i < n; runs++) {
		double sum = 0;
		size_t run = founds[i].run;

		for (; i < n && founds[i].run == run; i++)
			sum += founds[i].entry.calls;
		if (runs > 0 && sum != calls)
			return NAN;
		calls = sum;
	}
	return runs == n_runs ? calls : NAN;
}

static int add_entry(struct rarog_entries *entries, struct rarog_entry entry)
{
	struct rarog_str name = { 0 };

	if (rarog_short_name_add(&name, entry.form.name, "") < 0)
		return -ENOMEM;
	entry.short_name = rarog_str_take(&name);
	errno = 0;
	entry.family = rarog_name_family(entry.form.name);
	if (!entry.family && errno == ENOMEM) {
		free(entry.short_name);
		return -ENOMEM;
	}
	if (entry.short_name && rarog_vec_push(&entries->list, entry) == 0)
		return 0;
	free(entry.short_name);
	free(entry.family);
	return -ENOMEM;
}

static int make_entries(struct founds *founds, size_t n_runs, struct rarog_entries *entries)
{
	struct found *all = founds->list.v;
	size_t n = founds->list.n;

	if (n > 1)
		qsort(all, n, sizeof(*all), compare_found);
	for (size_t i = 0, end; i < n; i = end) {
		struct rarog_entry entry = all[i].entry;

		for (end = i; end < n && by_name_binary_file(&all[i].entry, &all[end].entry) == 0;
		     end++)
			entries->of.v[all[end].run][all[end].location] = (uint32_t)entries->list.n;
		entry.calls = calls_of(end - i, all + i, n_runs);
		if (add_entry(entries, entry) < 0)
			return rarog_oom();
	}
	return 0;
}

int rarog_entries_read(const struct rarog_side *side, struct rarog_entries *ret_entries)
{
	rarog_cleanup(founds_release) struct founds founds = { 0 };
	int r = 0;

	*ret_entries = (struct rarog_entries){ 0 };
	for (size_t i = 0; r == 0 && i < side->runs.n; i++) {
		r = rarog_vec_push(&ret_entries->of, NULL) < 0 ? rarog_oom() : 0;
		if (r == 0)
			r = find_in_run(&side->runs.v[i], i, &founds, &ret_entries->of.v[i]);
	}
	return r < 0 ? r : make_entries(&founds, side->runs.n, ret_entries);
}

void rarog_entries_release(struct rarog_entries *entries)
{
	for (size_t i = 0; i < entries->of.n; i++)
		free(entries->of.v[i]);
	for (size_t i = 0; i < entries->list.n; i++) {
		free(entries->list.v[i].short_name);
		free(entries->list.v[i].family);
	}
	rarog_vec_release(&entries->of);
	rarog_vec_release(&entries->list);
}

/* --- both --- */

struct pool {
	RAROG_VEC(struct rarog_entry *) free; /* without a partner */
};

static int compare_with(const void *a, const void *b, void *pass)
{
	const struct pass *p = pass;

	return p->compare(*(struct rarog_entry *const *)a, *(struct rarog_entry *const *)b);
}

static void sort_pool(struct pool *pool, const struct pass *pass)
{
	if (pool->free.n > 1)
		qsort_r(pool->free.v, pool->free.n, sizeof(struct rarog_entry *), compare_with,
			(void *)(uintptr_t)pass);
}

/* End of the entries that equal the one at @i. */
static size_t group_end(const struct pool *pool, const struct pass *pass, size_t i)
{
	size_t end = i + 1;

	while (end < pool->free.n && pass->compare(pool->free.v[i], pool->free.v[end]) == 0)
		end++;
	return end;
}

static void marry(const struct pass *pass, struct rarog_entry *a, struct rarog_entry *b,
		  const char *words[])
{
	if (pass->verify && !pass->verify(a, b))
		return;
	b->row = a->row;
	words[a->row] = pass->compare == by_body && by_name(a, b) == 0 ? NULL : pass->word;
}

static void drop_married(struct pool *pool, const bool is_taken[])
{
	size_t kept = 0;

	for (size_t i = 0; i < pool->free.n; i++)
		if (pool->free.v[i]->row == RAROG_NONE || !is_taken[pool->free.v[i]->row])
			pool->free.v[kept++] = pool->free.v[i];
	pool->free.n = kept;
}

static void run_pass(const struct pass *pass, struct pool *a, struct pool *b, const char *words[],
		     bool is_taken[])
{
	sort_pool(a, pass);
	sort_pool(b, pass);
	for (size_t i = 0, k = 0; i < a->free.n && k < b->free.n;) {
		int order = pass->compare(a->free.v[i], b->free.v[k]);
		size_t i_end = group_end(a, pass, i), k_end = group_end(b, pass, k);

		if (order == 0 && i_end == i + 1 && k_end == k + 1)
			marry(pass, a->free.v[i], b->free.v[k], words);
		if (order == 0 && b->free.v[k]->row != RAROG_NONE)
			is_taken[b->free.v[k]->row] = true;
		i = order <= 0 ? i_end : i;
		k = order >= 0 ? k_end : k;
	}
	drop_married(a, is_taken);
	drop_married(b, is_taken);
}

static const struct pass families = { by_family, NULL, NULL, false };

static void set_renumbered(struct pool *pool, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		pool->free.v[i]->is_renumbered = true;
}

/* Where a version has more of a family, or fewer, the numbers of the others are not what they were.
 */
static void find_renumbered(struct pool *a, struct pool *b)
{
	sort_pool(a, &families);
	sort_pool(b, &families);
	for (size_t i = 0, k = 0; i < a->free.n && k < b->free.n;) {
		int order = by_family(a->free.v[i], b->free.v[k]);
		size_t i_end = group_end(a, &families, i), k_end = group_end(b, &families, k);

		if (order == 0 && i_end - i != k_end - k) {
			set_renumbered(a, i, i_end);
			set_renumbered(b, k, k_end);
		}
		i = order <= 0 ? i_end : i;
		k = order >= 0 ? k_end : k;
	}
}

static int fill_pool(struct rarog_entries *entries, struct pool *pool)
{
	if (rarog_vec_reserve(&pool->free, entries->list.n) < 0)
		return rarog_oom();
	for (size_t i = 0; i < entries->list.n; i++)
		pool->free.v[pool->free.n++] = &entries->list.v[i];
	return 0;
}

struct pools {
	struct pool of[2];
};

static void pools_release(struct pools *pools)
{
	for (size_t side = 0; side < 2; side++)
		rarog_vec_release(&pools->of[side].free);
}

/* By location of the first run: whether its entry has no partner yet. */
static bool *find_free(const struct rarog_entries *entries, const struct rarog_side_run *run,
		       const struct pool *pool)
{
	rarog_cleanup(rarog_freep) bool *is_entry = calloc(entries->list.n + 1, sizeof(*is_entry));
	const struct rarog_location *locations;
	long n = rarog_profile_locations(run->profile, &locations);
	bool *is_free = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*is_free));

	if (!is_entry || !is_free) {
		free(is_free);
		return NULL;
	}
	for (size_t i = 0; i < pool->free.n; i++)
		is_entry[pool->free.v[i] - entries->list.v] = true;
	for (long i = 0; i < n; i++)
		is_free[i] = is_entry[entries->of.v[0][i]];
	return is_free;
}

/* Clones of a function may look like several: the first decides. */
static void marry_alike(const struct rarog_alike *alike, long n, const bool *const is_free[2],
			struct rarog_entries *baseline, struct rarog_entries *target,
			const char *words[])
{
	for (long i = 0; i < n; i++) {
		uint32_t partner = rarog_alike_partner(alike, (uint32_t)i, is_free);
		struct rarog_entry *a = &baseline->list.v[baseline->of.v[0][i]], *b;

		if (partner == RAROG_NONE || words[a->row])
			continue;
		b = &target->list.v[target->of.v[0][partner]];
		if (b->row != RAROG_NONE || by_binary(a, b) != 0)
			continue;
		b->row = a->row;
		words[a->row] = "renamed";
	}
}

static int run_alike(const struct rarog_alike *alike, const struct rarog_side sides[2],
		     struct rarog_entries *baseline, struct rarog_entries *target,
		     const struct pool pools[2], const char *words[])
{
	rarog_cleanup(rarog_freep) bool *a =
		find_free(baseline, &sides[RAROG_BASELINE].runs.v[0], &pools[0]);
	rarog_cleanup(rarog_freep) bool *b =
		find_free(target, &sides[RAROG_TARGET].runs.v[0], &pools[1]);
	const bool *const is_free[2] = { a, b };
	const struct rarog_location *locations;
	long n = rarog_profile_locations(sides[RAROG_BASELINE].runs.v[0].profile, &locations);

	if (!a || !b)
		return rarog_oom();
	marry_alike(alike, n, is_free, baseline, target, words);
	return 0;
}

int rarog_match(struct rarog_entries entries[2], const struct rarog_side sides[2],
		const struct rarog_alike *alike, const char ***ret_words, size_t *ret_n)
{
	struct rarog_entries *baseline = &entries[RAROG_BASELINE], *target = &entries[RAROG_TARGET];
	size_t most = baseline->list.n + target->list.n + 1, n = 0;
	rarog_cleanup(pools_release) struct pools p = { 0 };
	rarog_cleanup(rarog_freep) const char **words = calloc(most, sizeof(*words));
	rarog_cleanup(rarog_freep) bool *is_taken = calloc(most, sizeof(*is_taken));
	int r = 0;

	if (!words || !is_taken || fill_pool(baseline, &p.of[0]) < 0 ||
	    fill_pool(target, &p.of[1]) < 0)
		return rarog_oom();
	for (size_t i = 0; i < baseline->list.n; i++)
		baseline->list.v[i].row = (uint32_t)n++;
	for (size_t i = 0; i < target->list.n; i++)
		target->list.v[i].row = RAROG_NONE;
	find_renumbered(&p.of[0], &p.of[1]);
	for (size_t i = 0; i < RAROG_COUNT(passes); i++)
		if (!alike || !passes[i].is_by_counts)
			run_pass(&passes[i], &p.of[0], &p.of[1], words, is_taken);
	if (alike)
		r = run_alike(alike, sides, baseline, target, p.of, words);
	if (r < 0)
		return r;
	for (size_t i = 0; i < target->list.n; i++)
		if (target->list.v[i].row == RAROG_NONE)
			target->list.v[i].row = (uint32_t)n++;
	*ret_words = rarog_take(words);
	*ret_n = n;
	return 0;
}
