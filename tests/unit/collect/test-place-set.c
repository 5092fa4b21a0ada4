/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a plan means of a file. Oracle: brute force, which asks every pattern about every function
 * by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "plan/function-match.h"
#include "plan/options.h"
#include "plan/place-set.h"

#define PATH "/usr/lib/libthing.so.1"

/* --- functions that are not there --- */

struct functions {
	size_t n;
	struct rarog_function *v;
	char **names;
	const char **aliases;
};

static void functions_release(struct functions *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->names[i]);
	free(f->names);
	free(f->aliases);
	free(f->v);
}

/* Names of C, of C++ with parameters, templates and tags; parts that are never called. */
static char *make_name(size_t i)
{
	switch (i % 8) {
	case 2:
		return rarog_asprintf("_ZN2ns6h%05zuEi", i);
	case 3:
		return rarog_asprintf("_ZN2ns6t%05zuIiEEvT_", i);
	case 4:
		return rarog_asprintf("_Z6g%05zuB5cxx11v", i);
	case 5:
		return rarog_asprintf("part_%zu.cold", i);
	default:
		return rarog_asprintf("c_%zu", i);
	}
}

static void make_functions(size_t n, struct functions *ret)
{
	*ret = (struct functions){ n, calloc(n, sizeof(*ret->v)), calloc(n, sizeof(char *)),
				   calloc(n, sizeof(char *)) };
	for (size_t i = 0; i < n; i++) {
		ret->names[i] = make_name(i);
		ret->v[i] =
			(struct rarog_function){ .address = 16 * i,
						 .name = ret->names[i],
						 .flags = i % 8 == 5 ? RAROG_FUNCTION_COLD : 0 };
		if (i % 8 == 6 && i > 0) { /* another name of it is that of one before */
			ret->aliases[i] = ret->names[i - 1];
			ret->v[i].n_aliases = 1;
			ret->v[i].aliases = &ret->aliases[i];
		}
	}
}

/* --- brute force --- */

/* As people were told that it goes, one pattern after the other. */
static struct rarog_plan_place expect(struct rarog_plan *plan, const struct rarog_function *f)
{
	struct rarog_plan_place place = { .address = f->address, .action = RAROG_ACTION_RECORD };
	const char *names[RAROG_FUNCTION_NAMES];
	rarog_cleanup(rarog_freep) char *demangled = NULL;
	size_t n = rarog_function_names(f, &demangled, names);
	bool is_chosen = (plan->functions.include.n == 0 && plan->functions.exclude.n == 0) ||
			 rarog_match_test(&plan->functions, n, names);

	place.is_root = plan->roots.include.n > 0 && rarog_match_test(&plan->roots, n, names);
	if (!place.is_root)
		place.n = is_chosen && !plan->no_functions
				  ? rarog_call_sampling_of(&plan->every, PATH, n, names)
				  : 0;
	if (!place.is_root && place.n == 0)
		place.action = RAROG_ACTION_OFF;
	if (place.n > 1)
		place.action = RAROG_ACTION_SAMPLE;
	else
		place.n = 0;
	if (place.action != RAROG_ACTION_OFF && plan->detail == RAROG_DETAIL_COUNT) {
		place.action = RAROG_ACTION_COUNT;
		place.n = 0;
	}
	return place;
}

/* Return: how many are measured. */
static size_t compare(const struct functions *f, struct rarog_plan *plan,
		      const struct rarog_place_set *set)
{
	size_t k = 0, measured = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct rarog_plan_place wanted;

		if (f->v[i].flags & RAROG_FUNCTION_COLD) {
			assert_null(rarog_place_set_function(set, f->v[i].address));
			continue;
		}
		wanted = expect(plan, &f->v[i]);
		if (set->v.v[k].action != wanted.action || set->v.v[k].n != wanted.n)
			fail_msg("%s: action %d, every %u; expected %d, %u", f->v[i].name,
				 set->v.v[k].action, set->v.v[k].n, wanted.action, wanted.n);
		assert_int_equal(set->v.v[k].address, wanted.address);
		assert_int_equal(set->v.v[k].index, i);
		assert_int_equal(set->v.v[k].is_root, wanted.is_root);
		assert_ptr_equal(rarog_place_set_function(set, f->v[i].address), &set->v.v[k]);
		measured += rarog_place_is_measured(&set->v.v[k++]);
	}
	assert_int_equal(k, set->v.n);
	return measured;
}

static size_t try(const struct functions *f, struct rarog_plan *plan)
{
	rarog_cleanup(rarog_place_set_release) struct rarog_place_set set = { .path = PATH };

	assert_int_equal(rarog_place_set_add_functions(&set, plan, f->n, f->v), 0);
	return compare(f, plan, &set);
}

/* --- plans --- */

struct words {
	const char *func[6], *exclude[4];
	const char *within;
	int detail;
	long every;
};

static void set_texts(struct rarog_strings *strings, size_t n, const char *const texts[n])
{
	for (size_t i = 0; i < n && texts[i]; i++)
		assert_int_equal(rarog_vec_push(strings, texts[i]), 0);
}

