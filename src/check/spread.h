/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By how much an amount differs between sittings of a job, from its history. */
#ifndef RAROG_CHECK_SPREAD_H
#define RAROG_CHECK_SPREAD_H

#include "check/history.h"

#define RAROG_SPREAD_SITTINGS 32 /* the newest; older ones were under other conditions */
#define RAROG_SPREAD_LEAST    4  /* degrees of freedom: five sittings at one level */

/* Of logarithms. */
struct rarog_spread {
	double deviation; /* of what one sitting says, its runs taken together */
	double range;     /* the largest difference between two sittings at one level */
	double freedom;   /* degrees of it; less than RAROG_SPREAD_LEAST: it is not known */
	uint64_t span_ns; /* from the first sitting to the last */
};

/**
 * rarog_spread_of() - of @series, which is of @group
 * @without: this version's value is not looked at: it is what is to be judged
 *
 * Versions whose runs were made by turns are of one sitting. Where the series moved to another
 * level (rarog_series_shifts()) sittings before and after are not compared. Return: 0, -ENOMEM.
 */
int rarog_spread_of(const struct rarog_history_group *group, const struct rarog_series *series,
		    uint32_t without, struct rarog_spread *ret_spread);

#endif
