/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/normalize.h"

#include <math.h>

double rarog_normalize(size_t n, double y[])
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(y[i]))
			largest = fmax(largest, fabs(y[i]));
	for (size_t i = 0; largest > 0 && i < n; i++)
		y[i] /= largest;
	return largest;
}
