/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Influence models of known truths: the thesis's Listing 2.2, and sums of terms that are planted.
 */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "feature/influence.h"
#include "num/random.h"

static void set(struct rarog_influence_run *run, const char *name, const char *value)
{
	assert_int_equal(rarog_configuration_set(&run->configuration, name, value), 0);
}

static double coefficient(const struct rarog_influence *model, const char *name)
{
	for (size_t i = 0; i < model->terms.n; i++) {
		struct rarog_str text = { 0 };
		bool is_it;

		assert_int_equal(rarog_influence_name(model, i, &text), 0);
		is_it = strcmp(rarog_str_text(&text), name) == 0;
		rarog_str_release(&text);
		if (is_it)
			return model->fit.b[i];
	}
	return NAN;
}

static void release(size_t n, struct rarog_influence_run runs[n], struct rarog_influence *model)
{
	for (size_t i = 0; i < n; i++)
		rarog_configuration_release(&runs[i].configuration);
	rarog_influence_release(model);
}

/* {} 1, {A} 2, {B} 2, {A, B} 7: the interaction is 4. */
TEST(two_options_and_their_interaction)
{
	static const double seconds[] = { 1, 2, 2, 7 };
	struct rarog_influence_run runs[4] = { { .y = 0 } };
	struct rarog_influence model;

	for (size_t i = 0; i < 4; i++) {
		set(&runs[i], "A", i & 1 ? "true" : "false");
		set(&runs[i], "B", i & 2 ? "true" : "false");
		runs[i].y = seconds[i];
	}
	assert_int_equal(rarog_influence_fit(4, runs, &model), 0);
	assert_int_equal(model.terms.n, 4);
	assert_float_equal(coefficient(&model, "1"), 1, 1e-9);
	assert_float_equal(coefficient(&model, "A"), 1, 1e-9);
	assert_float_equal(coefficient(&model, "B"), 1, 1e-9);
	assert_float_equal(coefficient(&model, "A*B"), 4, 1e-9);
	release(4, runs, &model);
}

/* Ten switches, of which three matter, two of them together, from 30 runs with 1 % of noise. */
TEST(what_does_not_matter_stays_out)
{
	struct rarog_random *random = rarog_random_new(7);
	struct rarog_influence_run runs[30] = { { .y = 0 } };
	struct rarog_influence model;
	double y, half;

	for (size_t i = 0; i < 30; i++) {
		bool on[10];

		for (size_t k = 0; k < 10; k++) {
			char name[] = { 'o', (char)('0' + k), '\0' };

			on[k] = rarog_random_below(random, 2);
			set(&runs[i], name, on[k] ? "true" : "false");
		}
		runs[i].y = 10 + 5 * on[2] + 3 * on[4] + 8 * (on[4] && on[7]);
		runs[i].y *= 1 + 0.01 * rarog_random_normal(random);
	}
	assert_int_equal(rarog_influence_fit(30, runs, &model), 0);
	assert_float_equal(coefficient(&model, "o2"), 5, 0.5);
	assert_float_equal(coefficient(&model, "o4*o7"), 8, 0.5);
	assert_true(model.terms.n <= 8);
	assert_true(model.cv_error < 0.03);
	assert_int_equal(rarog_influence_predict(&model, &runs[0].configuration, &y, &half), 0);
	assert_float_equal(y, runs[0].y, half);
	rarog_random_free(random);
	release(30, runs, &model);
}

/* A level whose square counts. */
TEST(numbers_have_shapes)
{
	struct rarog_influence_run runs[9] = { { .y = 0 } };
	struct rarog_configuration ten = { 0 };
	struct rarog_influence model;
	double y, half;

	for (size_t i = 0; i < 9; i++) {
		char level[] = { (char)('1' + i), '\0' };

		set(&runs[i], "level", level);
		runs[i].y = 3 + 0.5 * (double)((i + 1) * (i + 1));
	}
	assert_int_equal(rarog_influence_fit(9, runs, &model), 0);
	assert_float_equal(coefficient(&model, "level^2"), 0.5, 1e-6);
	assert_int_equal(rarog_configuration_set(&ten, "level", "10"), 0);
	assert_int_equal(rarog_influence_predict(&model, &ten, &y, &half), 0);
	assert_float_equal(y, 53, 1e-6);
	rarog_configuration_release(&ten);
	release(9, runs, &model);
}

TEST(one_configuration_is_not_enough)
{
	struct rarog_influence_run runs[2] = { { .y = 1 }, { .y = 2 } };
	struct rarog_influence model;

	set(&runs[0], "A", "true");
	set(&runs[1], "A", "true");
	assert_int_equal(rarog_influence_fit(2, runs, &model), -EDOM);
	release(2, runs, &model);
}
