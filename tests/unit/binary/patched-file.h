/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy of a program in which every entry that may be patched jumps to its displaced code, in a
 * segment of the copy's own: the strongest oracle that verdicts and moved code are right.
 */
#ifndef RAROG_TEST_PATCHED_FILE_H
#define RAROG_TEST_PATCHED_FILE_H

#include "binary/patch-site.h"

#define FIXED_LOAD_BIAS 0x555555554000 /* of position-independent programs, not randomised */

/* Writes the copy of @binary to @path; the number of entries patched, or negative errno. */
long patched_file_write(const struct rarog_binary *binary, const char *path);

#endif
