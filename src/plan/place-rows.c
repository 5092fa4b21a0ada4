/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/place-rows.h"

#include "base/error.h"

#define NOT_CHOSEN "not chosen"

void rarog_place_rows_release(struct rarog_place_rows *rows)
{
	rarog_vec_release(&rows->locations);
	rarog_vec_release(&rows->measured);
}

static int add(struct rarog_place_rows *rows, struct rarog_location location,
	       struct rarog_measured measured)
{
	if (rarog_vec_push(&rows->locations, location) < 0 ||
	    rarog_vec_push(&rows->measured, measured) < 0)
		return rarog_oom();
	return 0;
}

static struct rarog_location location_of(const struct rarog_function *function)
{
	return (struct rarog_location){
		.kind = RAROG_LOCATION_FUNCTION,
		.address = function->address,
		.size = function->size,
		.name = function->name,
	};
}

int rarog_place_rows_add(struct rarog_place_rows *rows, const struct rarog_function *function,
			 const struct rarog_plan_place *place)
{
	static const uint32_t how[] = {
		[RAROG_ACTION_OFF] = RAROG_HOW_OFF,
		[RAROG_ACTION_PRUNED] = RAROG_HOW_PRUNED,
		[RAROG_ACTION_COUNT] = RAROG_HOW_COUNTED,
		[RAROG_ACTION_SAMPLE] = RAROG_HOW_SAMPLED,
		[RAROG_ACTION_RECORD] = RAROG_HOW_RECORDED,
		[RAROG_ACTION_DELAY] = RAROG_HOW_COUNTED,
		[RAROG_ACTION_GAIN] = RAROG_HOW_COUNTED,
		[RAROG_ACTION_EVEN] = RAROG_HOW_COUNTED,
		[RAROG_ACTION_SETTLE] = RAROG_HOW_COUNTED,
	};
	const struct rarog_measured measured = {
		.how = how[place->action],
		.every = place->action == RAROG_ACTION_SAMPLE ? place->n : 0,
		.reason = place->reason,
	};

	return add(rows, location_of(function), measured);
}

static struct rarog_measured measured_of(const struct rarog_mark_name *name, bool is_counted)
{
	if (name->reason)
		return (struct rarog_measured){
			.how = name->is_pruned ? RAROG_HOW_PRUNED : RAROG_HOW_OFF,
			.reason = name->reason,
		};
	if (is_counted || name->only_counts)
		return (struct rarog_measured){ .how = RAROG_HOW_COUNTED };
	return (struct rarog_measured){
		.how = name->every > 1 ? RAROG_HOW_SAMPLED : RAROG_HOW_RECORDED,
		.every = name->every > 1 ? name->every : 0,
	};
}

int rarog_place_rows_add_marks(struct rarog_place_rows *rows, const struct rarog_marks *marks,
			       bool are_counted)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < marks->names.n; i++) {
		const struct rarog_mark_name *name = &marks->names.v[i];

		r = add(rows, rarog_mark_location(name), measured_of(name, are_counted));
	}
	return r;
}

int rarog_place_rows_add_left(struct rarog_place_rows *rows, const struct rarog_function *function,
			      const char *reason)
{
	return add(rows, location_of(function),
		   (struct rarog_measured){ .how = RAROG_HOW_OFF, .reason = reason });
}

int rarog_place_rows_add_rest(struct rarog_place_rows *rows, const struct rarog_place_set *set,
			      const struct rarog_function functions[])
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->v.n; i++) {
		const struct rarog_plan_place *place = &set->v.v[i];

		if (place->kind != RAROG_AT_FUNCTION)
			continue;
		if (place->action == RAROG_ACTION_PRUNED)
			r = rarog_place_rows_add(rows, &functions[place->index], place);
		else if (place->action == RAROG_ACTION_OFF)
			rows->others = NOT_CHOSEN;
	}
	return r;
}
