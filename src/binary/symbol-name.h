/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What symbol names tell: compiler clones, cold parts, which of several names to show, and
 * whether two names are aliases of one function or two functions folded into one.
 */
#ifndef RAROG_BINARY_SYMBOL_NAME_H
#define RAROG_BINARY_SYMBOL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** rarog_symbol_name_flags() - RAROG_FUNCTION_COLD and _CLONE by the suffixes of @name. */
uint32_t rarog_symbol_name_flags(const char *name);

/** rarog_symbol_name_host() - how much of the name of a part that was split off (f.cold, f.cold.1,
 * f.__part.2) is its function's; of others all of it. */
size_t rarog_symbol_name_host(const char *name);

/** rarog_symbol_name_compare() - < 0 if @a is the better name to show: fewer leading underscores,
 * then shorter, then first in the alphabet. */
int rarog_symbol_name_compare(const char *a, const char *b);

/** rarog_symbol_names_alike() - do @a and @b look like aliases (__f and f, f and f64, the complete
 * and base constructor of a class), not like two functions that a linker folded? */
bool rarog_symbol_names_alike(const char *a, const char *b);

#endif
