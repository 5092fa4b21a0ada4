/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What marks tell besides that they are passed: the arguments of USDT probes, as values of calls.
 */
#ifndef RAROG_PLAN_MARK_VALUES_H
#define RAROG_PLAN_MARK_VALUES_H

#include "plan/marks.h"

/**
 * rarog_mark_values_read() - what the mark @mark of @marks tells, by the text of its note
 *
 * Return: 0, -ENOMEM.
 */
int rarog_mark_values_read(const struct rarog_binary *binary, const char *text,
			   struct rarog_marks *marks, struct rarog_mark *mark);

/**
 * rarog_mark_values_columns() - the columns of each name, when all its marks are there
 *
 * All marks of a name share them, so where one has a whole number and another a floating-point one,
 * the later is unknown. Return: 0, -ENOMEM.
 */
int rarog_mark_values_columns(struct rarog_marks *marks);

/** rarog_mark_values_of() - values at @mark: as many as its name has columns there; those that the
 * mark has not are NULL. @ret: [RAROG_USDT_ARGUMENTS]; borrowed. Return: their number. */
size_t rarog_mark_values_of(const struct rarog_marks *marks, const struct rarog_mark *mark,
			    const struct rarog_usdt_argument *ret[RAROG_USDT_ARGUMENTS]);

#endif
