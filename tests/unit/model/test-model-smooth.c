/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothers against pandas, SciPy, NumPy and statsmodels, and against sums written out. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdio.h>

#include "model-peers.h"
#include "model/model.h"
#include "num-check.h"
#include "num/bins.h"
#include "num/kernel.h"
#include "num/random.h"
#include "num/window.h"
#include "unit.h"

TEST(windows)
{
	for (size_t k = 0; rarog_window_shapes[k].name; k++) {
		double seven[7], eight[8];

		rarog_window_fill(&rarog_window_shapes[k], 7, seven);
		rarog_window_fill(&rarog_window_shapes[k], 8, eight);
		for (size_t i = 0; i < 7; i++)
			assert_true(fabs(seven[i] - peer_windows_7[7 * k + i]) < 1e-12);
		for (size_t i = 0; i < 8; i++)
			assert_true(fabs(eight[i] - peer_windows_8[8 * k + i]) < 1e-12);
		assert_string_equal(rarog_window_shapes[k].name, rarog_window_names[k]);
	}
}

TEST(bins)
{
	for (size_t k = 0; rarog_bin_rules[k].name; k++) {
		assert_int_equal(rarog_bins(&rarog_bin_rules[k], PEER_N, peer_x),
				 (size_t)peer_bins_x[k]);
		assert_int_equal(rarog_bins(&rarog_bin_rules[k], 200, peer_skewed),
				 (size_t)peer_bins_skewed[k]);
		assert_string_equal(rarog_bin_rules[k].name, rarog_bin_rule_names[k]);
	}
}

static void fit(const char *family, const double y[], const struct rarog_model_options *options,
		struct rarog_model *ret_model)
{
	assert_int_equal(
		rarog_model_fit(rarog_model_family(family), PEER_N, peer_x, y, options, ret_model),
		0);
}

TEST(moving_averages)
{
	static const struct {
		const double *expected;
		struct rarog_moving_options options;
	} rows[] = {
		{ peer_triang, { .width = 5, .window = RAROG_WINDOW_TRIANG } },
		{ peer_hamming_even, { .width = 6, .window = RAROG_WINDOW_HAMMING } },
		{ peer_trailing,
		  { .width = 4, .window = RAROG_WINDOW_PARZEN, .is_trailing = true } },
		{ peer_median, { .width = 5, .kind = RAROG_MOVING_SMM } },
		{ peer_median_even, { .width = 4, .kind = RAROG_MOVING_SMM, .is_trailing = true } },
		{ peer_ewm_span,
		  { .kind = RAROG_MOVING_EMA,
		    .has_decay = true,
		    .decay = RAROG_DECAY_SPAN,
		    .decay_value = 4 } },
		{ peer_ewm_halflife,
		  { .kind = RAROG_MOVING_EMA,
		    .has_decay = true,
		    .decay = RAROG_DECAY_HALFLIFE,
		    .decay_value = 2 } },
	};

	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };

		fit("moving-average", peer_y,
		    &(struct rarog_model_options){ .moving = rows[k].options }, &model);
		assert_int_equal(model.n_knots, PEER_N);
		for (size_t i = 0; i < PEER_N; i++) {
			assert_close(model.knots_x[i], peer_x[i], 0);
			assert_close(model.knots_y[i], rows[k].expected[i], 1e-12);
		}
	}
}

/* Fewer points than min_periods: no value, no knot. */
TEST(min_periods)
{
	rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
	const struct rarog_model_options options = { .moving = { .width = 5, .min_periods = 5 } };

	fit("moving-average", peer_y, &options, &model);
	assert_int_equal(model.n_knots, PEER_N - 4);
	assert_close(model.knots_x[0], peer_x[2], 0);
}

