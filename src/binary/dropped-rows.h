/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of a line table whose code the linker left out (--gc-sections, functions that are in several
 * objects): it leaves their sequences in the table, and lets them begin at 0, so that they reach
 * into code that is there.
 */
#ifndef RAROG_BINARY_DROPPED_ROWS_H
#define RAROG_BINARY_DROPPED_ROWS_H

#include "binary/debug-info.h"

/**
 * rarog_dropped_rows() - which of @lines, the table at @offset of .debug_line, are such?
 * @ret_dropped: [n]; NULL: none, or it is not to be told; else to be freed
 *
 * Return: 0; -ENOMEM.
 */
int rarog_dropped_rows(const struct rarog_debug *debug, uint64_t offset, Dwarf_Lines *lines,
		       size_t n, bool **ret_dropped);

#endif
