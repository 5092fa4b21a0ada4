/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans propose all that they promise and the model allows: told by brute force. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "feature/rules.h"
#include "feature/sampling.h"

#define FEATURES 4

static const char *const names[FEATURES] = { "A", "B", "C", "D" };

static bool is_in(size_t set, size_t feature)
{
	return set >> feature & 1;
}

static bool is_allowed(const struct rarog_feature_model *model, size_t set)
{
	struct rarog_rules rules;
	bool on[FEATURES], is;

	for (size_t i = 0; i < FEATURES; i++)
		on[i] = is_in(set, i);
	assert_int_equal(rarog_rules_make(model, "model.yml", &rules), 0);
	is = rarog_rules_allow(&rules, on);
	rarog_rules_release(&rules);
	return is;
}

static size_t set_of(const struct rarog_configuration *configuration)
{
	size_t set = 0;

	for (size_t i = 0; i < FEATURES; i++)
		if (strcmp(rarog_configuration_get(configuration, names[i]), "true") == 0)
			set |= (size_t)1 << i;
	return set;
}

/* Is there one that agrees with @values in the features of @mask: among what is planned, or may be?
 */
static bool is_planned(const struct rarog_sampling *sampling, size_t mask, size_t values)
{
	for (size_t i = 0; i < sampling->list.n; i++)
		if ((set_of(&sampling->list.v[i]) & mask) == values)
			return true;
	return false;
}

static bool is_possible(const struct rarog_feature_model *model, size_t mask, size_t values)
{
	for (size_t set = 0; set < 1 << FEATURES; set++)
		if ((set & mask) == values && is_allowed(model, set))
			return true;
	return false;
}

static void check_allowed(const struct rarog_feature_model *model,
			  const struct rarog_sampling *sampling)
{
	for (size_t i = 0; i < sampling->list.n; i++)
		assert_true(is_allowed(model, set_of(&sampling->list.v[i])));
}

static void check_regions(const struct rarog_feature_model *model)
{
	uint64_t sets[] = { 3, 6 }; /* A and B; B and C */
	const struct rarog_meetings meetings = { .sets = { .v = sets, .n = 2 } };
	const struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_REGIONS,
							.meetings = &meetings };
	struct rarog_sampling sampling;

	assert_int_equal(rarog_sampling_make(model, &request, &sampling), 0);
	check_allowed(model, &sampling);
	for (size_t i = 0; i < 2; i++)
		for (size_t values = 0; values < 1 << FEATURES; values++)
			if ((values & sets[i]) == values)
				assert_int_equal(is_planned(&sampling, sets[i], values),
						 is_possible(model, sets[i], values));
	rarog_sampling_release(&sampling);
}

/* Each feature is on in one of them. */
static void check_feature_wise(const struct rarog_feature_model *model)
{
	const struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_FEATURE_WISE };
	struct rarog_sampling sampling;

	assert_int_equal(rarog_sampling_make(model, &request, &sampling), 0);
	check_allowed(model, &sampling);
	for (size_t i = 0; i < FEATURES; i++)
		assert_int_equal(is_planned(&sampling, (size_t)1 << i, (size_t)1 << i),
				 is_possible(model, (size_t)1 << i, (size_t)1 << i));
	rarog_sampling_release(&sampling);
}

static void read_model(const char *constraints, struct rarog_feature_model *model)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
			 "features:\n  A: {kind: switch}\n  B: {kind: switch}\n"
			 "  C: {kind: switch}\n  D: {kind: switch}\nconstraints: [%s]\n",
			 constraints);

	assert_int_equal(rarog_feature_model_parse("model.yml", (size_t)n, text, model), 0);
}