/* Sums by Fourier transforms are those written out. */
TEST(windows_of_many)
{
	enum { N = 20000, WIDTH = 2001 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(3);
	rarog_cleanup(rarog_freep) double *y = calloc(2 * N + WIDTH, sizeof(double));
	double *sums = y + N, *weights = y + 2 * N;

	for (size_t i = 0; i < N; i++)
		y[i] = rarog_random_below(random, 50) + rarog_random_normal(random);
	for (size_t k = 0; rarog_window_shapes[k].name; k++) {
		rarog_window_fill(&rarog_window_shapes[k], WIDTH, weights);
		assert_int_equal(rarog_window_sums(N, y, WIDTH, weights, 700, sums), 0);
		for (size_t i = 0; i < N; i += 173) {
			double sum = 0;

			for (size_t j = 0; j < WIDTH; j++)
				if (i + j >= 700 && i + j - 700 < N)
					sum += weights[j] * y[i + j - 700];
			assert_close(sums[i], sum, 1e-9);
		}
	}
}

/* Windows so wide that they are summed up in parts, of values that are off by 1. */
TEST(windows_of_parts)
{
	enum { N = 60000, WIDTH = 9001 };
	static const size_t befores[] = { 4500, 9000, 0, 700 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(3);
	rarog_cleanup(rarog_freep) double *y = calloc(2 * N + WIDTH, sizeof(double));
	double *sums = y + N, *weights = y + 2 * N;

	for (size_t i = 0; i < N; i++)
		y[i] = (double)i / N + rarog_random_normal(random);
	for (size_t k = 0; rarog_window_shapes[k].name; k++) {
		size_t before = befores[k % RAROG_COUNT(befores)];
		double all = 0, most = 0;

		rarog_window_fill(&rarog_window_shapes[k], WIDTH, weights);
		for (size_t j = 0; j < WIDTH; j++)
			all += weights[j];
		assert_int_equal(rarog_window_sums(N, y, WIDTH, weights, before, sums), 0);
		for (size_t i = 0; i < N; i += i < 100 || i > N - 100 ? 1 : 173) {
			double sum = 0;

			for (size_t j = 0; j < WIDTH; j++)
				if (i + j >= before && i + j - before < N)
					sum += weights[j] * y[i + j - before];
			most = fmax(most, fabs(sums[i] - sum) / all);
		}
		assert_true(most < 2e-4);
	}
}

static double sorted_median(size_t n, double values[])
{
	gsl_sort(values, 1, n);
	return gsl_stats_median_from_sorted_data(values, 1, n);
}

/* Values of which many are equal, negative or 0, and windows that are cut at both ends. */
TEST(medians_of_many)
{
	enum { N = 10000 };
	static const size_t widths[][2] = { { 1, 0 },   { 2, 1 },      { 11, 4 },      { 12, 6 },
					    { 12, 11 }, { 2001, 700 }, { 9998, 9997 }, { N, 0 } };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(5);
	rarog_cleanup(rarog_freep) double *y = calloc(3 * N, sizeof(double));
	double *medians = y + N, *near = y + 2 * N;

	for (size_t i = 0; i < N; i++)
		y[i] = i % 3 ? rarog_random_normal(random) : rarog_random_below(random, 5) - 2.0;
	for (size_t k = 0; k < RAROG_COUNT(widths); k++) {
		size_t width = widths[k][0], before = widths[k][1];

		assert_int_equal(rarog_window_medians(N, y, width, before, medians), 0);
		for (size_t i = 0; i < N; i += 97) {
			size_t from = i > before ? i - before : 0,
			       to = i + width - before < N ? i + width - before : N;

			memcpy(near, y + from, (to - from) * sizeof(double));
			assert_close(medians[i], sorted_median(to - from, near), 0);
		}
	}
}

TEST(kernels)
{
	static const struct {
		const double *expected;
		unsigned degree;
	} rows[] = { { peer_kernel_ll, 2 }, { peer_kernel_lc, 1 } };

	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
		const struct rarog_model_options options = {
			.kernel = { .kernel = RAROG_KERNEL_NORMAL,
				    .degree = rows[k].degree,
				    .bandwidth = RAROG_BANDWIDTH_GIVEN,
				    .given = 6 }
		};

		fit("kernel", peer_y, &options, &model);
		for (size_t i = 0; i < PEER_N; i++)
			assert_close(rarog_model_value(&model, peer_x[i]), rows[k].expected[i],
				     1e-10);
	}
}

/* Where each is 1 beside its place, by its formula; all but those of fourth order are not below 0,
 * and those integrate to 1 as well. */
TEST(shapes_of_kernels)
{
	for (size_t k = 0; rarog_kernels[k].name; k++) {
		double sum = 0, square = 0, step = 1e-3;

		for (double u = -10; u < 10; u += step) {
			sum += rarog_kernels[k].weight(u) * step;
			square += rarog_kernels[k].weight(u) * u * u * step;
		}
		assert_close(sum, 1, 2e-3);
		if (strchr(rarog_kernels[k].name, '4')) /* fourth order: no second moment */
			assert_true(fabs(square) < 5e-3);
		else
			assert_true(square > 0.1);
		assert_string_equal(rarog_kernels[k].name, rarog_kernel_names[k]);
	}
}

TEST(bandwidths)
{
	static const struct {
		enum rarog_bandwidth by;
		unsigned degree;
		double expected;
	} rows[] = { { RAROG_BANDWIDTH_CV, 2, PEER_BANDWIDTH_CV_LS },
		     { RAROG_BANDWIDTH_AIC, 1, PEER_BANDWIDTH_AIC } };

	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
		const struct rarog_model_options options = { .kernel = {
								     .kernel = RAROG_KERNEL_NORMAL,
								     .degree = rows[k].degree,
								     .bandwidth = rows[k].by } };

		fit("kernel", peer_noisy, &options, &model);
		assert_close(model.width, rows[k].expected, 0.02);
	}
}