static void make_plan(const struct words *words, struct rarog_plan *ret_plan)
{
	struct rarog_plan_options options = RAROG_PLAN_OPTIONS_DEFAULT;

	options.detail = words->detail;
	options.within = words->within;
	options.every = words->every;
	set_texts(&options.functions, 6, words->func);
	set_texts(&options.excluded, 4, words->exclude);
	assert_int_equal(rarog_plan_make(&options, ret_plan), 0);
	rarog_vec_release(&options.functions);
	rarog_vec_release(&options.excluded);
}

static const struct words all_words[] = {
	{ .detail = 0 },
	{ .detail = RAROG_DETAIL_COUNT, .func = { "c_*" } },
	{ .every = 7 },
	{ .func = { "c_7" } },
	{ .func = { "c_7", "c_14#3", "ns::h00010", "ns::t00019" } },
	{ .func = { "c_*#5", "/^c_1/" }, .exclude = { "c_15" } },
	{ .func = { "c_15#2", "c_*#5" }, .exclude = { "/9$/" }, .every = 3 },
	{ .func = { "libthing*#c_7", "libother*#c_14", "c_15" } },
	{ .func = { "g00012" } },
	{ .func = { "g00012[abi:cxx11]" } },
	{ .func = { "ns::t*" }, .exclude = { "ns::t00019" } },
	{ .exclude = { "c_*", "ns::*" } },
	{ .within = "c_23", .func = { "c_7" } },
	{ .func = { "no_such", "c_7" } },
	{ .func = { "part_13.cold" } },
};

TEST(a_plan_means_what_its_patterns_mean_one_by_one)
{
	rarog_cleanup(functions_release) struct functions f;
	size_t least = SIZE_MAX, most = 0;

	make_functions(800, &f);
	for (size_t i = 0; i < RAROG_COUNT(all_words); i++) {
		struct rarog_plan plan;
		size_t n;

		make_plan(&all_words[i], &plan);
		n = try(&f, &plan);
		least = n < least ? n : least;
		most = n > most ? n : most;
		assert_true(n > 0);
		rarog_plan_release(&plan);
	}
	assert_true(least <= 2);
	assert_int_equal(most, 700);
}

static void write_pattern(size_t n, char text[n])
{
	int number = rand() % 800;

	switch (rand() % 6) {
	case 0:
		snprintf(text, n, "c_%d*#3", number % 80);
		break;
	case 1:
		snprintf(text, n, "/_%d/#2", number % 80);
		break;
	case 2:
		snprintf(text, n, "libthing.so.1#c_%d#9", number);
		break;
	case 3:
		snprintf(text, n, "libz.so#c_%d", number);
		break;
	case 4:
		snprintf(text, n, "ns::h%05d", number);
		break;
	default:
		snprintf(text, n, "c_%d", number);
	}
}

/* Random lists of names and globs: the first rule that fits holds. */
TEST(many_rules_in_any_order)
{
	rarog_cleanup(functions_release) struct functions f;

	make_functions(800, &f);
	srand(7);
	for (int round = 0; round < 40; round++) {
		struct rarog_plan_options options = RAROG_PLAN_OPTIONS_DEFAULT;
		struct rarog_plan plan;
		char texts[12][40];

		for (int i = 0; i < 12; i++) {
			write_pattern(sizeof(texts[i]), texts[i]);
			assert_int_equal(
				rarog_vec_push(i < 10 ? &options.functions : &options.excluded,
					       (const char *)texts[i]),
				0);
		}
		assert_int_equal(rarog_plan_make(&options, &plan), 0);
		try(&f, &plan);
		rarog_vec_release(&options.functions);
		rarog_vec_release(&options.excluded);
		rarog_plan_release(&plan);
	}
}

/* 10,000 names among 100,000 functions: one pattern after the other would take 10^9 comparisons,
 * and this test's time limit. */
TEST(names_are_looked_up)
{
	rarog_cleanup(functions_release) struct functions f;
	rarog_cleanup(rarog_place_set_release) struct rarog_place_set set = { .path = PATH };
	struct rarog_plan_options options = RAROG_PLAN_OPTIONS_DEFAULT;
	struct rarog_plan plan;
	size_t measured = 0;

	make_functions(100000, &f);
	for (size_t i = 7; i < 80000; i += 8)
		assert_int_equal(rarog_vec_push(&options.functions, (const char *)f.names[i]), 0);
	assert_int_equal(rarog_plan_make(&options, &plan), 0);
	assert_int_equal(rarog_place_set_add_functions(&set, &plan, f.n, f.v), 0);
	for (size_t i = 0; i < set.v.n; i++) {
		bool is_named = set.v.v[i].index % 8 == 7 && set.v.v[i].index < 80000;

		assert_int_equal(rarog_place_is_measured(&set.v.v[i]), is_named);
		measured += is_named;
	}
	assert_int_equal(measured, 9999 + 1);
	assert_null(rarog_match_unused(&plan.functions));
	rarog_vec_release(&options.functions);
	rarog_plan_release(&plan);
}
