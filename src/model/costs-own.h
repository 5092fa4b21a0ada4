/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For costs*.c only. */
#ifndef RAROG_MODEL_COSTS_OWN_H
#define RAROG_MODEL_COSTS_OWN_H

#include <uthash.h>

#include "model/costs.h"

struct rarog_cost_name {
	char *mangled;
	size_t at; /* in the list */
	UT_hash_handle hh;
};

struct rarog_cost_reading {
	const struct rarog_cost_request *request;
	struct rarog_costs *costs;
	struct rarog_cost_name *names;
};

void rarog_cost_release(struct rarog_costing *cost);
void rarog_cost_reading_release(struct rarog_cost_reading *reading); /* not its costs */

/** rarog_cost_find() - the cost of the function @location, which may be new; NULL: no memory, or
 * nobody asked for it. */
struct rarog_costing *rarog_cost_find(struct rarog_cost_reading *reading,
				      const struct rarog_location *location, int *r);

/** rarog_cost_add_row() - one row of as many x as there are variables. 0, -ENOMEM. */
int rarog_cost_add_row(const struct rarog_cost_reading *reading, struct rarog_costing *cost,
		       const double x[], double y);

/** rarog_cost_rows_of_calls() - what calls of @profile were given, where all variables were
 * captured. As rarog_costs_read(). */
int rarog_cost_rows_of_calls(struct rarog_profile *profile, struct rarog_cost_reading *reading);

/** rarog_cost_add() - one point. 0, -ENOMEM. */
int rarog_cost_add(struct rarog_costing *cost, double x, double y);

/** rarog_costs_are_over_runs() - asked for, or the profiles have several workloads. 0, 1, -EBADMSG
 * … */
int rarog_costs_are_over_runs(size_t n, struct rarog_profile *const profiles[],
			      const struct rarog_cost_request *request);

/** rarog_costs_of_runs() - a point for each run. As rarog_costs_read(). */
int rarog_costs_of_runs(size_t n, struct rarog_profile *const profiles[],
			struct rarog_cost_reading *reading);

#endif
