/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of one function by another as places: --at FUNC@CALLER (place-request.h). */
#ifndef RAROG_PLAN_CALL_PLACES_H
#define RAROG_PLAN_CALL_PLACES_H

#include "plan/marks.h"

/**
 * rarog_call_places_add() - the calls in @binary, called @path, that @requests mean, to the end of
 * @marks
 *
 * A name for each pair of functions, or one for all calls of a line: regions from the CALL to where
 * it returns to; with a jump in a call's place, points. Not judged yet. Return: 0; -ENOMEM, -EFBIG.
 */
int rarog_call_places_add(struct rarog_binary *binary, const char *path,
			  struct rarog_place_requests *requests, struct rarog_marks *marks);

/** rarog_call_places_settle() - they are judged: where no jump can be written after each of the
 * calls they are only counted. */
void rarog_call_places_settle(struct rarog_marks *marks);

#endif
