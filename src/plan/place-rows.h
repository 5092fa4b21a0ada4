/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a profile says of the places of one file: a location of each that is measured, or was to be
 * and is not, and how. The rows of both lists belong together.
 */
#ifndef RAROG_PLAN_PLACE_ROWS_H
#define RAROG_PLAN_PLACE_ROWS_H

#include "plan/marks.h"
#include "plan/place-set.h"
#include "profile/profile.h"

struct rarog_place_rows {
	RAROG_VEC(struct rarog_location) locations;
	RAROG_VEC(struct rarog_measured) measured; /* without location and binary */
	const char *others; /* why there are functions without a row; NULL: there are none */
};

void rarog_place_rows_release(struct rarog_place_rows *rows);

/** rarog_place_rows_add() - @function, measured as @place says. 0, -ENOMEM. */
int rarog_place_rows_add(struct rarog_place_rows *rows, const struct rarog_function *function,
			 const struct rarog_plan_place *place);

/** rarog_place_rows_add_marks() - a row of each of their names. 0, -ENOMEM. */
int rarog_place_rows_add_marks(struct rarog_place_rows *rows, const struct rarog_marks *marks,
			       bool are_counted);

/** rarog_place_rows_add_left() - @function was to be measured, and cannot be because of @reason (a
 * static text). 0, -ENOMEM. */
int rarog_place_rows_add_left(struct rarog_place_rows *rows, const struct rarog_function *function,
			      const char *reason);

/** rarog_place_rows_add_rest() - of all functions of @set that are not measured: those that were
 * pruned one by one, the others together. 0, -ENOMEM. */
int rarog_place_rows_add_rest(struct rarog_place_rows *rows, const struct rarog_place_set *set,
			      const struct rarog_function functions[]);

#endif
