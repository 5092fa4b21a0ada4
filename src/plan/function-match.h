/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which programs and functions a plan means, whatever the engine. */
#ifndef RAROG_PLAN_FUNCTION_MATCH_H
#define RAROG_PLAN_FUNCTION_MATCH_H

#include "binary/binary.h"
#include "plan/plan.h"

#define RAROG_FUNCTION_NAMES 10

/** rarog_function_names() - symbol, name for people (if it is another; free @ret_demangled),
 * aliases. Return: how many. */
size_t rarog_function_names(const struct rarog_function *function, char **ret_demangled,
			    const char *ret_names[RAROG_FUNCTION_NAMES]);

/** rarog_function_symbols() - the same without the name for people. */
size_t rarog_function_symbols(const struct rarog_function *function,
			      const char *ret_names[RAROG_FUNCTION_NAMES]);

/** rarog_function_is_meant() - by @pattern, likewise; counts no hit. */
bool rarog_function_is_meant(const struct rarog_pattern *pattern,
			     const struct rarog_function *function);

/** rarog_function_matches() - by its symbol, its aliases, or its name for people. */
bool rarog_function_matches(struct rarog_match *match, const struct rarog_function *function);

/**
 * rarog_program_is_meant() - is a program to be measured that a process begins to execute?
 * @is_first: it is what the user named, and no script
 * @file: where it can be read; @path is its name
 *
 * As --binary says; else the first one, and what has symbols.
 */
bool rarog_program_is_meant(struct rarog_plan *plan, bool is_first, const char *path,
			    const char *file);

/** rarog_functions_settle() - functions of @binary are asked for next: a pattern that is the name
 * of one of them, or of what was inlined there, is no glob (rarog_match_settle()). */
void rarog_functions_settle(struct rarog_match *match, struct rarog_binary *binary);

/** rarog_plan_settle() - the same for all patterns of functions of the plan. */
void rarog_plan_settle(struct rarog_plan *plan, struct rarog_binary *binary);

/** rarog_plan_thins() - may there be a place that is not recorded every time? */
bool rarog_plan_thins(const struct rarog_plan *plan);

/** rarog_function_is_special() - does it look at return addresses, by its name? It may not find a
 * changed one. */
bool rarog_function_is_special(const struct rarog_function *function);

#endif
