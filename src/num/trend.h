/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drift: do runs (or commits) get slower bit by bit?
 */
#ifndef RAROG_NUM_TREND_H
#define RAROG_NUM_TREND_H

#include "num/sample.h"

#define RAROG_TREND_MAX 4096 /* all pairs are looked at */

struct rarog_trend {
	double s;        /* pairs that rise minus pairs that fall */
	double variance; /* of s when there is no trend, corrected for ties */
	double tau;      /* s by what it could be without ties, n (n-1) / 2 */
	double p;        /* of both tails, normal with continuity correction; 1 without variance */
	struct rarog_estimate slope; /* per step from one value to the next */
};

/**
 * rarog_trend() - Mann and Kendall's test with the slope of Theil and Sen
 * @n: 4 … RAROG_TREND_MAX equally spaced values, independent of each other (prewhiten if not)
 * @level: of the slope's interval, approximate
 *
 * Rank based: outliers do not matter, nor the form of the drift. A step is a trend to it, too.
 * Source: Mann 1945; Kendall 1975; Sen, JASA 63, 1968. Return: 0, -EDOM, -EINVAL, -ENOMEM.
 */
int rarog_trend(size_t n, const double x[], double level, struct rarog_trend *ret_trend);

#endif
