/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks where the source has none: at lines and addresses (place-request.h). */
#ifndef RAROG_PLAN_MARK_PLACES_H
#define RAROG_PLAN_MARK_PLACES_H

#include "plan/marks.h"

/**
 * rarog_mark_places_add() - those that @plan means in @binary, judged, to the end of @marks
 * @path: of the binary, for BINARY#
 *
 * What cannot be measured at all is a name with its reason. Return: 0; -ENOMEM, -EFBIG.
 */
int rarog_mark_places_add(struct rarog_binary *binary, const char *path, struct rarog_plan *plan,
			  struct rarog_marks *marks);

/**
 * rarog_mark_places_hint() - note which lines near those that were left out can be measured
 * @is_possible: can the engine measure this mark?
 *
 * Return: 0; -ENOMEM, -EFBIG.
 */
int rarog_mark_places_hint(struct rarog_binary *binary, struct rarog_marks *marks,
			   bool (*is_possible)(const void *context, const struct rarog_mark *mark),
			   const void *context);

#endif
