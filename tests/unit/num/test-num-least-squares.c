/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nist.h"
#include "num-check.h"
#include "num-peers.h"
#include "num/least-squares.h"
#include "num/random.h"
#include "unit.h"

static void check(size_t n, size_t p, const double *columns, const double *y, const double *b,
		  const double *error, double tolerance)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };

	assert_int_equal(rarog_least_squares(n, p, columns, y, true, &fit), 0);
	for (size_t j = 0; j < p; j++) {
		assert_close(fit.b[j], b[j], tolerance);
		assert_close(fit.error[j], error[j], tolerance);
	}
}

static void polynomial(size_t n, size_t p, const double *x, double *columns)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < p; j++)
			columns[i * p + j] = pow(x[i], (double)j);
}

TEST(norris)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	double columns[72], y[36];

	for (size_t i = 0; i < 36; i++) {
		columns[2 * i] = 1;
		columns[2 * i + 1] = nist_norris[i][1];
		y[i] = nist_norris[i][0];
	}
	check(36, 2, columns, y, nist_norris_b, nist_norris_se, 1e-11);
	assert_int_equal(rarog_least_squares(36, 2, columns, y, true, &fit), 0);
	assert_close(fit.r2, 0.999993745883712, 1e-14);
	assert_close(fit.residual_deviation, 0.884796396144373, 1e-12);
	assert_close(fit.residual_ss, 26.6173985294224, 1e-11);
}

TEST(longley)
{
	double columns[16 * 7], y[16];

	for (size_t i = 0; i < 16; i++) {
		y[i] = nist_longley[i][0];
		memcpy(columns + 7 * i, nist_longley[i], sizeof(nist_longley[i]));
		columns[7 * i] = 1;
	}
	check(16, 7, columns, y, nist_longley_b, nist_longley_se, 1e-8);
}

TEST(filip)
{
	double columns[82 * 11];

	polynomial(82, 11, nist_filip_x, columns);
	check(82, 11, columns, nist_filip_y, nist_filip_b, nist_filip_se, 1e-6);
}

/* Wampler1: y = 1 + x + … + x⁵ for x = 0 … 20; Wampler2: with 0.1, 0.01 …; both exact. */
TEST(wampler)
{
	static const double bases[] = { 1, 0.1 };
	double x[21], y[21], columns[21 * 6];

	for (size_t i = 0; i < 21; i++)
		x[i] = (double)i;
	polynomial(21, 6, x, columns);
	for (int k = 0; k < 2; k++) {
		rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };

		for (size_t i = 0; i < 21; i++) {
			y[i] = 0;
			for (int j = 0; j < 6; j++)
				y[i] += pow(bases[k] * x[i], j);
		}
		assert_int_equal(rarog_least_squares(21, 6, columns, y, true, &fit), 0);
		for (int j = 0; j < 6; j++)
			assert_close(fit.b[j], pow(bases[k], j), 1e-7);
		assert_close(fit.r2, 1, 1e-14);
	}
}

TEST(as_statsmodels_does)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	double columns[2 * PEER_Y_N], value, error, n = PEER_Y_N, k = 3;

	for (size_t i = 0; i < PEER_Y_N; i++) {
		columns[2 * i] = 1;
		columns[2 * i + 1] = (double)i;
	}
	assert_int_equal(rarog_least_squares(PEER_Y_N, 2, columns, peer_y, true, &fit), 0);
	for (int j = 0; j < 2; j++) {
		assert_close(fit.b[j], peer_ols[j], 1e-9);
		assert_close(fit.error[j], peer_ols[j + 2], 1e-10);
	}
	assert_close(fit.r2, PEER_OLS_R2, 1e-7);
	/* AICc from their likelihood, less the constant n (1 + ln 2π) that ours leaves out */
	assert_close(fit.aicc,
		     -2 * PEER_OLS_LOG_LIKELIHOOD + 2 * k + 2 * k * (k + 1) / (n - k - 1) -
			     n * (1 + log(2 * M_PI)),
		     1e-10);
	rarog_fit_predict(&fit, (const double[]){ 1, 0 }, &value, &error);
	assert_close(value, fit.b[0], 1e-14);
	assert_close(error, fit.error[0], 1e-12);
}

/* Slope ± 1.96 errors of 40 points with noise holds the truth in 95 %. */
TEST(errors_are_as_large_as_they_say)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(13);
	size_t covered = 0;
	double columns[80], y[40];

	for (int e = 0; e < 2000; e++) {
		rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };

		for (size_t i = 0; i < 40; i++) {
			columns[2 * i] = 1;
			columns[2 * i + 1] = (double)(i * i);
			y[i] = 5 + 0.25 * columns[2 * i + 1] + 30 * rarog_random_normal(random);
		}
		assert_int_equal(rarog_least_squares(40, 2, columns, y, true, &fit), 0);
		/* t(38), 97.5 % */
		covered += fabs(fit.b[1] - 0.25) <= 2.024394 * fit.error[1];
	}
	assert_rate(covered, 2000, 0.95);
}

TEST(degenerate_data)
{
	static const double constant[] = { 1, 3, 1, 3, 1, 3 }, line[] = { 1, 0, 1, 1 };
	static const double y[] = { 1, 2, 4 }, flat[] = { 2, 2, 2 }, bad[] = { 1, NAN, 2 };
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };

	assert_refused(rarog_least_squares(3, 2, constant, y, true, &fit), -EDOM,
		       "determine 1 of 2");
	assert_refused(rarog_least_squares(1, 2, line, y, true, &fit), -EDOM, "at least 2");
	assert_refused(rarog_least_squares(3, 2, constant, bad, true, &fit), -EINVAL, "y: value 2");
	assert_refused(rarog_least_squares(3, 1, bad, y, true, &fit), -EINVAL, "x: value 2");
	assert_refused(rarog_least_squares(3, 0, bad, y, true, &fit), -EINVAL, "no columns");
	assert_null(fit.b);
	assert_int_equal(rarog_least_squares(2, 2, line, y, true, &fit), 0); /* n = p */
	assert_close(fit.b[1], 1, 1e-12);
	assert_close(fit.error[1], 0, 0);
	assert_true(isinf(fit.aicc) && fit.aicc > 0);
	assert_true(isnan(rarog_r2(3, flat, flat, true)));
	assert_close(rarog_r2(3, y, flat, true), 1 - 5 / (14 / 3.0), 1e-12); /* below 0 */
	assert_close(rarog_r2(3, y, flat, false), 1 - 5 / 21.0, 1e-12);
	assert_true(rarog_aicc(20, 2, 0) == -INFINITY);
}
