/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact intervals of a Poisson mean: Garwood's table (Biometrika 28, 1936, p. 442). */
#include "num/poisson.h"

#include "unit.h"

TEST(intervals_are_those_of_garwoods_table)
{
	static const struct {
		uint64_t n;
		double low, high;
	} known[] = { { 0, 0, 3.69 },      { 1, 0.0253, 5.57 },  { 2, 0.242, 7.22 },
		      { 10, 4.80, 18.39 }, { 20, 12.22, 30.89 }, { 50, 37.11, 65.92 } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		double low, high;

		rarog_poisson_interval(known[i].n, &low, &high);
		assert_float_equal(low, known[i].low, 0.006);
		assert_float_equal(high, known[i].high, 0.006);
	}
}
