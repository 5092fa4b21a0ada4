/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-peers.h"
#include "num/random.h"
#include "num/spending.h"
#include "unit.h"

/*
 * Two-sided alpha 0.05, five equal looks: the bounds that the program of Reboussin, DeMets, Kim and
 * Lan (1992, 2000; R's ldbounds) prints. They are right to three decimals: it has 3.3569 where
 * adaptive quadrature gives 3.35701.
 */
TEST(bounds_are_those_of_lan_and_demets)
{
	static const double time[] = { 0.2, 0.4, 0.6, 0.8, 1 };
	static const double obrien_fleming[] = { 4.8769, 3.3569, 2.6803, 2.2898, 2.0310 };
	static const double pocock[] = { 2.4380, 2.4268, 2.4101, 2.3966, 2.3859 };
	double b[5];

	assert_int_equal(rarog_spending_bounds(RAROG_SPENDING_OBRIEN_FLEMING, 0.05, 5, time, b), 0);
	for (int k = 0; k < 5; k++)
		assert_between(b[k] - obrien_fleming[k], -1.2e-4, 1.2e-4);
	assert_close(b[1], PEER_OBRIEN_FLEMING_2, 1e-7);
	assert_int_equal(rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0.05, 5, time, b), 0);
	for (int k = 0; k < 5; k++)
		assert_between(b[k] - pocock[k], -1.2e-4, 1.2e-4);
	assert_close(b[1], PEER_POCOCK_2, 1e-7);
}

TEST(one_look_is_the_ordinary_test)
{
	double b;

	for (int s = RAROG_SPENDING_OBRIEN_FLEMING; s <= RAROG_SPENDING_POCOCK; s++) {
		assert_int_equal(rarog_spending_bounds((enum rarog_spending)s, 0.05, 1,
						       (const double[]){ 1 }, &b),
				 0);
		assert_close(b, 1.959963984540054, 1e-9);
		assert_close(rarog_spending_spent((enum rarog_spending)s, 0.05, 0), 0, 0);
		assert_close(rarog_spending_spent((enum rarog_spending)s, 0.05, 1), 0.05, 1e-15);
	}
	assert_close(rarog_spending_spent(RAROG_SPENDING_POCOCK, 0.05, 0.5),
		     0.05 * log(1 + (exp(1) - 1) * 0.5), 1e-12);
}

/* Experiments with nothing to find, looked at after every third pair from the sixth on. */
static double false_alarms(enum rarog_spending spending, size_t experiments, size_t *ret_stops)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(7);
	double time[6], b[6];
	size_t alarms = 0;

	for (size_t k = 0; k < 6; k++)
		time[k] = (6 + 3 * (double)k) / 21;
	assert_int_equal(rarog_spending_bounds(spending, 0.05, 6, time, b), 0);
	for (size_t e = 0; e < experiments; e++) {
		double sum = 0;

		for (size_t i = 1, k = 0; i <= 21; i++) {
			sum += rarog_random_normal(random);
			if (i < 6 || i % 3)
				continue;
			if (fabs(sum) / sqrt((double)i) >= b[k++]) {
				alarms++;
				*ret_stops += i < 12;
				break;
			}
		}
	}
	return (double)alarms;
}

TEST(alpha_is_spent_exactly)
{
	size_t early_of = 0, early_pocock = 0;

	assert_rate((size_t)false_alarms(RAROG_SPENDING_OBRIEN_FLEMING, 20000, &early_of), 20000,
		    0.05);
	assert_rate((size_t)false_alarms(RAROG_SPENDING_POCOCK, 20000, &early_pocock), 20000, 0.05);
	assert_rate(early_of, 20000,
		    2 * rarog_spending_spent(RAROG_SPENDING_OBRIEN_FLEMING, 0.025, 9 / 21.0));
	assert_rate(early_pocock, 20000,
		    2 * rarog_spending_spent(RAROG_SPENDING_POCOCK, 0.025, 9 / 21.0));
}

TEST(early_looks_that_cost_nothing_are_infinite)
{
	static const double time[] = { 0.01, 1 };
	double b[2];

	assert_int_equal(rarog_spending_bounds(RAROG_SPENDING_OBRIEN_FLEMING, 0.05, 2, time, b), 0);
	assert_true(isinf(b[0]));
	assert_close(b[1], 1.959963984540054, 1e-6);
}

TEST(nonsense_is_refused)
{
	static const double back[] = { 0.5, 0.4 }, over[] = { 0.5, 1.1 }, unknown[] = { NAN };
	double b[2];

	assert_refused(rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0.05, 2, back, b), -EINVAL,
		       "look 2 at 0.4");
	assert_refused(rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0.05, 2, over, b), -EINVAL,
		       "look 2");
	assert_refused(rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0.05, 1, unknown, b), -EINVAL,
		       "look 1");
	assert_refused(rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0.05, 0, over, b), -EINVAL,
		       "0 looks");
	assert_refused(rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0, 1, over, b), -EINVAL,
		       "alpha 0");
}
