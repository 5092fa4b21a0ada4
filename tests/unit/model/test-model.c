/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families against statsmodels, quadrature and exact curves; the choice among them. */
#include <stdio.h>

#include "model-peers.h"
#include "model/estimate.h"
#include "model/model.h"
#include "model/points-arguments.h"
#include "num-check.h"
#include "num/random.h"
#include "unit.h"

#define N_MAX 1000

static const struct rarog_model *find(const struct rarog_models *models, const char *name)
{
	const struct rarog_model *model = rarog_models_find(models, name);

	if (!model)
		fail_msg("no %s model", name);
	return model;
}

TEST(families)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	static const struct rarog_model_options logs = { .is_by_logs = true };

	assert_int_equal(rarog_models_fit(PEER_N, peer_x, peer_y, &logs, &models), 0);
	for (size_t i = 0; i < RAROG_COUNT(peer_families); i++) {
		const struct rarog_model *model = find(&models, peer_families[i].name);
		double mean = 0;

		for (size_t k = 0; k < model->family->n_coefficients; k++)
			assert_close(model->b[k], peer_families[i].b[k], 1e-9);
		if (i > 0)
			assert_close(model->r2, peer_families[i].r2, 1e-10);
		assert_close(model->aicc, peer_families[i].aicc, 1e-9);
		assert_int_equal(rarog_model_mean(model, 7, 55, &mean), 0);
		assert_close(mean, peer_families[i].mean, 1e-8);
		assert_close(model->x_start, 1, 0);
		assert_close(model->x_end, 64, 0);
	}
	assert_string_equal(rarog_models_best(&models, RAROG_MODEL_AICC, true)->family->name,
			    "quadratic");
	assert_string_equal(rarog_models_best(&models, RAROG_MODEL_R2, true)->family->name,
			    "cubic");
}

/* Power, exponential and a shifted power on the scale of y, with their errors. */
TEST(nonlinear_families)
{
	static const struct {
		const char *name;
		const double *peer;
		size_t errors;
	} rows[] = { { "power", peer_power, 3 },
		     { "exponential", peer_exponential, 3 },
		     { "shifted-power", peer_shifted_power, 3 } };

	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };

		assert_int_equal(rarog_model_fit(rarog_model_family(rows[k].name), PEER_N, peer_x,
						 peer_y, NULL, &model),
				 0);
		for (size_t i = 0; i < model.family->n_coefficients; i++) {
			assert_close(model.b[i], rows[k].peer[i], 1e-6);
			assert_close(model.error[i], rows[k].peer[rows[k].errors + i], 1e-4);
		}
	}
}

TEST(weights)
{
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	double weights[PEER_N];

	for (size_t i = 0; i < PEER_N; i++)
		weights[i] = 1 + (double)(i % 3);
	assert_int_equal(rarog_model_fit(rarog_model_family("linear"), PEER_N, peer_x, peer_y,
					 &(struct rarog_model_options){ .weights = weights },
					 &model),
			 0);
	for (size_t i = 0; i < 2; i++) {
		assert_close(model.b[i], peer_weighted[i], 1e-10);
		assert_close(model.error[i], peer_weighted[2 + i], 1e-9);
	}
	weights[3] = 0;
	assert_refused(rarog_model_fit(rarog_model_family("linear"), PEER_N, peer_x, peer_y,
				       &(struct rarog_model_options){ .weights = weights }, &model),
		       -EINVAL, "weight");
}

