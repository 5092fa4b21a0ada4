/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An interval for a statistic that has no formula: the bootstrap, bias-corrected and accelerated.
 */
#ifndef RAROG_NUM_BOOTSTRAP_H
#define RAROG_NUM_BOOTSTRAP_H

#include "num/random.h"
#include "num/sample.h"
#include "num/statistic.h"

/* Fewer do not settle the ends of a 95 % interval. */
#define RAROG_BOOTSTRAP_LEAST 200

/**
 * rarog_bootstrap() - BCa interval of a statistic of one or two samples
 * @nx, @x: baseline runs; nx = 0 for one sample (then @y alone)
 * @ny, @y: target runs, or differences of pairs; at least 3 values in each sample
 * @statistic: see statistic.h; samples are resampled independently of each other
 * @resamples: at least RAROG_BOOTSTRAP_LEAST; 2,000 and more for intervals that people see
 * @level: nominal coverage; below 15 runs a side the true one is a few points less, so that
 * verdicts use hodges-lehmann.h
 * @random: state of the generator, advanced
 *
 * Bias from the share of resamples below the estimate (ties by half), acceleration from the
 * jackknife over all values. A statistic that never varies gives an interval of no width. Source:
 * Efron, "Better bootstrap confidence intervals", JASA 82, 1987; Efron, Tibshirani 1993, 14.3.
 *
 * Return: 0; -EDOM (too few values, or a statistic that is not finite), -EINVAL, -ENOMEM.
 */
int rarog_bootstrap(size_t nx, const double x[], size_t ny, const double y[],
		    rarog_statistic statistic, size_t resamples, double level,
		    struct rarog_random *random, struct rarog_estimate *ret_estimate);

#endif