TEST(all_that_is_possible_is_planned)
{
	static const char *const models[] = {
		"\"A | C\"",
		"\"B <=> C\", \"!A | C\"",
		"\"A | B\", \"C | D\", \"!(A & B)\", \"!(C & D)\"",
		"\"A => B\", \"B => C & D\", \"A | D\"",
		"\"!B | A & C\", \"!C | D | A\", \"A | B | C | D\", \"!(A & D)\"",
	};

	for (size_t i = 0; i < RAROG_COUNT(models); i++) {
		struct rarog_feature_model model;

		read_model(models[i], &model);
		check_feature_wise(&model);
		check_regions(&model);
		rarog_feature_model_release(&model);
	}
}

TEST(a_model_that_allows_nothing_is_told)
{
	const struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_ALL };
	struct rarog_feature_model model;
	struct rarog_sampling sampling;

	read_model("\"A\", \"!A\"", &model);
	assert_int_equal(rarog_sampling_make(&model, &request, &sampling), -EDOM);
	rarog_error_clear();
	rarog_sampling_release(&sampling);
	rarog_feature_model_release(&model);
}

/* (A => B) <=> C: C is on exactly where A is off or B is on. */
TEST(equality_binds_least)
{
	struct rarog_feature_model model;

	read_model("\"A => B <=> C\"", &model);
	for (size_t set = 0; set < 1 << FEATURES; set++)
		assert_int_equal(is_allowed(&model, set),
				 (!is_in(set, 0) || is_in(set, 1)) == is_in(set, 2));
	rarog_feature_model_release(&model);
}

/* --- random ones --- */

#define MOST 16 /* switches */

static size_t set_of_many(const struct rarog_configuration *configuration, size_t n)
{
	size_t set = 0;

	for (size_t i = 0; i < n; i++) {
		char name[8];

		snprintf(name, sizeof(name), "F%zu", i);
		if (strcmp(rarog_configuration_get(configuration, name), "true") == 0)
			set |= (size_t)1 << i;
	}
	return set;
}

static void read_switches(size_t n, const char *rest, struct rarog_feature_model *model)
{
	struct rarog_str text = { 0 };

	assert_int_equal(rarog_str_add(&text, "features:\n"), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(rarog_str_addf(&text, "  F%zu: {kind: switch}\n", i), 0);
	assert_int_equal(rarog_str_add(&text, rest), 0);
	assert_int_equal(
		rarog_feature_model_parse("model.yml", text.length, rarog_str_text(&text), model),
		0);
	rarog_str_release(&text);
}

/* How often each set is drawn, of @n a seed. */
static void count_draws(const struct rarog_feature_model *model, size_t n_switches, size_t n,
			size_t seeds, unsigned counts[1 << MOST])
{
	struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_RANDOM, .n = n };

	memset(counts, 0, sizeof(*counts) << n_switches);
	for (request.seed = 1; request.seed <= seeds; request.seed++) {
		struct rarog_sampling sampling;

		assert_int_equal(rarog_sampling_make(model, &request, &sampling), 0);
		assert_int_equal(sampling.list.n, n);
		for (size_t i = 0; i < n; i++)
			counts[set_of_many(&sampling.list.v[i], n_switches)]++;
		rarog_sampling_release(&sampling);
	}
}

/* F0 needs F1, and F2 is one or the other of F3 and F4. What is allowed is told from the words. */
static bool is_allowed_set(size_t set)
{
	if (is_in(set, 0) && !is_in(set, 1))
		return false;
	return is_in(set, 2) == (is_in(set, 3) != is_in(set, 4)) &&
	       !(is_in(set, 3) && is_in(set, 4));
}

static const char five[] = "constraints: [\"!F0 | F1\", \"F2 <=> F3 | F4\", \"!(F3 & F4)\"]\n";

TEST(each_allowed_configuration_is_as_likely)
{
	static unsigned counts[1 << MOST];
	struct rarog_feature_model model;
	const size_t seeds = 3600;
	size_t n = 0;
	double chi = 0;

	read_switches(5, five, &model);
	count_draws(&model, 5, 1, seeds, counts);
	for (size_t set = 0; set < 32; set++)
		n += is_allowed_set(set);
	assert_int_equal(n, 9);
	for (size_t set = 0; set < 32; set++) {
		double expected = (double)seeds / (double)n;

		if (is_allowed_set(set))
			chi += (counts[set] - expected) * (counts[set] - expected) / expected;
		else
			assert_int_equal(counts[set], 0);
	}
	assert_true(chi < 37); /* 8 degrees of freedom: 1 of 90,000 is beyond it */
	rarog_feature_model_release(&model);
}