/* A cubic is its own local polynomial of degree 3, whatever the kernel; a ridge draws lines to
 * means. */
TEST(local_polynomials)
{
	for (size_t k = 0; rarog_kernel_names[k]; k++) {
		rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 }, line = { 0 },
								      mean = { 0 };
		struct rarog_model_options options = {
			.kernel = { .kernel = (enum rarog_smoothing_kernel)k,
				    .degree = 4,
				    .bandwidth = RAROG_BANDWIDTH_GIVEN,
				    .given = 40 }
		};
		double y[PEER_N];

		for (size_t i = 0; i < PEER_N; i++)
			y[i] = 5 + peer_x[i] - 0.1 * pow(peer_x[i], 2) + 0.002 * pow(peer_x[i], 3);
		fit("kernel", y, &options, &model);
		for (size_t i = 0; i < PEER_N; i++)
			assert_true(fabs(rarog_model_value(&model, peer_x[i]) - y[i]) < 1e-6);
		if (strchr(rarog_kernel_names[k], '4'))
			continue;
		options.kernel.degree = 2;
		options.kernel.ridge = 1e9;
		fit("kernel", y, &options, &line);
		options.kernel.degree = 1;
		options.kernel.ridge = 0;
		fit("kernel", y, &options, &mean);
		for (size_t i = 0; i < PEER_N; i++)
			assert_close(rarog_model_value(&line, peer_x[i]),
				     rarog_model_value(&mean, peer_x[i]), 1e-6);
	}
}

/* What is left out counts by the size of its error: written out, point by point. */
TEST(errors_that_grow)
{
	double x[40], y[40], weight[40], spread[40] = { 0 }, count[40], errors[40], sum = 0;
	const struct rarog_cells all = { 40, x, y, weight, spread, count, 40 };
	const struct rarog_kernel_fit how = {
		.kernel = &rarog_kernels[2], .degree = 1, .bandwidth = 3, .errors = errors
	};
	struct rarog_kernel_score score;

	for (size_t i = 0; i < 40; i++) {
		x[i] = (double)i;
		y[i] = exp(0.2 * x[i]) * (1 + 0.1 * sin(3.0 * x[i]));
		weight[i] = count[i] = 1;
		errors[i] = exp(-0.4 * x[i]);
	}
	rarog_kernel_score(&all, &how, NULL, &score);
	for (size_t i = 0; i < 40; i++) {
		double other_x[39], other_y[39];
		const struct rarog_cells rest = { 39, other_x, other_y, weight, spread, count, 39 };
		size_t n = 0;

		for (size_t k = 0; k < 40; k++)
			if (k != i) {
				other_x[n] = x[k];
				other_y[n++] = y[k];
			}
		sum += errors[i] * pow(y[i] - rarog_kernel_at(&rest, &how, x[i]).y, 2);
	}
	assert_close(score.left_out, sum, 1e-9);
}

