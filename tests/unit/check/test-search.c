/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/search.h"
#include "num-check.h"
#include "num/random.h"
#include "unit.h"

#define N 200

struct world {
	size_t change;
	double noise;
	size_t n_broken;
	const size_t *broken;
	unsigned wild; /* of 100 runs */
};

static bool is_broken(const struct world *world, size_t at)
{
	for (size_t i = 0; i < world->n_broken; i++)
		if (world->broken[i] == at)
			return true;
	return false;
}

static void run(struct rarog_search *search, const struct world *world, struct rarog_random *random,
		size_t at, size_t runs)
{
	search->positions[at].is_broken = is_broken(world, at);
	for (size_t i = 0; i < runs && !search->positions[at].is_broken; i++) {
		double value = 100 + (at >= world->change ? 5 : 0) +
			       world->noise * rarog_random_normal(random);

		if (rarog_random_below(random, 100) < world->wild)
			value += 60;
		assert_int_equal(rarog_search_add(search, at, value), 0);
	}
}

/* To the end; how many positions were measured. */
static size_t find(struct rarog_search *search, const struct world *world,
		   struct rarog_random *random, struct rarog_search_result *result)
{
	size_t measured = 0;

	run(search, world, random, 0, 5);
	run(search, world, random, N, 5);
	for (size_t step = 0; step < 200; step++) {
		assert_int_equal(rarog_search_update(search), 0);
		assert_int_equal(rarog_search_result(search, result), 0);
		if (result->likely >= 0.95)
			break;
		size_t next = rarog_search_next(search, 40);

		if (next == SIZE_MAX)
			break;
		measured += search->positions[next].values.n == 0;
		run(search, world, random, next, 5);
	}
	for (size_t at = 0; at <= N; at++)
		measured += search->positions[at].is_broken;
	return measured;
}

static void try(const struct world *world, struct rarog_random *random, size_t *ret_right,
		size_t *ret_measured)
{
	rarog_cleanup(rarog_search_release) struct rarog_search search = { 0 };
	struct rarog_search_result result = { 0 };

	assert_int_equal(rarog_search_init(&search, N), 0);
	*ret_measured += find(&search, world, random, &result);
	*ret_right += result.first <= world->change && world->change <= result.last;
}

/* Exact amounts: as many versions as bisection by halves needs, log2(200) = 7.6. */
TEST(exact_amounts_are_bisected)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(1);
	size_t right = 0, measured = 0;

	for (size_t c = 1; c <= N; c++)
		try(&(struct world){ .change = c }, random, &right, &measured);
	assert_int_equal(right, N);
	assert_true(measured <= 9 * N);
}

/* Noise as large as a third of the change, with wild runs: right as often as it says it is. */
TEST(noise_is_survived)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(2);
	size_t right = 0, measured = 0, wild_right = 0, wild_measured = 0;

	for (int round = 0; round < 60; round++) {
		size_t change = 1 + rarog_random_below(random, N);

		try(&(struct world){ .change = change, .noise = 1.7 }, random, &right, &measured);
		try(&(struct world){ .change = change, .noise = 1, .wild = 5 }, random, &wild_right,
		    &wild_measured);
	}
	assert_true(right >= 54);
	assert_true(wild_right >= 54);
	assert_true(measured <= 60 * 13);
}

TEST(broken_versions_are_named_together)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(3);
	rarog_cleanup(rarog_search_release) struct rarog_search search = { 0 };
	static const size_t broken[] = { 50, 51, 52, 100 };
	const struct world world = { .change = 52, .n_broken = 4, .broken = broken };
	struct rarog_search_result result = { 0 };

	assert_int_equal(rarog_search_init(&search, N), 0);
	find(&search, &world, random, &result);
	assert_int_equal(result.first, 50);
	assert_int_equal(result.last, 53);
	assert_true(result.likely > 0.99);
	assert_close(result.before, 100, 1e-12);
	assert_close(result.after, 105, 1e-12);
}

TEST(ends_that_are_the_same)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(4);
	size_t alarms = 0, found = 0, exact = 0;
	bool is_exact;

	for (int round = 0; round < 200; round++) {
		rarog_cleanup(rarog_search_release) struct rarog_search same = { 0 }, other = { 0 };

		assert_int_equal(rarog_search_init(&same, N), 0);
		assert_int_equal(rarog_search_init(&other, N), 0);
		run(&same, &(struct world){ .change = 300, .noise = 1 }, random, 0, 6);
		run(&same, &(struct world){ .change = 300, .noise = 1 }, random, N, 6);
		run(&other, &(struct world){ .change = 9, .noise = 1 }, random, 0, 6);
		run(&other, &(struct world){ .change = 9, .noise = 1 }, random, N, 6);
		alarms += rarog_search_differs(&same, &is_exact) == 1;
		exact += is_exact;
		found += rarog_search_differs(&other, &is_exact) == 1;
	}
	assert_at_most_rate(alarms, 200, 0.01);
	assert_true(found >= 195);
	assert_int_equal(exact, 0);
}

TEST(one_candidate_needs_no_search)
{
	rarog_cleanup(rarog_search_release) struct rarog_search search = { 0 };
	struct rarog_search_result result;

	assert_int_equal(rarog_search_init(&search, 1), 0);
	assert_int_equal(rarog_search_add(&search, 0, 1), 0);
	assert_int_equal(rarog_search_add(&search, 1, 2), 0);
	assert_int_equal(rarog_search_update(&search), 0);
	assert_int_equal(rarog_search_result(&search, &result), 0);
	assert_int_equal(result.first, 1);
	assert_close(result.likely, 1, 1e-12);
	assert_true(rarog_search_next(&search, 10) == SIZE_MAX);
	assert_refused(rarog_search_add(&search, 0, NAN), -EINVAL, "no number");
}
