/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of several variables whose terms are known: these are found, and no others. */
#include "model/normal-form.h"
#include "num-check.h"
#include "num/random.h"
#include "unit.h"

#define N 125

/* A grid of five sizes for each of three variables. */
static void fill_grid(double x[3 * N])
{
	static const double sizes[] = { 4, 10, 30, 100, 250 };

	for (size_t i = 0; i < N; i++) {
		x[3 * i] = sizes[i % 5];
		x[3 * i + 1] = sizes[i / 5 % 5] * 2;
		x[3 * i + 2] = sizes[i / 25] + 1;
	}
}

static double sum_of_two(const double x[])
{
	return 100 + 3 * x[0] * log2(x[0]) + 0.5 * x[1] * x[1];
}

static double product_of_two(const double x[])
{
	return 50 + 0.2 * x[0] * x[1] * log2(x[1]);
}

static double product_of_three(const double x[])
{
	return 7 + 0.01 * x[0] * x[1] * x[2] + 4 * x[2];
}

static double alone(const double x[])
{
	return 20 + 2 * pow(x[1], 1.5);
}

static const struct {
	const char *text;
	double (*cost)(const double x[]);
	size_t n_terms;
	struct rarog_normal_term terms[2];
} costs[] = {
	{ "sum of two", sum_of_two, 2, { { { { 2, 0 } } }, { { { 0 } } } } },
	{ "product of two", product_of_two, 1, { { { { 1, 0 }, { 1, 1 } } } } },
	{ "product of three", product_of_three, 2, { { { { 0 } } } } },
	{ "one alone", alone, 1, { { { { 0 }, { 1.5, 0 } } } } },
};

static void fit(size_t k, double noise, enum rarog_errors errors, struct rarog_normal_form *form)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(5);
	static const char *const names[] = { "n", "m", "k" };
	struct rarog_model_options options = { .errors = errors };
	double x[3 * N], y[N];
	char text[200];

	fill_grid(x);
	for (size_t i = 0; i < N; i++)
		y[i] = costs[k].cost(x + 3 * i) * (1 + noise * rarog_random_normal(random));
	assert_int_equal(rarog_normal_form_fit(N, 3, x, y, &options, form), 0);
	print_message("%s: %s\n", costs[k].text,
		      rarog_normal_form_text(form, names, sizeof(text), text));
}

TEST(exact)
{
	for (size_t k = 0; k < RAROG_COUNT(costs); k++) {
		struct rarog_normal_form form;
		double x[3 * N];

		fit(k, 0, RAROG_ERRORS_CONSTANT, &form);
		fill_grid(x);
		assert_int_equal(form.n_terms, costs[k].n_terms);
		assert_close(form.r2, 1, 1e-12);
		for (size_t i = 0; i < N; i++)
			assert_close(rarog_normal_form_value(&form, x + 3 * i),
				     costs[k].cost(x + 3 * i), 1e-9);
		/* twice as far as any point */
		assert_close(rarog_normal_form_value(&form, (const double[]){ 500, 1000, 500 }),
			     costs[k].cost((const double[]){ 500, 1000, 500 }), 1e-7);
	}
}

TEST(terms)
{
	struct rarog_normal_form form;
	size_t nlogn = 0, square = 0;

	fit(0, 0, RAROG_ERRORS_CONSTANT, &form);
	for (size_t k = 0; k < 2; k++) {
		const struct rarog_normal_factor *of = form.terms[k].of;

		nlogn += of[0].power == 1 && of[0].logs == 1 && of[1].power == 0;
		square += of[1].power == 2 && of[1].logs == 0 && of[0].power == 0;
	}
	assert_int_equal(nlogn, 1);
	assert_int_equal(square, 1);
	fit(1, 0, RAROG_ERRORS_CONSTANT, &form);
	assert_close(form.b[0], 50, 1e-9);
	assert_close(form.b[1], 0.2, 1e-9);
}

/* 5 % of noise that grows with the cost: the curve comes out, and its band holds the truth. */
TEST(noise)
{
	for (size_t k = 0; k < RAROG_COUNT(costs); k++) {
		struct rarog_normal_form form;
		struct rarog_band band;
		double x[3 * N];
		size_t inside = 0;

		fit(k, 0.05, RAROG_ERRORS_AUTO, &form);
		assert_true(form.n_terms <= costs[k].n_terms + 1);
		assert_true(form.error_power == 1);
		assert_between(form.deviation, 0.04, 0.06);
		fill_grid(x);
		for (size_t i = 0; i < N; i++) {
			double truth = costs[k].cost(x + 3 * i);

			assert_close(rarog_normal_form_value(&form, x + 3 * i), truth, 0.1);
			rarog_normal_form_band(&form, x + 3 * i, 0.95, &band);
			assert_close(band.beyond, 1, 0);
			inside += truth >= band.low && truth <= band.high;
		}
		assert_true(inside >= N / 2);
	}
}

/* A cost that does not depend on anything has no terms. */
TEST(nothing)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(6);
	struct rarog_model_options options = { .errors = RAROG_ERRORS_AUTO };
	struct rarog_normal_form form;
	double x[3 * N], y[N];
	size_t terms = 0;

	fill_grid(x);
	for (int k = 0; k < 10; k++) {
		for (size_t i = 0; i < N; i++)
			y[i] = 1000 + 50 * rarog_random_normal(random);
		assert_int_equal(rarog_normal_form_fit(N, 3, x, y, &options, &form), 0);
		terms += form.n_terms;
	}
	assert_true(terms <= 1);
}

TEST(refused)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6 }, zero[] = { 0, 1, 2, 3, 4, 5 },
			    same[] = { 3, 3, 3, 3, 3, 3 };
	struct rarog_normal_form form;

	assert_refused(rarog_normal_form_fit(4, 1, x, x, NULL, &form), -EDOM, "too few");
	assert_refused(rarog_normal_form_fit(6, 0, x, x, NULL, &form), -EINVAL, "variables");
	assert_refused(rarog_normal_form_fit(6, 1, zero, x, NULL, &form), -EDOM, "not above 0");
	assert_refused(rarog_normal_form_fit(6, 1, same, x, NULL, &form), -EDOM, "never changes");
}