/* The band of each smoother holds the truth where the noise is known. */
TEST(bands_hold_the_truth)
{
	static const char *const families[] = { "regressogram", "moving-average", "kernel" };
	enum { N = 400, DRAWS = 40 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(11);
	double x[N], y[N];

	for (size_t k = 0; k < RAROG_COUNT(families); k++) {
		size_t inside = 0, one = 0;

		for (int d = 0; d < DRAWS; d++) {
			rarog_cleanup(rarog_model_release) struct rarog_model model = { 0 };
			struct rarog_band band;

			for (size_t i = 0; i < N; i++) {
				x[i] = (double)i;
				y[i] = 50 + 10 * rarog_random_normal(random);
			}
			assert_int_equal(rarog_model_fit(rarog_model_family(families[k]), N, x, y,
							 NULL, &model),
					 0);
			rarog_model_band(&model, 200, 0.95, &band);
			inside += band.low <= 50 && band.high >= 50;
			one += band.low_one <= y[200] && band.high_one >= y[200];
		}
		print_message("%s: %zu and %zu of %d\n", families[k], inside, one, DRAWS);
		assert_true(inside >= 33 && one >= 35);
	}
}

/* A hundred thousand points of which one is at a large x: none is thinned away, and the families
 * are as near the truth as their errors say. */
TEST(many_points)
{
	enum { N = 100000 };
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(9);
	rarog_cleanup(rarog_freep) double *x = calloc(2 * N, sizeof(double));
	rarog_cleanup(rarog_models_release) struct rarog_models models = { 0 };
	const struct rarog_model *model;
	double *y = x + N;

	for (size_t i = 0; i < N; i++) {
		x[i] = i + 1 < N ? 1 + (double)i / 100 : 50000;
		y[i] = (20 + 3 * x[i] + 0.01 * x[i] * x[i]) *
		       (1 + 0.05 * rarog_random_normal(random));
	}
	y[N - 1] = 20 + 3 * x[N - 1] + 0.01 * x[N - 1] * x[N - 1];
	assert_int_equal(
		rarog_models_fit(N, x, y,
				 &(struct rarog_model_options){ .errors = RAROG_ERRORS_AUTO },
				 &models),
		0);
	model = rarog_models_find(&models, "quadratic");
	assert_non_null(model);
	assert_int_equal(model->n, N);
	assert_close(model->x_end, 50000, 0);
	for (size_t i = 0; i < 3; i++)
		assert_true(fabs(model->b[i] - (const double[]){ 20, 3, 0.01 }[i]) <
			    4 * model->error[i]);
	assert_close(model->deviation, 0.05, 0.02);
	assert_close(rarog_model_value(rarog_models_find(&models, "moving-average"), 500),
		     20 + 1500 + 2500, 0.02);
	assert_close(rarog_model_value(rarog_models_find(&models, "kernel"), 500), 20 + 1500 + 2500,
		     0.02);
}

TEST(refused)
{
	static const struct {
		struct rarog_moving_options moving;
		struct rarog_kernel_options kernel;
		const char *family, *words;
	} rows[] = {
		{ .moving = { .width = 100 }, .family = "moving-average", .words = "window" },
		{ .moving = { .kind = RAROG_MOVING_EMA,
			      .has_decay = true,
			      .decay = RAROG_DECAY_ALPHA,
			      .decay_value = 2 },
		  .family = "moving-average",
		  .words = "decay" },
		{ .kernel = { .degree = 9 }, .family = "kernel", .words = "degree" },
		{ .kernel = { .bandwidth = RAROG_BANDWIDTH_GIVEN, .given = -1 },
		  .family = "kernel",
		  .words = "bandwidth" },
	};

	for (size_t k = 0; k < RAROG_COUNT(rows); k++) {
		const struct rarog_model_options options = { .moving = rows[k].moving,
							     .kernel = rows[k].kernel };
		struct rarog_model model;

		rarog_error_clear();
		assert_true(rarog_model_fit(rarog_model_family(rows[k].family), PEER_N, peer_x,
					    peer_y, &options, &model) < 0);
		assert_non_null(strstr(rarog_error_message(), rows[k].words));
	}
}