/* Four times one of four: 256 of 65,536 are allowed, and no list is made of these many. */
TEST(where_hardly_any_is_allowed_none_is_preferred)
{
	static unsigned counts[1 << MOST];
	const char *text = "constraints: [\"F0 | F1 | F2 | F3\", \"F4 | F5 | F6 | F7\", "
			   "\"F8 | F9 | F10 | F11\", \"F12 | F13 | F14 | F15\"]\n"
			   "alternatives: [[F0, F1, F2, F3], [F4, F5, F6, F7], "
			   "[F8, F9, F10, F11], [F12, F13, F14, F15]]\n";
	struct rarog_feature_model model;
	const size_t seeds = 60, n = 10;

	read_switches(MOST, text, &model);
	count_draws(&model, MOST, n, seeds, counts);
	for (size_t i = 0; i < MOST; i++) {
		size_t times = 0;

		for (size_t set = 0; set < 1 << MOST; set++)
			times += is_in(set, i) ? counts[set] : 0;
		/* a quarter of 600; 5 standard deviations are 53 */
		assert_in_range(times, 150 - 53, 150 + 53);
	}
	for (size_t set = 0; set < 1 << MOST; set++)
		for (size_t group = 0; counts[set] && group < 4; group++)
			assert_int_equal(__builtin_popcountll(set >> 4 * group & 15), 1);
	rarog_feature_model_release(&model);
}

TEST(all_are_those_that_are_allowed_once)
{
	const struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_ALL };
	struct rarog_feature_model model;
	struct rarog_sampling sampling;
	bool has[32] = { false };

	read_switches(5, five, &model);
	assert_int_equal(rarog_sampling_make(&model, &request, &sampling), 0);
	for (size_t i = 0; i < sampling.list.n; i++) {
		size_t set = set_of_many(&sampling.list.v[i], 5);

		assert_true(is_allowed_set(set) && !has[set]);
		has[set] = true;
	}
	assert_int_equal(sampling.list.n, 9);
	rarog_sampling_release(&sampling);
	rarog_feature_model_release(&model);
}

/* What the plan has comes first. */
TEST(a_plan_with_a_count_has_others_besides)
{
	struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_PAIRS, .seed = 1 };
	struct rarog_feature_model model;
	struct rarog_sampling few, more;
	bool has[32] = { false };

	read_switches(5, five, &model);
	assert_int_equal(rarog_sampling_make(&model, &request, &few), 0);
	assert_true(few.list.n < 9);
	request.n = 8;
	assert_int_equal(rarog_sampling_make(&model, &request, &more), 0);
	assert_int_equal(more.list.n, 8);
	for (size_t i = 0; i < more.list.n; i++) {
		size_t set = set_of_many(&more.list.v[i], 5);

		assert_true(is_allowed_set(set) && !has[set]);
		has[set] = true;
		if (i < few.list.n)
			assert_int_equal(set, set_of_many(&few.list.v[i], 5));
	}
	rarog_sampling_release(&few);
	rarog_sampling_release(&more);
	rarog_feature_model_release(&model);
}

/* 20,706 there would be. */
TEST(more_than_can_be_measured_are_refused)
{
	const struct rarog_sampling_request request = { .plan = RAROG_SAMPLING_PAIR_WISE };
	struct rarog_feature_model model;
	struct rarog_sampling sampling;

	read_switches(203, "", &model);
	assert_int_equal(rarog_sampling_make(&model, &request, &sampling), -E2BIG);
	rarog_error_clear();
	rarog_sampling_release(&sampling);
	rarog_feature_model_release(&model);
}
