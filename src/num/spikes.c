/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hampel's identifier, applied to either side by itself (Pearson, "Outliers in process modeling and
 * identification", IEEE TCST 10, 2002, has the two-sided one). */
#include "num/spikes.h"

#include <math.h>
#include <stdbool.h>

#define REACH 5
#define FAR   4.0
#define RUN   3 /* values in a row that agree are a level */

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

/* Do x[0 … RUN-1] agree, seen from @level? */
static bool agree(const double x[], double level, double scale)
{
	double low = x[0], high = x[0];

	for (size_t i = 1; i < RUN; i++) {
		low = fmin(low, x[i]);
		high = fmax(high, x[i]);
	}
	double nearest = low > level ? low - level : level - high;

	return nearest > FAR * scale && high - low <= nearest;
}

/* Is x[i] one of RUN values in a row that are as far from @level? A regression that lasts a few
 * commits is no wild value. */
static bool is_level(size_t n, const double x[], size_t i, double level, double scale)
{
	for (size_t first = i + 1 > RUN ? i + 1 - RUN : 0; first <= i && first + RUN <= n; first++)
		if (agree(x + first, level, scale))
			return true;
	return false;
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

		double near = fabs(over_left) < fabs(over_right) ? left : right;

		if (over_left * over_right > 0 && fabs(x[i] - near) > FAR * scale &&
		    !is_level(n, x, i, near, scale))
			ret_x[i] = near;
	}
}
