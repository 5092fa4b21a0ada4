/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an earlier run of the same command and workload says of functions. */
#ifndef RAROG_OPTIMIZE_STATISTICS_H
#define RAROG_OPTIMIZE_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_function_statistics {
	char *name;
	uint64_t count, sampled; /* calls, and those of them with times */
	uint32_t every;          /* of which the sampled are each n-th; 1: all */
	double total_ns, min_ns, max_ns, q1_ns, median_ns, q3_ns;
	bool has_quartiles;
};

struct rarog_statistics {
	RAROG_VEC(struct rarog_function_statistics) v; /* by name */
};

/** rarog_statistics_find() - of the function called @name; NULL: it was not measured. */
const struct rarog_function_statistics *rarog_statistics_find(
	const struct rarog_statistics *statistics, const char *name);

/** rarog_statistics_settle() - after functions were added: sort them by name. */
void rarog_statistics_settle(struct rarog_statistics *statistics);
void rarog_statistics_release(struct rarog_statistics *statistics); /* fits rarog_cleanup() */

#endif