TEST(bands_and_intervals)
{
	static const struct {
		double x;
		const double *peer;
		double beyond;
	} rows[] = { { 30, peer_band_30, 1 }, { 100, peer_band_100, 100 / 64.0 } };
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	char text[100];

	assert_int_equal(rarog_model_fit(rarog_model_family("quadratic"), PEER_N, peer_x, peer_y,
					 NULL, &model),
			 0);
	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		struct rarog_band band;

		rarog_model_band(&model, rows[k].x, 0.95, &band);
		assert_close(band.value, rows[k].peer[0], 1e-9);
		assert_close(band.low, rows[k].peer[1], 1e-9);
		assert_close(band.high, rows[k].peer[2], 1e-9);
		assert_close(band.low_one, rows[k].peer[3], 1e-9);
		assert_close(band.high_one, rows[k].peer[4], 1e-9);
		assert_close(band.beyond, rows[k].beyond, 1e-12);
	}
	for (size_t i = 0; i < 3; i++) {
		double low, high;

		rarog_model_interval(&model, i, 0.95, &low, &high);
		assert_close(low, peer_interval[2 * i], 1e-9);
		assert_close(high, peer_interval[2 * i + 1], 1e-9);
	}
	model.b[1] = -3.5;
	model.b[0] = 40;
	model.b[2] = 0.08;
	assert_string_equal(rarog_model_text(&model, "n", sizeof(text), text),
			    "40 - 3.5 n + 0.08 n^2");
	assert_int_equal(strlen(rarog_model_text(&model, "n", 8, text)), 7);
	model.b[0] = model.b[2] = 0;
	assert_string_equal(rarog_model_text(&model, "n", sizeof(text), text), "-3.5 n");
	model.b[1] = 0;
	assert_string_equal(rarog_model_text(&model, "n", sizeof(text), text), "0 n^2");
	model.family = rarog_model_family("exponential");
	model.b[0] = 3;
	model.b[1] = 1.0006;
	assert_string_equal(rarog_model_text(&model, "n", sizeof(text), text), "3 1.0006^n");
}

TEST(robust)
{
	static const struct {
		enum rarog_robust robust;
		const double *peer;
	} rows[] = { { RAROG_ROBUST_HUBER, peer_huber }, { RAROG_ROBUST_TUKEY, peer_tukey } };

	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
		struct rarog_model_options options = { .robust = rows[k].robust };

		assert_int_equal(rarog_model_fit(rarog_model_family("linear"), PEER_N, peer_x,
						 peer_outliers, &options, &model),
				 0);
		for (size_t i = 0; i < 2; i++) {
			assert_close(model.b[i], rows[k].peer[i], 1e-5);
			assert_close(model.error[i], rows[k].peer[2 + i], 1e-3);
		}
		assert_close(model.deviation, rows[k].peer[4], 1e-5);
	}
}

/* Σ psi(residual / scale) ∂f/∂b = 0 by Huber 1964, of each coefficient; for the scale see there. */
static void assert_stationary(const struct rarog_model *model, size_t n, const double x[],
			      const double y[])
{
	double sums[3] = { 0 }, sizes[3] = { 0 }, row[3];

	for (size_t i = 0; i < n; i++) {
		double u = (y[i] - rarog_model_value(model, x[i])) / model->deviation,
		       psi = fmax(-1.345, fmin(1.345, u));

		model->family->gradient(model, x[i], row);
		for (size_t k = 0; k < model->family->n_coefficients; k++) {
			sums[k] += psi * row[k];
			sizes[k] += fabs(psi * row[k]);
		}
	}
	for (size_t k = 0; k < model->family->n_coefficients; k++)
		assert_true(fabs(sums[k]) < 1e-5 * sizes[k]);
}

TEST(robust_curves)
{
	static const char *const names[] = { "power", "shifted-power", "exponential" };
	static const struct rarog_model_options options = { .robust = RAROG_ROBUST_HUBER };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(7);
	double x[N_MAX], y[N_MAX];

	for (size_t i = 0; i < N_MAX; i++) {
		x[i] = 10 + (double)i;
		y[i] = 500 + 0.3 * pow(x[i], 1.6) + 40 * rarog_random_normal(random);
		y[i] *= i % 20 == 7 ? 5 : 1;
	}
	for (size_t k = 0; k < RAROG_COUNT(names); k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };

		assert_int_equal(rarog_model_fit(rarog_model_family(names[k]), N_MAX, x, y,
						 &options, &model),
				 0);
		assert_stationary(&model, N_MAX, x, y);
	}
}

