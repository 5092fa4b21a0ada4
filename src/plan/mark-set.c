/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/mark-set.h"

#include "plan/mark-values.h"

_Static_assert((int)RAROG_USDT_UNKNOWN == RAROG_MARK_UNKNOWN &&
		       (int)RAROG_USDT_GENERAL == RAROG_MARK_GENERAL &&
		       (int)RAROG_USDT_VECTOR == RAROG_MARK_VECTOR &&
		       (int)RAROG_USDT_NUMBER == RAROG_MARK_NUMBER &&
		       (int)RAROG_USDT_MEMORY == RAROG_MARK_MEMORY &&
		       RAROG_USDT_NO_REGISTER == RAROG_MARK_NO_REGISTER &&
		       RAROG_USDT_ARGUMENTS <= RAROG_VALUES_MOST,
	       "both sides count alike");

static struct rarog_mark_way way_of(const struct rarog_usdt_argument *argument, uint64_t bias)
{
	return (struct rarog_mark_way){
		.source = argument->source,
		.base = argument->base,
		.index = argument->index,
		.scale = argument->scale,
		.bytes = argument->bytes,
		.shift = argument->shift,
		.is_signed = argument->is_signed,
		.is_place = argument->is_place,
		.number = (int64_t)((uint64_t)argument->number + (argument->is_place ? bias : 0)),
	};
}

bool rarog_mark_set_make(const struct rarog_marks *marks, const struct rarog_mark *mark,
			 uint64_t bias, struct rarog_mark_set *ret_set)
{
	const struct rarog_usdt_argument *values[RAROG_USDT_ARGUMENTS];
	const struct rarog_wanted_values *columns = &marks->names.v[mark->name].values;
	size_t n = rarog_mark_values_of(marks, mark, values);

	*ret_set = (struct rarog_mark_set){ .n = (uint8_t)n, .is_return = rarog_mark_ends(mark) };
	for (size_t i = 0; i < n; i++) {
		if (!values[i])
			continue;
		ret_set->ways[i] = way_of(values[i], bias);
		ret_set->reads |= values[i]->source == RAROG_USDT_MEMORY;
	}
	return n > 0 || (!ret_set->is_return && columns->n_leave > 0);
}
