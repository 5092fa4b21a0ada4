/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What views derive from a summary. All in ticks; rarog_clock_ns() converts durations.
 */
#ifndef RAROG_PROFILE_STATISTICS_H
#define RAROG_PROFILE_STATISTICS_H

#include "profile/profile.h"

/** rarog_summaries_are_sampled() - were not all calls recorded (rarog collect --sample-calls)? Then
 * nobody knows exclusive times: of calls recorded at different weights, what belongs to the caller.
 */
bool rarog_summaries_are_sampled(size_t n, const struct rarog_summary summaries[n]);

/** rarog_summary_add() - what @s says is added to @sum, which is zeroed at first; squares are not.
 */
void rarog_summary_add(struct rarog_summary *sum, const struct rarog_summary *s);

/** rarog_summary_mean() - ticks a call; 0 if no call was timed. */
double rarog_summary_mean(const struct rarog_summary *summary);

/** rarog_summary_deviation() - standard deviation of the timed calls (of all of them: divided by
 * their number); 0 if none. Exact sums: nothing cancels. */
double rarog_summary_deviation(const struct rarog_summary *summary);

/**
 * rarog_summary_quantile() - value below which the share @q (0 … 1) of the durations lies
 *
 * The middle of the histogram bar that contains it, kept within min and max: at most 1.6 % off.
 * Smallest and largest (q = 0, q = 1) are exact. Return: ticks; 0 if there are no bars.
 */
uint64_t rarog_summary_quantile(const struct rarog_summary *summary, double q);

#endif