/* The smallest error of what is left out: as if each point had been. */
TEST(left_out)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	struct rarog_choice choice;
	double squares = 0;

	assert_int_equal(rarog_models_fit(PEER_N, peer_x, peer_y, NULL, &models), 0);
	for (size_t k = 0; k < PEER_N; k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
		double x[PEER_N], y[PEER_N];
		size_t n = 0;

		for (size_t i = 0; i < PEER_N; i++)
			if (i != k) {
				x[n] = peer_x[i];
				y[n++] = peer_y[i];
			}
		assert_int_equal(
			rarog_model_fit(rarog_model_family("cubic"), n, x, y, NULL, &model), 0);
		squares += pow(peer_y[k] - rarog_model_value(&model, peer_x[k]), 2);
	}
	assert_close(find(&models, "cubic")->cv, sqrt(squares / PEER_N), 1e-9);
	rarog_models_choose(&models, RAROG_MODEL_CV, &choice);
	for (size_t i = 0; i < choice.n; i++)
		assert_true(choice.candidates[i].model->cv >= choice.best->cv);
	assert_int_equal(choice.growth, RAROG_GROWTH_QUADRATIC);
}

TEST(non_parametric)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	const struct rarog_model *regressogram, *moving;
	const size_t n = RAROG_COUNT(peer_buckets);
	static const struct rarog_model_options as_peers = {
		.regressogram = { .rule = RAROG_BINS_STURGES }, .moving = { .width = 3 }
	};
	double width = 63.0 / (double)n, sum = 0, mean = 0;

	assert_int_equal(rarog_models_fit(PEER_N, peer_x, peer_y, &as_peers, &models), 0);
	regressogram = find(&models, "regressogram");
	moving = find(&models, "moving-average");
	for (size_t i = 0; i < n; i++) {
		assert_close(rarog_model_value(regressogram, 1 + ((double)i + 0.5) * width),
			     peer_buckets[i], 1e-12);
		sum += peer_buckets[i];
	}
	assert_int_equal(rarog_model_mean(regressogram, 1, 64, &mean), 0);
	assert_close(mean, sum / (double)n, 1e-12);
	for (size_t i = 0; i < PEER_N; i++)
		assert_close(rarog_model_value(moving, peer_x[i]), peer_moving[i], 1e-12);
	assert_int_equal(rarog_model_mean(moving, 7, 55, &mean), 0);
	assert_close(mean, PEER_MOVING_MEAN, 1e-12);
	/* level outside, half-way between two knots */
	assert_close(rarog_model_value(moving, -5), peer_moving[0], 1e-12);
	assert_close(rarog_model_value(moving, 500), peer_moving[PEER_N - 1], 1e-12);
	assert_close(rarog_model_value(moving, 4), (peer_moving[2] + peer_moving[3]) / 2, 1e-12);
}

/* Curves without noise, from their formulas: coefficients, r2, the right family and class. */
TEST(exact_curves)
{
	static const struct {
		const char *name;
		double b0, b1;
		enum rarog_growth growth;
		double x[6], y[6];
	} rows[] = {
		{ "constant",
		  3,
		  0,
		  RAROG_GROWTH_CONSTANT,
		  { 1, 2, 3, 4, 5, 6 },
		  { 3, 3, 3, 3, 3, 3 } },
		{ "linear",
		  8,
		  2.5,
		  RAROG_GROWTH_LINEAR,
		  { 0, 2, 4, 6, 8, 10 },
		  { 8, 13, 18, 23, 28, 33 } },
		{ "logarithmic",
		  0,
		  0.4342944819032518,
		  RAROG_GROWTH_LOGARITHMIC,
		  { 1, 10, 100, 1000, 10000, 100000 },
		  { 0, 1, 2, 3, 4, 5 } },
		{ "linear-linearithmic", /* 5 + 2 x + 3 x ln x */
		  5,
		  2,
		  RAROG_GROWTH_LINEARITHMIC,
		  { 1, 2, 4, 8, 16, 32 },
		  { 7, 13.158883083359672, 29.635532333438686, 70.90659700031605, 170.0842586675095,
		    401.71064666877373 } },
		{ "power",
		  3,
		  3,
		  RAROG_GROWTH_CUBIC,
		  { 1, 2, 3, 4, 5, 6 },
		  { 3, 24, 81, 192, 375, 648 } },
		{ "exponential",
		  1,
		  2,
		  RAROG_GROWTH_EXPONENTIAL,
		  { 1, 2, 3, 4, 5, 6 },
		  { 2, 4, 8, 16, 32, 64 } },
	};

	for (size_t i = 0; i < RAROG_COUNT(rows); i++) {
		rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
		const struct rarog_model *best;

		assert_int_equal(rarog_models_fit(6, rows[i].x, rows[i].y, NULL, &models), 0);
		best = rarog_models_best(&models, RAROG_MODEL_AICC, true);
		assert_string_equal(best->family->name, rows[i].name);
		assert_true(fabs(best->b[0] - rows[i].b0) < 1e-9);
		assert_true(fabs(best->b[1] - rows[i].b1) < 1e-9);
		assert_close(best->r2, 1, 1e-12);
		assert_int_equal(rarog_model_growth(best), rows[i].growth);
		assert_close(rarog_models_trust(&models, best), 1, 1e-12);
	}
}

