/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions a plan means, whatever the engine. */
#ifndef RAROG_PLAN_FUNCTION_MATCH_H
#define RAROG_PLAN_FUNCTION_MATCH_H

#include "binary/binary.h"
#include "plan/plan.h"

/** rarog_function_matches() - by its symbol, its aliases, or its name for people. */
bool rarog_function_matches(struct rarog_match *match, const struct rarog_function *function);

/** rarog_function_is_wanted() - do the plan's patterns, if there are any, mean it? */
bool rarog_function_is_wanted(struct rarog_plan *plan, const struct rarog_function *function);

/** rarog_function_is_root() - is it what --within or --not-below hang on? */
bool rarog_function_is_root(struct rarog_plan *plan, const struct rarog_function *function);

/** rarog_functions_settle() - functions of @binary are asked for next: a pattern that is the name
 * of one of them, or of what was inlined there, is no glob (rarog_match_settle()). */
void rarog_functions_settle(struct rarog_match *match, struct rarog_binary *binary);

/** rarog_plan_settle() - the same for all patterns of functions of the plan. */
void rarog_plan_settle(struct rarog_plan *plan, struct rarog_binary *binary);

/** rarog_function_is_special() - does it look at return addresses, by its name? It may not find a
 * changed one. */
bool rarog_function_is_special(const struct rarog_function *function);

#endif
