/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/poisson.h"

#include <gsl/gsl_cdf.h>

#define TAIL 0.025

void rarog_poisson_interval(uint64_t n, double *ret_low, double *ret_high)
{
	*ret_low = n > 0 ? gsl_cdf_chisq_Pinv(TAIL, 2.0 * (double)n) / 2 : 0;
	*ret_high = gsl_cdf_chisq_Qinv(TAIL, 2.0 * (double)n + 2) / 2;
}
