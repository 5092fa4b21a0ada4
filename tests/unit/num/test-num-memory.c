/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything of src/num that allocates, once and small; its use is the run with failing
 * allocations: each gives its result or says that there is no memory, and its output is untouched.
 */
#include "num-check.h"
#include "num/hodges-lehmann.h"
#include "num/least-squares.h"
#include "num/multiple.h"
#include "num/permutation.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/spending.h"
#include "num/two-sample.h"
#include "num/warm-up.h"
#include "unit.h"

static const double x[] = { 3, 1, 4, 1.5, 9, 2, 6, 5, 3.5, 8 };
static const double steps[] = { 1, 2, 1.5, 1, 2, 9, 8, 9, 8.5, 9 };

#define assert_done_or_no_memory(r, is_untouched)                                                  \
	do {                                                                                       \
		int r_ = (r);                                                                      \
		assert_true(r_ == 0 || (r_ == -ENOMEM && (is_untouched)));                         \
	} while (0)

TEST(order_statistics)
{
	double value = -1, ranks[10];
	struct rarog_warm_up w;

	assert_done_or_no_memory(rarog_median(10, x, &value), value == -1);
	value = -1;
	assert_done_or_no_memory(rarog_mad(10, x, &value), value == -1);
	assert_done_or_no_memory(rarog_rank(10, x, ranks, NULL), true);
	assert_done_or_no_memory(rarog_warm_up(10, x, &w), true);
}

TEST(comparisons)
{
	struct rarog_estimate e = { .level = -1 };
	struct rarog_permutation t = { .p = -1 };
	struct rarog_mann_whitney u = { .p = -1 };

	assert_done_or_no_memory(rarog_hodges_lehmann_paired(10, x, 0.9, &e), e.level == -1);
	e.level = -1;
	assert_done_or_no_memory(rarog_hodges_lehmann(5, x, 5, x + 5, 0.9, &e), e.level == -1);
	assert_done_or_no_memory(rarog_permutation(3, x, 3, x + 3, rarog_statistic_mean,
						   RAROG_TAIL_BOTH, 0, NULL, &t),
				 t.p == -1);
	t.p = -1;
	assert_done_or_no_memory(
		rarog_permutation_paired(5, x, rarog_statistic_mean, RAROG_TAIL_BOTH, 0, NULL, &t),
		t.p == -1);
	assert_done_or_no_memory(rarog_mann_whitney(5, x, 5, x + 5, &u), u.p == -1);
}

TEST(families_and_fits)
{
	rarog_cleanup(rarog_fit_release) struct rarog_fit fit = { 0 };
	static const double p[] = { 0.1, 0.01 }, time[] = { 0.5, 1 };
	double q[] = { -1, -1 }, bounds[2];

	assert_done_or_no_memory(rarog_multiple_adjust(RAROG_MULTIPLE_BH, 2, p, q), q[0] == -1);
	assert_done_or_no_memory(
		rarog_spending_bounds(RAROG_SPENDING_POCOCK, 0.05, 2, time, bounds), true);
	assert_done_or_no_memory(rarog_least_squares(5, 2, x, steps, false, &fit), !fit.b);
}
