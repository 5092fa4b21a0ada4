/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nist.h"
#include "num-check.h"
#include "num-peers.h"
#include "num-series.h"
#include "num/autocorrelation.h"
#include "num/trend.h"
#include "num/warm-up.h"
#include "unit.h"

static const double same[8] = { 3, 3, 3, 3, 3, 3, 3, 3 }, bad[8] = { 1, 2, NAN };

TEST(autocorrelation_is_nists)
{
	double made[NIST_NUMACC_N], r;

	for (size_t i = 0; i < RAROG_COUNT(nist_univariate); i++) {
		nist_numacc(nist_univariate[i].centre, made);
		assert_int_equal(rarog_autocorrelation(
					 nist_univariate[i].n,
					 nist_univariate[i].x ? nist_univariate[i].x : made, 1, &r),
				 0);
		assert_close(r, nist_univariate[i].autocorrelation, nist_univariate[i].tolerance);
	}
	assert_refused(rarog_autocorrelation(8, same, 1, &r), -EDOM, "all values are equal");
	assert_refused(rarog_autocorrelation(1, same, 1, &r), -EDOM, "at least 2");
}

TEST(durbin_watson_is_statsmodels)
{
	double e[PEER_Y_N], mean = 0, d;

	for (int i = 0; i < PEER_Y_N; i++)
		mean += peer_y[i] / PEER_Y_N;
	for (int i = 0; i < PEER_Y_N; i++)
		e[i] = peer_y[i] - mean;
	assert_int_equal(rarog_durbin_watson(PEER_Y_N, e, &d), 0);
	assert_close(d, PEER_DURBIN_WATSON, 1e-10);
	assert_refused(rarog_durbin_watson(3, (const double[]){ 0, 0, 0 }, &d), -EDOM, "all are 0");
}

/* Theory: n (1 - φ) / (1 + φ). */
TEST(effective_size_is_that_of_theory)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(21);
	static const double phis[] = { 0, 0.3, 0.6, 0.8 };
	double x[2000], size;

	for (int k = 0; k < 4; k++) {
		double mean = 0, theory = 2000 * (1 - phis[k]) / (1 + phis[k]);

		for (int e = 0; e < 50; e++) {
			ar1_series(random, 2000, phis[k], x);
			assert_int_equal(rarog_effective_size(2000, x, &size), 0);
			mean += size / 50;
		}
		assert_between(mean, 0.85 * theory, 1.15 * theory);
	}
	assert_int_equal(rarog_effective_size(8, same, &size), 0);
	assert_close(size, 8, 0);
	assert_refused(rarog_effective_size(3, same, &size), -EDOM, "at least 4");
	assert_refused(rarog_effective_size(8, bad, &size), -EINVAL, "value 3");
}

TEST(prewhitening_takes_dependence_and_leaves_steps)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(22);
	size_t touched = 0;
	double x[300], y[300], phi, r, mean_phi = 0, mean_r = 0, height = 0;

	for (int e = 0; e < 200; e++) {
		ar1_series(random, 300, 0, x);
		add_step(300, x, 150, 50); /* a step alone looks like strong dependence to r(1) */
		assert_int_equal(rarog_prewhiten(300, x, y, &phi), 0);
		touched += phi > 0;
		ar1_series(random, 300, 0.6, x);
		assert_int_equal(rarog_prewhiten(300, x, y, &phi), 0);
		assert_int_equal(rarog_autocorrelation(300, y, 1, &r), 0);
		mean_phi += phi / 200;
		mean_r += fabs(r) / 200;
		add_step(300, x, 150, 20);
		assert_int_equal(rarog_prewhiten(300, x, x, &phi), 0); /* in place */
		for (int i = 152; i < 300; i++)
			height += (x[i] - x[i - 151]) / 148 / 200;
	}
	assert_at_most_rate(touched, 200, 0.05);
	assert_between(mean_phi, 0.5, 0.65);
	assert_between(mean_r, 0, 0.12);
	assert_between(height, 19.5, 20.5);
	assert_int_equal(rarog_prewhiten(8, same, y, &phi), 0);
	assert_close(phi, 0, 0);
	assert_refused(rarog_prewhiten(7, same, y, &phi), -EDOM, "at least 8");
}

