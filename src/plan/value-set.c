/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/value-set.h"

_Static_assert((int)RAROG_VALUE_GENERAL == RAROG_WAY_GENERAL &&
		       (int)RAROG_VALUE_VECTOR == RAROG_WAY_VECTOR &&
		       (int)RAROG_VALUE_STACK == RAROG_WAY_STACK &&
		       (int)RAROG_VALUE_PLAIN == RAROG_WAY_PLAIN &&
		       (int)RAROG_VALUE_LENGTH == RAROG_WAY_LENGTH &&
		       (int)RAROG_VALUE_DIFFERENCE == RAROG_WAY_DIFFERENCE &&
		       RAROG_VALUE_STEPS == RAROG_WAY_STEPS,
	       "both sides count alike");

static struct rarog_value_way way_of(const struct rarog_value_path *path)
{
	struct rarog_value_way way = {
		.source = path->source,
		.finish = path->finish,
		.number = path->number,
		.n_steps = path->n_steps,
		.bytes = path->bytes,
		.stack = path->stack,
		.other = path->other,
	};

	for (int i = 0; i < RAROG_VALUE_STEPS; i++)
		way.steps[i] = path->steps[i];
	return way;
}

void rarog_value_set_make(const struct rarog_wanted_values *values, struct rarog_value_set *ret_set)
{
	*ret_set = (struct rarog_value_set){
		.n_enter = (uint8_t)values->n_enter,
		.n_leave = (uint8_t)values->n_leave,
	};
	for (size_t i = 0; i < values->all.n; i++) {
		const struct rarog_value_path *path = &values->all.v[i].path;
		bool reads = path->n_steps > 0 || path->finish != RAROG_VALUE_PLAIN;

		ret_set->values[i] = way_of(path);
		*(i < values->n_enter ? &ret_set->reads_enter : &ret_set->reads_leave) |= reads;
	}
}
