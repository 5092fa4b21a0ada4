/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of functions of the C library by their names. */
#ifndef RAROG_BINARY_LIBRARY_CALLS_H
#define RAROG_BINARY_LIBRARY_CALLS_H

#include <stdbool.h>

/** rarog_library_keeps_quiet() - does the function @name call only what it is given, of the
 * program's? (Streams and allocators that a program makes itself are not thought of.) */
bool rarog_library_keeps_quiet(const char *name);

/** rarog_library_is_constant() - does each call of @name take about the same, whatever it is given?
 */
bool rarog_library_is_constant(const char *name);

#endif
