/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of source files as DWARF has them, made whole: joined with the directory of compilation
 * and without "." and "..".
 */
#ifndef RAROG_BINARY_SOURCE_PATH_H
#define RAROG_BINARY_SOURCE_PATH_H

#include "binary/text-pool.h"

struct rarog_source_path; /* one entry of the table */

struct rarog_source_paths {
	struct rarog_source_path *table;
	struct rarog_text_pool texts;
};

/**
 * rarog_source_path() - @file, relative to @directory, as one clean path
 * @file: its address is the key: it must live as long as @paths; NULL: unknown
 * @directory: NULL: unknown
 *
 * Return: borrowed from @paths; NULL without memory or when @file is NULL.
 */
const char *rarog_source_path(struct rarog_source_paths *paths, const char *directory,
			      const char *file);
void rarog_source_paths_release(struct rarog_source_paths *paths);

#endif
