/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-series.h"
#include "num/warm-up.h"
#include "unit.h"

static const double same[8] = { 3, 3, 3, 3, 3, 3, 3, 3 }, bad[8] = { 1, 2, NAN };

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
