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

/* A to E, a bit of @number each. */
static void set_switches(struct rarog_influence_run *run, size_t number)
{
	for (size_t k = 0; k < 5; k++) {
		char name[] = { (char)('A' + k), '\0' };

		set(run, name, number >> k & 1 ? "true" : "false");
	}
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

/* Exact amounts, as executed instructions are: what is left of them is rounding, and no term's. */
TEST(exact_amounts_get_their_terms_and_no_others)
{
	struct rarog_random *random = rarog_random_new(32);

	for (size_t turn = 0; turn < 50; turn++) {
		struct rarog_influence_run runs[32] = { { .y = 0 } };
		struct rarog_influence model;
		double cost[3];

		for (size_t k = 0; k < 3; k++)
			cost[k] = (double)(1000 + rarog_random_below(random, 1000000));
		for (size_t i = 0; i < 32; i++) {
			set_switches(&runs[i], i);
			runs[i].y = 1e6 + cost[0] * (double)(i & 1) +
				    cost[1] * (double)(i >> 1 & 1) +
				    cost[2] * (double)(i >> 2 & i >> 3 & 1);
		}
		assert_int_equal(rarog_influence_fit(32, runs, &model), 0);
		assert_int_equal(model.terms.n, 6);
		assert_float_equal(coefficient(&model, "A"), cost[0], 1e-3);
		assert_float_equal(coefficient(&model, "B"), cost[1], 1e-3);
		assert_float_equal(coefficient(&model, "C*D"), cost[2], 1e-3);
		release(32, runs, &model);
	}
	rarog_random_free(random);
}

/* A root comes nearest to two steps, and says nothing beside them. */
TEST(a_term_that_others_make_needless_goes)
{
	struct rarog_influence_run runs[36] = { { .y = 0 } };
	struct rarog_influence model;

	for (size_t i = 0; i < 36; i++) {
		size_t its = i % 9 + 1;
		char level[] = { (char)('0' + its), '\0' };

		set(&runs[i], "level", level);
		set(&runs[i], "A", i / 9 & 1 ? "true" : "false");
		set(&runs[i], "B", i / 9 & 2 ? "true" : "false");
		runs[i].y = 50 + (its >= 3 ? 10 : 0) + (its >= 7 ? 10 : 0);
	}
	assert_int_equal(rarog_influence_fit(36, runs, &model), 0);
	assert_int_equal(model.terms.n, 3);
	assert_float_equal(coefficient(&model, "level>=3"), 10, 1e-6);
	assert_float_equal(coefficient(&model, "level>=7"), 10, 1e-6);
	release(36, runs, &model);
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

/* Ten levels told from five of them: no more terms than they bear, and no value out of thin air. */
TEST(values_that_were_not_measured)
{
	static const char *const levels[] = { "1", "3", "5", "7", "9" };
	static const double seconds[] = { 1, 9, 2, 7, 4 };
	struct rarog_influence_run runs[5] = { { .y = 0 } };
	struct rarog_influence model;
	static const struct {
		const char *option, *value;
		int r;
	} told[] = {
		{ "level", "4", 0 },         { "level", "5", 0 },    { "lvl", "4", -EINVAL },
		{ "mode", "fast", -EINVAL }, { "mode", "plain", 0 },
	};

	for (size_t i = 0; i < 5; i++) {
		set(&runs[i], "level", levels[i]);
		set(&runs[i], "mode", "plain");
		runs[i].y = seconds[i];
	}
	assert_int_equal(rarog_influence_fit(5, runs, &model), 0);
	assert_true(model.terms.n < 5);
	for (size_t i = 0; i < RAROG_COUNT(told); i++) {
		struct rarog_configuration one = { 0 };
		double y, half;

		assert_int_equal(rarog_configuration_set(&one, told[i].option, told[i].value), 0);
		if (strcmp(told[i].option, "level") != 0)
			assert_int_equal(rarog_configuration_set(&one, "level", "3"), 0);
		assert_int_equal(rarog_influence_predict(&model, &one, &y, &half), told[i].r);
		rarog_configuration_release(&one);
	}
	release(5, runs, &model);
}

/* An option that not the first run names, but others do, is no option to leave out. */
TEST(all_runs_say_what_all_options_were)
{
	struct rarog_influence_run runs[3] = { { .y = 1 }, { .y = 2 }, { .y = 3 } };
	struct rarog_influence model;

	set(&runs[0], "A", "true");
	set(&runs[1], "A", "false");
	set(&runs[2], "A", "false");
	set(&runs[2], "B", "true");
	assert_int_equal(rarog_influence_fit(3, runs, &model), -EINVAL);
	release(3, runs, &model);
}

/* How good a model of @n runs is, told by what each configuration gets from the runs of the others.
 */
static double told_by_others(size_t n, const struct rarog_influence_run runs[n], size_t copies)
{
	struct rarog_influence_run others[60];
	double sum = 0, scale = 0, y, half;

	for (size_t i = 0; i < n; i++)
		scale += runs[i].y / (double)n;
	for (size_t one = 0; one < n / copies; one++) {
		struct rarog_influence model;
		size_t n_others = 0;

		for (size_t i = 0; i < n; i++)
			if (i / copies != one)
				others[n_others++] = runs[i];
		assert_int_equal(rarog_influence_fit(n_others, others, &model), 0);
		for (size_t i = one * copies; i < (one + 1) * copies; i++) {
			assert_int_equal(
				rarog_influence_predict(&model, &runs[i].configuration, &y, &half),
				0);
			sum += fabs(y - runs[i].y) / scale;
		}
		rarog_influence_release(&model);
	}
	return sum / (double)n;
}

/* Six configurations that no option explains, @copies runs of each. */
static void set_six(size_t copies, struct rarog_influence_run runs[])
{
	static const double seconds[] = { 10, 13, 9.5, 11, 12.2, 10.4 };

	for (size_t i = 0; i < 6 * copies; i++) {
		char level[] = { (char)('1' + i / copies % 3), '\0' };

		set(&runs[i], "a", i / copies % 2 ? "true" : "false");
		set(&runs[i], "level", level);
		runs[i].y = seconds[i / copies] + 0.1 * (double)(i % copies);
	}
}

/* The terms are chosen without the configuration that is told, of few configurations, too. */
TEST(the_error_is_that_of_what_the_model_has_not_seen)
{
	for (size_t copies = 1; copies <= 3; copies++) {
		struct rarog_influence_run runs[18] = { { .y = 0 } };
		struct rarog_influence model;

		set_six(copies, runs);
		assert_int_equal(rarog_influence_fit(6 * copies, runs, &model), 0);
		assert_true(model.terms.n > 1);
		assert_int_equal(model.n_cv, 6);
		assert_float_equal(model.cv_error, told_by_others(6 * copies, runs, copies), 1e-9);
		release(6 * copies, runs, &model);
	}
}

/* @n configurations of a switch and a level, @copies times the same run of each. */
static void set_noisy(size_t n, size_t copies, struct rarog_influence_run runs[])
{
	struct rarog_random *random = rarog_random_new(3);

	for (size_t i = 0; i < n; i++) {
		double noise = rarog_random_normal(random);

		for (size_t k = 0; k < copies; k++) {
			struct rarog_influence_run *run = &runs[i * copies + k];
			char level[] = { (char)('1' + i % 7), '\0' };

			set(run, "a", i & 1 ? "true" : "false");
			set(run, "level", level);
			run->y = 20 + 4 * (double)(i & 1) + 0.8 * noise;
		}
	}
	rarog_random_free(random);
}

/* Runs that only say again what others said make no model surer: not its terms, intervals or error.
 */
TEST(repeated_runs_are_no_evidence_of_the_shape)
{
	for (size_t n = 7; n <= 14; n += 7) {
		struct rarog_influence_run once[14] = { { .y = 0 } }, often[56] = { { .y = 0 } };
		struct rarog_influence one, four;
		double y[2], half[2];

		set_noisy(n, 1, once);
		set_noisy(n, 4, often);
		assert_int_equal(rarog_influence_fit(n, once, &one), 0);
		assert_int_equal(rarog_influence_fit(4 * n, often, &four), 0);
		assert_int_equal(one.terms.n, four.terms.n);
		assert_float_equal(one.cv_error, four.cv_error, 1e-9);
		assert_float_equal(one.freedom, four.freedom, 0);
		for (size_t i = 0; i < one.terms.n; i++) {
			assert_float_equal(one.fit.b[i], four.fit.b[i], 1e-9);
			assert_float_equal(rarog_influence_half(&one, i),
					   rarog_influence_half(&four, i), 1e-9);
		}
		assert_int_equal(
			rarog_influence_predict(&one, &once[1].configuration, &y[0], &half[0]), 0);
		assert_int_equal(
			rarog_influence_predict(&four, &once[1].configuration, &y[1], &half[1]), 0);
		assert_float_equal(y[0], y[1], 1e-9);
		assert_float_equal(half[0], half[1], 1e-9);
		release(n, once, &one);
		release(4 * n, often, &four);
	}
}

/* All four of two switches, three runs of each: the noise alone says how sure the terms are, as in
 * an analysis of variance: s² = Σ (y - mean)² / (12 - 4), s² / 12 is the variance of a mean of all,
 * and a term of these truths is a difference of means of three. Others cannot be told. */
TEST(where_all_configurations_are_met_the_noise_is_what_is_left)
{
	static const double means[] = { 1, 2, 2, 7 }, noise[] = { -0.1, 0, 0.1 };
	struct rarog_influence_run runs[12] = { { .y = 0 } };
	struct rarog_influence model;
	double y, half, variance = 4 * 0.02 / 8;

	for (size_t i = 0; i < 12; i++) {
		set(&runs[i], "A", i / 3 & 1 ? "true" : "false");
		set(&runs[i], "B", i / 3 & 2 ? "true" : "false");
		runs[i].y = means[i / 3] + noise[i % 3];
	}
	assert_int_equal(rarog_influence_fit(12, runs, &model), 0);
	assert_int_equal(model.terms.n, 4);
	assert_float_equal(model.freedom, 8, 0);
	assert_float_equal(model.fit.error[0], sqrt(variance / 3), 1e-9);
	assert_float_equal(model.fit.error[3], sqrt(4 * variance / 3), 1e-9);
	assert_true(isnan(model.cv_error));
	assert_int_equal(rarog_influence_predict(&model, &runs[0].configuration, &y, &half), 0);
	assert_true(isnan(half));
	release(12, runs, &model);
}

/* As jobs write them, and as the command line does. */
TEST(yes_and_no_are_truths)
{
	static const char *const words[] = { "false", "yes", "off",   "true",
					     "no",    "on",  "false", "yes" };
	static const char *const asked[] = { "yes", "no" };
	struct rarog_influence_run runs[8] = { { .y = 0 } };
	struct rarog_influence model;

	for (size_t i = 0; i < 8; i++) {
		set(&runs[i], "fast", words[i]);
		runs[i].y = i % 2 ? 2 : 5;
	}
	assert_int_equal(rarog_influence_fit(8, runs, &model), 0);
	assert_float_equal(coefficient(&model, "fast"), -3, 1e-9);
	for (size_t i = 0; i < 2; i++) {
		struct rarog_configuration one = { 0 };
		double y, half;

		assert_int_equal(rarog_configuration_set(&one, "fast", asked[i]), 0);
		assert_int_equal(rarog_influence_predict(&model, &one, &y, &half), 0);
		assert_float_equal(y, i ? 5 : 2, 1e-9);
		rarog_configuration_release(&one);
	}
	release(8, runs, &model);
}

/* Also of an option that no term has. */
TEST(a_word_is_no_number)
{
	struct rarog_influence_run runs[9] = { { .y = 0 } };
	struct rarog_influence model;
	struct rarog_configuration one = { 0 };
	double y, half;

	for (size_t i = 0; i < 9; i++) {
		char digit[] = { (char)('1' + i % 3), '\0' };

		set(&runs[i], "A", i % 2 ? "true" : "false");
		set(&runs[i], "level", digit);
		runs[i].y = i % 2 ? 5 : 3;
	}
	assert_int_equal(rarog_influence_fit(9, runs, &model), 0);
	assert_int_equal(model.terms.n, 2);
	assert_int_equal(rarog_configuration_set(&one, "A", "true"), 0);
	assert_int_equal(rarog_configuration_set(&one, "level", "abc"), 0);
	assert_int_equal(rarog_influence_predict(&model, &one, &y, &half), -EINVAL);
	rarog_configuration_release(&one);
	release(9, runs, &model);
}

/* A region that runs only with A: errors are parts of the mean amount, 5. */
TEST(errors_where_nothing_runs)
{
	static const double seconds[] = { 0, 0, 10, 10, 0.5, 9.5 };
	struct rarog_influence_run runs[6] = { { .y = 0 } };
	struct rarog_influence model;

	for (size_t i = 0; i < 6; i++) {
		set(&runs[i], "A", seconds[i] > 5 ? "true" : "false");
		runs[i].y = seconds[i];
	}
	assert_int_equal(rarog_influence_fit(6, runs, &model), 0);
	/* means 1/6 and 59/6: 2 · (1/6 + 1/6 + 1/3) / 6 / 5 */
	assert_float_equal(model.own_error, 2.0 / 45, 1e-9);
	release(6, runs, &model);
}

/* 300 at 1, 3, 5 and 800 at 20, 22, 24: the step is anywhere between 5 and 20. */
TEST(between_the_sides_of_a_step_nothing_is_known)
{
	static const char *const numbers[] = { "1", "3", "5", "20", "22", "24" };
	static const struct {
		double number;
		bool is_in_gap;
	} cases[] = { { 4, false }, { 5, false },  { 5.5, true }, { 10, true },
		      { 19, true }, { 20, false }, { 21, false } };
	struct rarog_influence_run runs[12] = { { .y = 0 } };
	struct rarog_influence model;
	double low, high;

	for (size_t i = 0; i < 12; i++) {
		set(&runs[i], "N", numbers[i % 6]);
		runs[i].y = (i % 6 < 3 ? 300 : 800) + (i < 6 ? 1 : -1);
	}
	assert_int_equal(rarog_influence_fit(12, runs, &model), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(rarog_influence_in_gap(&model, "N", cases[i].number, &low, &high),
				 cases[i].is_in_gap);
		if (cases[i].is_in_gap) {
			assert_float_equal(low, 5, 0);
			assert_float_equal(high, 20, 0);
		}
	}
	release(12, runs, &model);
}

/* Fifteen levels of which each costs something of its own, with a switch something else: no few
 * terms make that. One of the four configurations of each is told from the others. */
TEST(levels_that_follow_no_curve)
{
	static const double plain[] = {
		7, 9, 8, 14, 20, 21, 26, 40, 41, 60, 90, 80, 130, 200, 320
	};
	static const double rows[] = { 0, 0, 0, 0, 7, 8, 9, 11, 3, 12, 5, 5, 5, 30, 1 };
	struct rarog_influence_run runs[60] = { { .y = 0 } };
	struct rarog_influence model;
	double y, half, worst = 0;

	for (size_t i = 0; i < 60; i++) {
		size_t level = i % 15, others = (level + i / 15) % 4;
		char text[8];

		snprintf(text, sizeof(text), "%zu", level + 1);
		set(&runs[i], "level", text);
		set(&runs[i], "row", others & 1 ? "true" : "false");
		set(&runs[i], "check", others & 2 ? "true" : "false");
		runs[i].y = plain[level] + (others & 1 ? rows[level] : 0) + (others & 2 ? 0.3 : 0);
	}
	assert_int_equal(rarog_influence_fit(45, runs, &model), 0);
	for (size_t i = 45; i < 60; i++) {
		assert_int_equal(rarog_influence_predict(&model, &runs[i].configuration, &y, &half),
				 0);
		worst = fmax(worst, fabs(y - runs[i].y) / runs[i].y);
	}
	assert_true(worst < 0.05);
	release(60, runs, &model);
}
