/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of several that meant nothing the first is described, the others are named after it. */
#ifndef RAROG_PLAN_UNMATCHED_OTHERS_H
#define RAROG_PLAN_UNMATCHED_OTHERS_H

#include "base/match.h"
#include "base/str.h"

/** rarog_unmatched_other() - name another one at the end of @text. @n: how many were so far; counts
 * on. 0, -ENOMEM. */
int rarog_unmatched_other(struct rarog_str *text, size_t *n, const char *name);

/** rarog_unmatched_other_patterns() - those of @match that never matched, after the first. 0,
 * -ENOMEM. */
int rarog_unmatched_other_patterns(struct rarog_str *text, const struct rarog_match *match);

#endif