/* y = x has a constant of r2 0, which is not to be trusted; a flat, noisy y has one that is. */
TEST(trust)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 }, flat = { 0 };
	static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
			    y[] = { 11, 9, 10, 11, 9, 10, 9, 11, 10, 10 };

	assert_int_equal(rarog_models_fit(10, x, x, NULL, &models), 0);
	assert_true(fabs(find(&models, "constant")->r2) < 1e-12);
	assert_close(find(&models, "constant")->b[0], 5.5, 1e-12);
	assert_true(rarog_models_trust(&models, find(&models, "constant")) < 1e-9);
	assert_int_equal(rarog_models_fit(10, x, y, NULL, &flat), 0);
	assert_string_equal(rarog_models_best(&flat, RAROG_MODEL_AICC, true)->family->name,
			    "constant");
	assert_true(rarog_models_trust(&flat, find(&flat, "constant")) > 0.8);
}

/* Flat and linear data with noise, 200 times each: the parabola must not win by its freedom. */
TEST(noise)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(20261122);
	double x[N_MAX], y[N_MAX];
	size_t right[2] = { 0 };

	assert_non_null(random);
	for (int k = 0; k < 200; k++) {
		rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
		size_t n = 20 + (size_t)k;
		double slope = k % 2 ? 2.0 : 0;

		for (size_t i = 0; i < n; i++) {
			x[i] = (double)i;
			y[i] = 300 + slope * x[i] + 5 * rarog_random_normal(random);
		}
		assert_int_equal(rarog_models_fit(n, x, y, NULL, &models), 0);
		right[k % 2] +=
			rarog_model_growth(rarog_models_best(&models, RAROG_MODEL_AICC, true)) ==
			(k % 2 ? RAROG_GROWTH_LINEAR : RAROG_GROWTH_CONSTANT);
	}
	assert_between((double)right[0], 75, 100);
	assert_between((double)right[1], 85, 100);
}

/* Instructions of bzip2's mainSort on so many random letters, counted one by one (engine vex). */
static const double sorted[][2] = {
	{ 11000, 3861874 },   { 13081, 4122564 },   { 15557, 4437524 },   { 18501, 4811669 },
	{ 22002, 5255680 },   { 26167, 5760186 },   { 31119, 6338588 },   { 37008, 7046973 },
	{ 44011, 7954611 },   { 52341, 9008665 },   { 62246, 10288403 },  { 74026, 11803944 },
	{ 88035, 13620590 },  { 104696, 15814741 }, { 124510, 18455596 }, { 148073, 21650786 },
	{ 176095, 25425984 }, { 209421, 30074050 }, { 249054, 35665667 }, { 296187, 42345225 },
};

