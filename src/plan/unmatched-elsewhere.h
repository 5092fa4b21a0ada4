/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LIB#NAME where there is such a name, but not in that file. What is nowhere is said by others. */
#ifndef RAROG_PLAN_UNMATCHED_ELSEWHERE_H
#define RAROG_PLAN_UNMATCHED_ELSEWHERE_H

#include "base/str.h"
#include "plan/unmatched.h"

/** rarog_unmatched_elsewhere(), rarog_unmatched_usdt_elsewhere() - of --func and --usdt, a line
 * about the first such. 1: there is one; 0; -ENOMEM. */
int rarog_unmatched_elsewhere(const struct rarog_searched *searched, struct rarog_str *ret_text);
int rarog_unmatched_usdt_elsewhere(const struct rarog_searched *searched,
				   struct rarog_str *ret_text);

#endif
