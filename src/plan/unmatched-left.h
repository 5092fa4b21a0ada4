/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns all of whose functions the engine had to leave out. */
#ifndef RAROG_PLAN_UNMATCHED_LEFT_H
#define RAROG_PLAN_UNMATCHED_LEFT_H

#include "base/str.h"
#include "plan/unmatched.h"

/**
 * rarog_unmatched_left() - "deep is not measured: it is shorter than a jump", if @pattern means a
 * function that was left out, and none that is measured
 *
 * Return: 1 with the sentence, 0: it is not so, -ENOMEM.
 */
int rarog_unmatched_left(const struct rarog_searched *searched, const struct rarog_pattern *pattern,
			 struct rarog_str *ret_text);

#endif