/* What is said of it, by run; each amount is off by a factor of e to @noise times normal. */
static void estimate_sort(double noise, struct rarog_random *random, bool *ret_is_told,
			  enum rarog_growth *ret_growth)
{
	const struct rarog_costs of = { .is_over_runs = true,
					.unit = noise > 0 ? RAROG_UNIT_NS : RAROG_UNIT_COUNT };
	const struct rarog_estimate_options options = { .fit.model.errors = RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled estimate = { 0 };
	struct rarog_costing cost = { .mangled = NULL };
	const struct rarog_choice *choice;

	for (size_t i = 0; i < RAROG_COUNT(sorted); i++) {
		double off = exp(noise * rarog_random_normal(random));

		assert_int_equal(rarog_points_add(&cost.points, sorted[i][0], sorted[i][1] * off),
				 0);
	}
	assert_int_equal(rarog_points_sort(&cost.points), 0);
	assert_int_equal(rarog_estimate(&cost, &of, &options, &estimate), 0);
	choice = &estimate.pieces.v[0].choice;
	*ret_is_told = choice->is_told;
	*ret_growth = choice->growth;
	rarog_points_release(&cost.points);
}

/* What is stated is n log n; with noise as of a busy machine little is. */
TEST(a_real_sort)
{
	static const double noises[] = { 0, 0.02, 0.05, 0.1, 0.2 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(20261123);

	assert_non_null(random);
	for (size_t i = 0; i < RAROG_COUNT(noises); i++) {
		size_t told = 0, wrong = 0;

		for (int k = 0; k < 200; k++) {
			enum rarog_growth growth;
			bool is_told;

			estimate_sort(noises[i], random, &is_told, &growth);
			told += is_told;
			wrong += is_told && growth != RAROG_GROWTH_LINEARITHMIC;
		}
		print_message("noise %g: told %zu, wrong %zu of 200\n", noises[i], told, wrong);
		assert_true(wrong <= 10);
	}
}

/* Instructions of quick sort's calls with n numbers, those within calls as well (engine vex,
 * tests/programs/blocks/sorts.cc); reversed numbers take more than sorted ones. */
static const double quick[][2] = {
	{ 1, 3 },       { 2, 62 },      { 3, 126 },     { 4, 183 },     { 5, 252 },
	{ 6, 322 },     { 7, 384 },     { 8, 447 },     { 9, 521 },     { 10, 596 },
	{ 11, 671 },    { 12, 747 },    { 13, 814 },    { 15, 950 },    { 18, 1178 },
	{ 20, 1339 },   { 20, 1414 },   { 23, 1581 },   { 25, 1735 },   { 30, 2102 },
	{ 35, 2505 },   { 40, 2935 },   { 40, 3080 },   { 45, 3365 },   { 50, 3782 },
	{ 60, 4571 },   { 60, 4786 },   { 70, 5432 },   { 80, 6347 },   { 80, 6632 },
	{ 90, 7262 },   { 100, 8151 },  { 100, 8506 },  { 120, 10264 }, { 140, 12166 },
	{ 160, 14176 }, { 180, 16186 }, { 200, 18144 },
};

/* Each point so often as calls with n numbers are. */
static void estimate_counts(size_t calls, double (*count)(size_t i),
			    struct rarog_choice *ret_choice)
{
	const struct rarog_costs of = { .unit = RAROG_UNIT_COUNT };
	const struct rarog_estimate_options options = { .fit.model.errors = RAROG_ERRORS_AUTO };
	rarog_cleanup(rarog_estimate_release) struct rarog_modelled estimate = { 0 };
	struct rarog_costing cost = { .points.are_counts = true };
	size_t seen = 0;

	for (size_t i = 0; i < RAROG_COUNT(quick); i++)
		for (size_t k = 0; k < calls / (size_t)quick[i][0] + 1; k++, seen++)
			assert_int_equal(rarog_points_add(&cost.points, quick[i][0], count(i)), 0);
	assert_int_equal(rarog_points_sort(&cost.points), 0);
	assert_int_equal(cost.points.seen, seen);
	assert_int_equal(rarog_estimate(&cost, &of, &options, &estimate), 0);
	assert_int_equal(estimate.points.n, RAROG_COUNT(quick));
	*ret_choice = estimate.pieces.v[0].choice;
	rarog_points_release(&cost.points);
}

static double of_quick_sort(size_t i)
{
	return quick[i][1];
}

static double of_a_power(size_t i)
{
	return floor(40 * pow(quick[i][0], 1.3)) + (double)(i % 2);
}

/* However many calls there are: they say the same. */
TEST(counts_of_small_arrays)
{
	static const size_t calls[] = { 1, 30000 };

	for (size_t i = 0; i < RAROG_COUNT(calls); i++) {
		struct rarog_choice choice;

		estimate_counts(calls[i], of_quick_sort, &choice);
		assert_true(choice.is_told);
		assert_int_equal(choice.growth, RAROG_GROWTH_LINEARITHMIC);
		estimate_counts(calls[i], of_a_power, &choice);
		assert_true(choice.is_told);
		assert_int_equal(choice.growth, RAROG_GROWTH_POWER);
	}
}

/* Points without a logarithm: a few are left out, many are too many. */
TEST(without_logarithm)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 }, half = { 0 };
	double x[30], y[30], mean = 0;

