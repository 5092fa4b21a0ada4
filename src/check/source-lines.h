/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which lines of a changed function are different in the source of both versions. */
#ifndef RAROG_CHECK_SOURCE_LINES_H
#define RAROG_CHECK_SOURCE_LINES_H

#include "check/comparison.h"
#include "check/verdict.h"
#include "store/vcs.h"

/**
 * rarog_source_lines() - set .lines of the changes whose source is known, and make their .file
 * relative to the project where it is one of its files
 *
 * A function's lines go from its own to that of the next function in the file. "none" where it is
 * the same source, so that one looks elsewhere: at the compiler, the data, what it calls.
 * Nothing is done where a version is not in the version system. Return: 0, -ENOMEM.
 */
int rarog_source_lines(const struct rarog_comparison *comparison, struct rarog_vcs *vcs,
		       struct rarog_verdict *verdict);

#endif
