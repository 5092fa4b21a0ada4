/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large a change is, in words. */
#ifndef RAROG_CHECK_EFFECT_H
#define RAROG_CHECK_EFFECT_H

#include "check/verdict.h"

/* Relative changes upwards; downwards the same factor counts: 25 % more is undone by 20 % less. */
struct rarog_effect {
	double smallest; /* more than this matters */
	double severe;
};

/**
 * rarog_effect_class() - of a relative change @value within low … high
 * @is_sure: its test says that it is no chance
 *
 * The whole interval within the smallest effect: NoChange, sure or not. Not sure: Unknown. The
 * whole interval beyond it: Degradation, Optimization, or severe; else Maybe. An exact number is
 * an interval without width, and sure.
 */
enum rarog_class rarog_effect_class(const struct rarog_effect *effect, double value, double low,
				    double high, bool is_sure);

/**
 * rarog_effect_reason() - why @change got its class, in words; malloc'd
 * @runs: of the smaller side. What is undecided gets an estimate of how many would decide it: the
 * interval shrinks with their root until it no longer reaches 0, or lies within the smallest effect
 *
 * Return: NULL: nothing to say, or no memory.
 */
char *rarog_effect_reason(const struct rarog_effect *effect, const struct rarog_change *change,
			  size_t runs);

#endif