	for (size_t i = 0; i < 30; i++) {
		x[i] = (double)i; /* begins with 0 */
		y[i] = 2 * pow(x[i], 1.5);
	}
	assert_int_equal(rarog_models_fit(30, x, y, NULL, &models), 0);
	assert_close(find(&models, "power")->b[1], 1.5, 1e-10);
	assert_close(rarog_model_value(find(&models, "power"), 0), 0, 0);
	assert_close(rarog_model_value(find(&models, "logarithmic"), 0),
		     rarog_model_value(find(&models, "logarithmic"), 1), 0);
	assert_true(isfinite(rarog_model_value(find(&models, "linearithmic"), 0)));
	assert_int_equal(rarog_model_mean(find(&models, "logarithmic"), 0, 29, &mean), 0);
	assert_true(isfinite(mean));
	for (size_t i = 0; i < 30; i++)
		x[i] -= 15;
	assert_int_equal(rarog_models_fit(30, x, y, NULL, &half), 0);
	assert_null(rarog_models_find(&half, "power"));
	assert_null(rarog_models_find(&half, "logarithmic"));
	assert_non_null(rarog_models_find(&half, "exponential"));
}

TEST(refused)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	static const double same[] = { 5, 5, 5, 5 }, up[] = { 1, 2, 3, 4 }, down[] = { 4, 3, 2, 1 },
			    bad[] = { 1, 2, NAN, 4 };

	assert_int_equal(rarog_models_fit(2, up, down, NULL, &models), 0);
	assert_int_equal(models.n, 0);
	assert_null(rarog_models_best(&models, RAROG_MODEL_AICC, true));
	assert_refused(rarog_models_fit(4, down, up, NULL, &models), -EINVAL, "sorted");
	assert_refused(rarog_models_fit(4, up, bad, NULL, &models), -EINVAL, "y");
	assert_refused(rarog_model_fit(rarog_model_family("linear"), 4, same, up, NULL, &model),
		       -EDOM, "different inputs");
	assert_null(rarog_model_family("sinus"));
	/* one x only: the mean is all that can be said */
	assert_int_equal(rarog_models_fit(4, same, up, NULL, &models), 0);
	assert_int_equal(models.n, 1);
	assert_close(find(&models, "constant")->b[0], 2.5, 1e-12);
}

/* Sizes of millions, times of 10^12 ns: nothing is lost by squares and cubes. */
TEST(large_numbers)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	double x[100], y[100];

	for (size_t i = 0; i < 100; i++) {
		x[i] = 1e7 * (double)(i + 1);
		y[i] = 5e3 + 2 * x[i] + 3e-9 * x[i] * x[i];
	}
	assert_int_equal(rarog_models_fit(100, x, y, NULL, &models), 0);
	assert_close(find(&models, "quadratic")->b[1], 2, 1e-6);
	assert_close(find(&models, "quadratic")->b[2], 3e-9, 1e-6);
}

TEST(gaps)
{
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	static const double x[] = { 0, 1, 2, 97, 98, 99, 100, 100 };
	static const double y[] = { 10, 10, 10, 50, 50, 50, 50, 50 };
	static const struct rarog_model_options options = { .regressogram = { .buckets = 4 } };

	assert_int_equal(rarog_models_fit(8, x, y, &options, &models), 0);
	assert_close(find(&models, "regressogram")->knots_count[1], 0, 0);
	/* four buckets; the two in the middle are empty */
	assert_close(rarog_model_value(find(&models, "regressogram"), 30), 10 + 40 / 3.0, 1e-12);
	assert_close(rarog_model_value(find(&models, "regressogram"), 60), 10 + 80 / 3.0, 1e-12);
	assert_close(rarog_model_value(find(&models, "moving-average"), 100), 50, 1e-12);
}
