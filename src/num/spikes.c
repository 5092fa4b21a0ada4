/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hampel's identifier, applied to either side by itself (Pearson, "Outliers in process modeling and
 * identification", IEEE TCST 10, 2002, has the two-sided one). */
#include "num/spikes.h"

#include <math.h>

#define REACH 5
#define FAR   4.0

/* The median of at most REACH values. */
static double small_median(size_t n, const double x[])
{
	double sorted[REACH] = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		for (; k > 0 && sorted[k - 1] > x[i]; k--)
			sorted[k] = sorted[k - 1];
		sorted[k] = x[i];
	}
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

void rarog_spikes_level(size_t n, const double x[], double scale, double ret_x[])
{
	for (size_t i = 0; i < n; i++) {
		size_t before = i < REACH ? i : REACH,
		       after = n - 1 - i < REACH ? n - 1 - i : REACH;

		ret_x[i] = x[i];
		if (before < 2 && after < 2)
			continue;
		/* one value is no level: at the ends the other side speaks for both */
		double left = small_median(before < 2 ? after : before,
					   before < 2 ? x + i + 1 : x + i - before);
		double right = after < 2 ? left : small_median(after, x + i + 1);
		double over_left = x[i] - left, over_right = x[i] - right;

		if (over_left * over_right > 0 &&
		    fmin(fabs(over_left), fabs(over_right)) > FAR * scale)
			ret_x[i] = fabs(over_left) < fabs(over_right) ? left : right;
	}
}
