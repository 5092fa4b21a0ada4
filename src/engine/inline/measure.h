/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a program under the inline engine, into one profile. */
#ifndef RAROG_ENGINE_INLINE_MEASURE_H
#define RAROG_ENGINE_INLINE_MEASURE_H

#include "engine/request.h"

/**
 * rarog_inline_measure() - run the program, or attach to one that runs, and write its profile
 *
 * Return: 0: the program ran (see ret_result->run) and the profile is written; -ENOENT, -EACCES …
 * as rarog_launch_failed(); negative with message otherwise, nothing is left behind.
 */
int rarog_inline_measure(const struct rarog_trace_options *options,
			 struct rarog_trace_result *ret_result);

#endif
