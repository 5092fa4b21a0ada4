/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of a delay reaches the end: T = T0 + beta I, where I is the noise that was injected into
 * one function in a run, and T what the run took. Beta is 1 where every call is on the critical
 * path, 0 where none is.
 */
#ifndef RAROG_BLOW_SLOPE_H
#define RAROG_BLOW_SLOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "num/random.h"

#define RAROG_BLOW_LEAST_RUNS                                                                      \
	4 /* with noise, and as many without: of 3 the interval is too short */

struct rarog_blow_run {
	double injected_ns; /* 0: a control */
	double time_ns;     /* without … */
	double paused_ns;   /* … what all threads paused for, in a control of causal */
	uint64_t number;    /* of all runs, in the order of time, … */
	uint64_t delay_ns;  /* … and what each call was to get in it: for readers alone */
};

struct rarog_blow_estimate {
	double value, low, high; /* of beta; a 95 % interval */
	double base_ns;          /* T0 */
	double r2;
	bool is_bent; /* the effect does not grow as the noise does */
};

/* Runs that have nothing to do with those of an estimate; time_ns is by how much each was longer
 * than it should be. */
struct rarog_blow_spells {
	RAROG_VEC(struct rarog_blow_run) v;
};

/**
 * rarog_blow_estimate() - by robust least squares over all runs, controls included
 * @n, @runs: interleaved in time, so that what else happens on the machine meets all alike
 *
 * @spells: NULL: none
 *
 * What controls near in time, and @spells, are off by (or runs with noise, where there are more of
 * them, all of one strength) is taken off each run, as far as they tell of each other, for which it
 * takes seven: a machine is slower at times, for longer than a run. r2 is of the runs as they were.
 *
 * Where the effect surely does not grow as the noise does (is_bent), runs with the strongest noise
 * are left out until it does, or too few are left: the slope is that of small noise.
 *
 * The interval is that of a bootstrap of runs with noise and of controls, each among themselves,
 * its ends moved outwards for small numbers as Student's are from the normal ones, and for weights
 * that are the same in all resamples. Source: Hesterberg, "What teachers should know about the
 * bootstrap", 2015, 4.1: expanded percentiles.
 *
 * Return: 0; -EDOM: too few of either kind, or so few that weigh anything, no message; -ENOMEM.
 */
int rarog_blow_estimate(size_t n, const struct rarog_blow_run runs[],
			const struct rarog_blow_spells *spells, struct rarog_random *random,
			struct rarog_blow_estimate *ret_estimate);

/**
 * rarog_blow_estimate_starve() - the program's threads waited for processors for @share of the time
 * in which they could run
 *
 * If others had these, a delay took up to 1 / (1 - share) of itself; if its own threads had them,
 * it did not. Which of the two is not known, so the interval has both.
 */
void rarog_blow_estimate_starve(struct rarog_blow_estimate *estimate, double share);

#endif
