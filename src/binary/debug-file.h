/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Separate debug files: where distributions put the symbols and DWARF that they strip.
 */
#ifndef RAROG_BINARY_DEBUG_FILE_H
#define RAROG_BINARY_DEBUG_FILE_H

#include "binary/elf-file.h"

/**
 * rarog_debug_file_find() - find and open the debug file of @elf
 *
 * A file found but not matching (other build-id, wrong checksum, damaged) counts as none.
 *
 * Return: the file, the caller's; NULL when there is none or @elf has its own symbols and lines.
 */
struct rarog_elf *rarog_debug_file_find(const struct rarog_elf *elf);

#endif
