/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growth of two versions, of functions that are known: calls with 5 % noise, sizes over two
 * decades, five repeats. */
#include <math.h>
#include <string.h>

#include "check/growth.h"
#include "num-check.h"
#include "num/random.h"
#include "unit.h"

#define SIZES   12
#define REPEATS 5
#define TRIALS  200

static double linear(double n)
{
	return 50 + 3 * n;
}

static double steeper(double n)
{
	return 1.5 * linear(n);
}

static double quadratic(double n)
{
	return 50 + 3 * n + 0.05 * n * n;
}

static double crossing(double n) /* quadratic, and less than linear() up to n = 100 */
{
	return 50 + 0.03 * n * n;
}

struct side {
	struct rarog_costing cost;
	struct rarog_modelled estimate;
};

static void make(double (*cost)(double), double first, double noise, struct rarog_random *random,
		 bool are_counts, struct side *ret_side)
{
	static char x[] = "n";
	const struct rarog_costs of = { .unit = are_counts ? RAROG_UNIT_COUNT : RAROG_UNIT_NS };
	const struct rarog_estimate_options options = { .fit.model.errors = RAROG_ERRORS_AUTO };

	*ret_side = (struct side){ .cost.x = x };
	for (int i = 0; i < SIZES; i++)
		for (int k = 0; k < REPEATS; k++) {
			double n = round(first * pow(1.5, i));
			double y = cost(n) * (1 + noise * rarog_random_normal(random));

			assert_int_equal(rarog_points_add(&ret_side->cost.points, n,
							  are_counts ? round(y) : y),
					 0);
		}
	assert_int_equal(rarog_points_sort(&ret_side->cost.points), 0);
	assert_int_equal(rarog_estimate(&ret_side->cost, &of, &options, &ret_side->estimate), 0);
}

static void release(struct side *side)
{
	rarog_estimate_release(&side->estimate);
	rarog_points_release(&side->cost.points);
}

struct trial {
	double (*cost[2])(double);
	double first[2]; /* x */
	double noise;
	bool are_counts;
};

static void judge(const struct trial *trial, struct rarog_random *random,
		  struct rarog_model_word *word)
{
	struct side sides[2];

	for (int side = 0; side < 2; side++)
		make(trial->cost[side], trial->first[side], trial->noise, random, trial->are_counts,
		     &sides[side]);
	rarog_growth_judge(
		&(struct rarog_growth_pair){ .of = { &sides[0].estimate, &sides[1].estimate },
					     .x = "n",
					     .is_exact = trial->are_counts,
					     .effect = { 0.02, 0.25 } },
		word);
	release(&sides[0]);
	release(&sides[1]);
}

/* Return: how many of TRIALS are of that class; @ret_sure: of a better or worse for sure. */
static int count(const struct trial *trial, enum rarog_class class, int *ret_sure)
{
	struct rarog_random *random = rarog_random_new(7);
	int n = 0;

	assert_non_null(random);
	*ret_sure = 0;
	for (int i = 0; i < TRIALS; i++) {
		struct rarog_model_word word;

		judge(trial, random, &word);
		n += word.class == class;
		*ret_sure += rarog_class_is_degradation(word.class) ||
			     rarog_class_is_optimization(word.class);
	}
	rarog_random_free(random);
	return n;
}

TEST(the_same_function_has_not_changed)
{
	const struct trial trial = { { linear, linear }, { 10, 10 }, 0.05, false };
	int sure;

	assert_true(count(&trial, RAROG_CLASS_NO_CHANGE, &sure) >= TRIALS * 95 / 100);
	assert_int_equal(sure, 0);
}

/* Sums of times differ by a factor of 50; what one x costs does not. */
TEST(other_input_is_no_change)
{
	const struct trial trial = { { quadratic, quadratic }, { 10, 70 }, 0.05, false };
	int sure;

	assert_true(count(&trial, RAROG_CLASS_NO_CHANGE, &sure) >= TRIALS * 95 / 100);
	assert_true(sure <= TRIALS / 100);
}

TEST(another_class_is_a_change)
{
	const struct trial worse = { { linear, quadratic }, { 10, 10 }, 0.05, false },
			   better = { { quadratic, linear }, { 10, 10 }, 0.05, false };
	int sure;

	assert_true(count(&worse, RAROG_CLASS_SEVERE_DEGRADATION, &sure) >= TRIALS * 95 / 100);
	assert_true(count(&better, RAROG_CLASS_SEVERE_OPTIMIZATION, &sure) >= TRIALS * 95 / 100);
}

TEST(within_a_class_times_are_a_maybe_and_counts_are_sure)
{
	struct trial trial = { { linear, steeper }, { 10, 10 }, 0.05, false };
	struct rarog_model_word word;
	struct rarog_random *random = rarog_random_new(3);
	int sure;

	assert_true(count(&trial, RAROG_CLASS_MAYBE_DEGRADATION, &sure) >= TRIALS * 95 / 100);
	assert_true(sure <= TRIALS / 100);
	trial.are_counts = true;
	trial.noise = 0;
	judge(&trial, random, &word);
	rarog_random_free(random);
	assert_int_equal(word.class, RAROG_CLASS_SEVERE_DEGRADATION);
	assert_close(word.relative, 0.5, 0.01);
	assert_true(strncmp(word.reason, "linear (", 8) == 0);
}

TEST(parts_say_where)
{
	const struct trial trial = { { linear, crossing }, { 10, 10 }, 0.0, true };
	struct rarog_random *random = rarog_random_new(3);
	struct rarog_model_word word;

	judge(&trial, random, &word);
	rarog_random_free(random);
	assert_int_equal(word.class, RAROG_CLASS_SEVERE_DEGRADATION);
	assert_int_equal(word.n_parts, 2);
	assert_true(word.parts[0].relative < 0 && word.parts[0].to < 101);
	assert_true(word.parts[1].relative > 0 && word.parts[1].from > 99);
}

TEST(nothing_in_common)
{
	const struct trial trial = { { linear, linear }, { 10, 5000 }, 0.05, false };
	struct rarog_random *random = rarog_random_new(3);
	struct rarog_model_word word;

	judge(&trial, random, &word);
	rarog_random_free(random);
	assert_int_equal(word.class, RAROG_CLASS_UNKNOWN);
	assert_non_null(strstr(word.reason, "nothing in common"));
}
