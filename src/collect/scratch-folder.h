/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of our own in which a program that is measured leaves files of counters. */
#ifndef RAROG_COLLECT_SCRATCH_FOLDER_H
#define RAROG_COLLECT_SCRATCH_FOLDER_H

#include <limits.h>

/**
 * rarog_scratch_folder_make() - below TMPDIR, or /tmp
 * @kind: a word of its name
 * @ret_path: "" if it fails
 *
 * Return: 0; -errno of mkdtemp().
 */
int rarog_scratch_folder_make(const char *kind, char ret_path[static PATH_MAX]);

/** rarog_scratch_folder_remove() - with the files in it; "" is none. */
void rarog_scratch_folder_remove(const char *path);

#endif
