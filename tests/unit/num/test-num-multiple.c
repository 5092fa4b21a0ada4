/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num-check.h"
#include "num-peers.h"
#include "num/multiple.h"
#include "num/random.h"
#include "unit.h"

TEST(adjusted_as_statsmodels_does)
{
	static const double *const expected[] = { peer_bh, peer_by, peer_holm };
	double q[PEER_P_N];

	for (int procedure = RAROG_MULTIPLE_BH; procedure <= RAROG_MULTIPLE_HOLM; procedure++) {
		assert_int_equal(
			rarog_multiple_adjust((enum rarog_multiple)procedure, PEER_P_N, peer_p, q),
			0);
		for (int i = 0; i < PEER_P_N; i++)
			assert_close(q[i], expected[procedure][i], 1e-13);
	}
}

/*
 * 20 tests, 5 of them of real changes (p small): the share of false ones among the rejected stays
 * at alpha times the share of true hypotheses; Holm's chance of any stays at alpha.
 */
TEST(errors_stay_at_their_rate)
{
	rarog_cleanup(rarog_random_freep) struct rarog_random *random = rarog_random_new(2);
	double share[3] = { 0 }, p[20], q[20];
	size_t any[3] = { 0 };

	for (int experiment = 0; experiment < 4000; experiment++) {
		for (int i = 0; i < 20; i++)
			p[i] = rarog_random_uniform(random) * (i < 5 ? 0.001 : 1);
		for (int k = 0; k < 3; k++) {
			int rejected = 0, wrong = 0;

			rarog_multiple_adjust((enum rarog_multiple)k, 20, p, q);
			for (int i = 0; i < 20; i++) {
				rejected += q[i] <= 0.1;
				wrong += i >= 5 && q[i] <= 0.1;
			}
			share[k] += rejected ? wrong / (double)rejected / 4000 : 0;
			any[k] += wrong > 0;
		}
	}
	assert_between(share[0], 0.065, 0.085); /* 0.1 · 15/20 */
	assert_between(share[1], 0.01, 0.03);   /* divided by 3.6 */
	assert_at_most_rate(any[2], 4000, 0.1);
	assert_true(any[2] > 200);
}

TEST(edges)
{
	double q[3] = { 0.2, 0.2, 0.2 };

	assert_int_equal(rarog_multiple_adjust(RAROG_MULTIPLE_BH, 0, NULL, NULL), 0);
	assert_int_equal(rarog_multiple_adjust(RAROG_MULTIPLE_BH, 3, q, q), 0); /* in place */
	assert_close(q[0], 0.2, 1e-15);
	assert_int_equal(rarog_multiple_adjust(RAROG_MULTIPLE_HOLM, 1, q, q), 0);
	assert_close(q[0], 0.2, 1e-15);
	assert_refused(rarog_multiple_adjust(RAROG_MULTIPLE_BY, 2, (const double[]){ 0.1, NAN }, q),
		       -EINVAL, "p-value 2 is nan");
	assert_refused(rarog_multiple_adjust(RAROG_MULTIPLE_BH, 1, (const double[]){ 1.1 }, q),
		       -EINVAL, "not between");
	assert_close(q[0], 0.2, 1e-15);
}
