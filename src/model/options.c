/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/options.h"

#include <math.h>

const char *const rarog_errors_names[] = { "constant", "relative", "auto", NULL };
const char *const rarog_robust_names[] = { "none", "huber", "tukey", NULL };
const char *const rarog_bin_rule_names[] = { "auto",  "doane", "fd",      "rice",
					     "scott", "sqrt",  "sturges", NULL };
const char *const rarog_moving_names[] = { "sma", "smm", "ema", NULL };
const char *const rarog_window_names[] = { "boxcar",   "triang",   "blackman", "hamming",
					   "bartlett", "parzen",   "bohman",   "blackmanharris",
					   "nuttall",  "barthann", NULL };
const char *const rarog_decay_names[] = { "com", "span", "halflife", "alpha", NULL };
const char *const rarog_kernel_names[] = { "epanechnikov", "tricube", "normal", "epanechnikov4",
					   "normal4",      "box",     NULL };
const char *const rarog_bandwidth_names[] = { "cv", "aic", "scott", "silverman", "given", NULL };

/* --- decay --- */

static double by_com(double value)
{
	return 1 / (1 + value);
}

static double by_span(double value)
{
	return 2 / (value + 1);
}

static double by_halflife(double value)
{
	return 1 - exp2(-1 / value);
}

static double by_alpha(double value)
{
	return value;
}

static double (*const alphas[])(double value) = {
	[RAROG_DECAY_COM] = by_com,
	[RAROG_DECAY_SPAN] = by_span,
	[RAROG_DECAY_HALFLIFE] = by_halflife,
	[RAROG_DECAY_ALPHA] = by_alpha,
};

double rarog_decay_alpha(enum rarog_decay decay, double value)
{
	return alphas[decay](value);
}

bool rarog_is_decay(double alpha)
{
	return alpha > 0 && alpha <= 1;
}
