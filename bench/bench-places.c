/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: bench-places FUNCTIONS ROUNDS
 * How long plans of several kinds take to be resolved for a file of so many functions, in units of
 * sorting their names once. Each round does all of them, one after the other, beginning with
 * another one; processor time, the median of the rounds counts. A line each: NAME RATIO LEAST MOST
 * MS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "plan/options.h"
#include "plan/place-set.h"

#define ROUNDS_MOST 1000

struct functions {
	size_t n;
	struct rarog_function *v;
	char **names, **sorted;
	char **for_people;
};

/* As large programs have them: three of four of C++. */
static char *make_name(size_t i)
{
	switch (i % 4) {
	case 0:
		return rarog_asprintf("parse_thing_%zu", i);
	case 1:
		return rarog_asprintf("_ZN7project6module12handle%06zuEiPKc", i);
	case 2:
		return rarog_asprintf("_ZNK7project6module5Thing10value%05zuIiEEvT_", i % 100000);
	default:
		return rarog_asprintf("_ZN7project5other8do%06zuERKNS_5ThingE", i);
	}
}

static char *make_name_for_people(size_t i)
{
	switch (i % 4) {
	case 0:
		return make_name(i);
	case 1:
		return rarog_asprintf("project::module::handle%06zu", i);
	case 2:
		return rarog_asprintf("project::module::Thing::value%05zu", i % 100000);
	default:
		return rarog_asprintf("project::other::do%06zu", i);
	}
}

static int make_functions(size_t n, struct functions *f)
{
	*f = (struct functions){ n, calloc(n, sizeof(*f->v)), calloc(n, sizeof(char *)),
				 calloc(n, sizeof(char *)), calloc(n, sizeof(char *)) };
	for (size_t i = 0; i < n; i++) {
		f->names[i] = make_name(i);
		f->for_people[i] = make_name_for_people(i);
		if (!f->names[i] || !f->for_people[i])
			return rarog_oom();
		f->v[i] = (struct rarog_function){ .address = 16 * i, .name = f->names[i] };
	}
	return 0;
}

/* --- what is resolved --- */

struct kind {
	const char *name;
	size_t named;           /* functions that are named one by one … */
	const char *pattern[3]; /* … and patterns; NULL at the end */
	const char *excluded;
	size_t times; /* in a round: what is quick is done more often */
};

static const struct kind kinds[] = {
	{ .name = "all", .times = 20 },
	{ .name = "one-name", .named = 1, .times = 1 },
	{ .name = "10000-names", .named = 10000, .times = 1 },
	{ .name = "glob", .pattern = { "project::module::*" }, .times = 1 },
	{ .name = "exclude", .excluded = "project::other::*", .times = 1 },
	{ .name = "patterns",
	  .pattern = { "parse_*#3", "/handle.*7/", "project::other::*" },
	  .times = 1 },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static int make_plan(const struct kind *kind, const struct functions *f,
		     struct rarog_plan *ret_plan)
{
	struct rarog_plan_options options = RAROG_PLAN_OPTIONS_DEFAULT;
	int r = 0;

	for (size_t i = 0; r == 0 && i < kind->named; i++)
		r = rarog_vec_push(&options.functions,
				   f->for_people[i * (f->n / kind->named) + i % 4]);
	for (size_t i = 0; r == 0 && i < 3 && kind->pattern[i]; i++)
		r = rarog_vec_push(&options.functions, kind->pattern[i]);
	if (r == 0 && kind->excluded)
		r = rarog_vec_push(&options.excluded, kind->excluded);
	r = r < 0 ? rarog_oom() : rarog_plan_make(&options, ret_plan);
	rarog_vec_release(&options.functions);
	rarog_vec_release(&options.excluded);
	return r;
}

/* --- how long that takes --- */

static double processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int sort_names(const struct functions *f, double *ret_ns)
{
	double before;

	memcpy(f->sorted, f->names, f->n * sizeof(*f->names));
	for (size_t i = f->n; i-- > 1;) { /* they are made nearly in order */
		size_t k = (size_t)rand() % (i + 1);
		char *kept = f->sorted[i];

		f->sorted[i] = f->sorted[k];
		f->sorted[k] = kept;
	}
	before = processor_ns();
	qsort(f->sorted, f->n, sizeof(*f->sorted), by_text);
	*ret_ns = processor_ns() - before;
	return 0;
}

static int resolve(const struct kind *kind, struct rarog_plan *plan, const struct functions *f,
		   double *ret_ns)
{
	double before = processor_ns();
	int r = 0;

	for (size_t i = 0; r == 0 && i < kind->times; i++) {
		rarog_cleanup(rarog_place_set_release) struct rarog_place_set set = { .path = "p" };

		r = rarog_place_set_add_functions(&set, plan, f->n, f->v);
	}
	*ret_ns = (processor_ns() - before) / (double)kind->times;
	return r;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(const char *name, size_t n, double ratios[n], double ns[n])
{
	qsort(ratios, n, sizeof(*ratios), by_size);
	qsort(ns, n, sizeof(*ns), by_size);
	printf("%s %.2f %.2f %.2f %.2f\n", name, ratios[n / 2], ratios[0], ratios[n - 1],
	       ns[n / 2] / 1e6);
}

int main(int argc, char **argv)
{
	static double ratios[KINDS][ROUNDS_MOST], ns[KINDS][ROUNDS_MOST];
	struct rarog_plan plans[KINDS];
	struct functions f = { 0 };
	size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	int r = n >= 10000 && rounds > 0 && rounds <= ROUNDS_MOST
			? make_functions(n, &f)
			: rarog_fail(-1, "10000 functions or more, and 1 to 1000 rounds, please");

	for (size_t i = 0; r == 0 && i < KINDS; i++)
		r = make_plan(&kinds[i], &f, &plans[i]);
	for (size_t round = 0; r == 0 && round < rounds; round++) {
		double unit;

		sort_names(&f, &unit);
		for (size_t i = 0; r == 0 && i < KINDS; i++) {
			size_t k = (i + round) % KINDS;

			r = resolve(&kinds[k], &plans[k], &f, &ns[k][round]);
			ratios[k][round] = ns[k][round] / unit;
		}
	}
	for (size_t i = 0; r == 0 && i < KINDS; i++)
		print(kinds[i].name, rounds, ratios[i], ns[i]);
	if (r < 0)
		fprintf(stderr, "bench-places: %s\n", rarog_error_message());
	return r < 0;
}