TEST(trend_is_scipys)
{
	struct rarog_trend t;

	assert_int_equal(rarog_trend(PEER_Y_N, peer_y, 0.95, &t), 0);
	assert_close(t.tau, PEER_KENDALL_TAU, 1e-12);
	assert_close(erfc(fabs(t.s) / sqrt(t.variance) / sqrt(2)), PEER_KENDALL_P, 1e-10);
	assert_close(t.slope.value, PEER_SEN_SLOPE, 1e-10);
	assert_close(t.slope.low, PEER_SEN_LOW, 1e-10);
	assert_close(t.slope.high, PEER_SEN_HIGH, 1e-10);
	/* Kendall's variance with ties, by hand: (4·3·13 - 2·1·9) / 18 */
	assert_int_equal(rarog_trend(4, (const double[]){ 1, 2, 2, 3 }, 0.95, &t), 0);
	assert_close(t.s, 5, 0);
	assert_close(t.variance, (156 - 18) / 18.0, 1e-12);
}

TEST(trend_alarms_and_covers_at_its_rate)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(23);
	size_t alarms = 0, covered = 0, found = 0;
	struct rarog_trend t;
	double x[20];

	for (int e = 0; e < 2000; e++) {
		for (int i = 0; i < 20; i++)
			x[i] = rarog_random_normal(random) *
			       (rarog_random_below(random, 10) ? 1 : 9);
		rarog_trend(20, x, 0.95, &t);
		alarms += t.p <= 0.05;
		for (int i = 0; i < 20; i++)
			x[i] += 0.2 * i;
		rarog_trend(20, x, 0.95, &t);
		covered += t.slope.low <= 0.2 && 0.2 <= t.slope.high;
		found += t.p <= 0.05;
	}
	assert_between(alarms / 2000.0, 0.03, 0.06);
	assert_between(covered / 2000.0, 0.94, 0.97);
	assert_true(found > 1600);
	assert_int_equal(rarog_trend(8, same, 0.95, &t), 0);
	assert_close(t.p, 1, 0);
	assert_close(t.slope.value, 0, 0);
	assert_refused(rarog_trend(3, same, 0.95, &t), -EDOM, "at least 4");
	assert_refused(rarog_trend(8, bad, 0.95, &t), -EINVAL, "value 3");
}

TEST(warm_up_is_found_and_not_invented)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(24);
	struct rarog_warm_up w;
	size_t alarms = 0, right = 0;
	double x[20];

	for (int e = 0; e < 2000; e++) {
		ar1_series(random, 20, 0, x);
		assert_int_equal(rarog_warm_up(20, x, &w), 0);
		alarms += w.runs > 0;
		x[0] += 30;
		x[1] += 20;
		x[2] += 15;
		x[13] += 50; /* later: not warm-up */
		assert_int_equal(rarog_warm_up(20, x, &w), 0);
		right += w.runs == 3;
		assert_true(w.runs >= 2);
	}
	assert_at_most_rate(alarms, 2000, 0.03);
	assert_true(right > 1900);
}

TEST(warm_up_of_odd_series)
{
	static const double counts[] = { 9, 8, 7, 7, 7, 7, 7 },
			    never[] = { 9, 8, 9, 8, 1, 1, 1, 1 };
	static const double later[] = { 1, 1, 9, 1, 1, 1, 1, 1 },
			    between[] = { 9, 1, 9, 1, 1, 1, 1, 1 };
	struct rarog_warm_up w;

	assert_int_equal(rarog_warm_up(7, counts, &w), 0);
	assert_int_equal(w.runs, 2);
	assert_true(w.is_settled);
	assert_int_equal(rarog_warm_up(8, never, &w), 0);
	assert_int_equal(w.runs, 4);
	assert_false(w.is_settled);
	assert_int_equal(rarog_warm_up(8, later, &w), 0);
	assert_int_equal(w.runs, 0);
	assert_int_equal(rarog_warm_up(8, between, &w), 0);
	assert_int_equal(w.runs, 3);
	assert_refused(rarog_warm_up(5, same, &w), -EDOM, "at least 6");
	assert_refused(rarog_warm_up(8, bad, &w), -EINVAL, "value 3");
}
