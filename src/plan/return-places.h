/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where functions return, as places: --at return@FUNC (place-request.h). */
#ifndef RAROG_PLAN_RETURN_PLACES_H
#define RAROG_PLAN_RETURN_PLACES_H

#include "plan/marks.h"

/**
 * rarog_return_places_add() - where the functions of @binary that @request means return, to the end
 * of @marks
 *
 * A name for each function: points at each of its returns, and at jumps to another function, which
 * returns in its place. A function of which not all ways out are seen is a name with its
 * reason. The others are not judged yet. Return: 0; -ENOMEM.
 */
int rarog_return_places_add(struct rarog_binary *binary, struct rarog_place_request *request,
			    struct rarog_marks *marks);

#endif
