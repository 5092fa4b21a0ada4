/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call paths of both versions: callers and callees, and along which path a function's time changed.
 */
#ifndef RAROG_CHECK_PATHS_H
#define RAROG_CHECK_PATHS_H

#include "check/comparison.h"

/** rarog_paths_calls() - does row @caller call row @callee directly in the target? */
bool rarog_paths_calls(const struct rarog_comparison *comparison, size_t caller, size_t callee);

/**
 * rarog_paths_find() - the path to row @row whose own time grew (@is_worse) or shrank most
 * @measure: of RAROG_MEASURE_EXCLUSIVE, RAROG_MEASURE_WAITING
 * @ret_path: "main > parse > read", the nearest callers; NULL: no path did; the caller frees it
 *
 * Times are means over runs, recursion is one step. Return: 0, -EBADMSG, -ENOMEM.
 */
int rarog_paths_find(const struct rarog_comparison *comparison, size_t row,
		     enum rarog_measure measure, bool is_worse, char **ret_path);

#endif
