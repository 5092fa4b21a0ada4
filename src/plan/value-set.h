/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is captured of a function, for its readers: the agent, programs in the kernel. */
#ifndef RAROG_PLAN_VALUE_SET_H
#define RAROG_PLAN_VALUE_SET_H

#include "agent/value-set.h"
#include "plan/value-request.h"

/** rarog_value_set_make() - the ways to @values, RAROG_VALUES_MOST each at most. */
void rarog_value_set_make(const struct rarog_wanted_values *values,
			  struct rarog_value_set *ret_set);

#endif
