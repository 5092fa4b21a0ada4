/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/options.h"

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
