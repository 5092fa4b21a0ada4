/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/warm-up.h"

#include <math.h>

#include "num/quantile.h"
#include "num/sample.h"

#define WIDTH 5

int rarog_warm_up(size_t n, const double x[], struct rarog_warm_up *ret_warm_up)
{
	size_t half = n / 2, runs = 0;
	double median, deviation;
	int r = rarog_sample_check("runs", n, RAROG_WARM_UP_LEAST, x);

	if (r < 0 || (r = rarog_median(n - half, x + half, &median)) < 0 ||
	    (r = rarog_mad(n - half, x + half, &deviation)) < 0)
		return r;
	double limit = WIDTH * RAROG_MAD_NORMAL * deviation;

	for (size_t i = 0, inside = 0; i < half && inside < 2; i++) {
		bool is_inside = fabs(x[i] - median) <= limit;

		inside = is_inside ? inside + 1 : 0;
		runs = is_inside ? runs : i + 1;
	}
	*ret_warm_up = (struct rarog_warm_up){ runs, runs < half };
	return 0;
}
