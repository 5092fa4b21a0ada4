/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do two versions run the same program on the same files? Then nothing changed, whatever was
 * measured. */
#ifndef RAROG_CHECK_SAME_PROGRAM_H
#define RAROG_CHECK_SAME_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

struct rarog_comparison;
struct rarog_row;
struct rarog_run_set;
struct rarog_vcs;

/**
 * rarog_same_program() - have all runs of the jobs of run @a of @baseline and @b of @target the
 * same programs and libraries, and is each file of the work tree that was opened the same?
 *
 * Programs and libraries by build-id: all must have one. Where it is not known what was opened, the
 * whole tree has to be the same, without changes that are in no commit. The job has to be the same,
 * too: it says what is given to the program. A program that was linked anew for each run counts as
 * it was built: it is one of the files that were opened.
 *
 * @vcs: of the versions, NULL: none. With it a file that only one version opened is no other input
 * if both have the same tree and it is in that.
 */
bool rarog_same_program(struct rarog_vcs *vcs, const struct rarog_run_set *baseline, size_t a,
			const struct rarog_run_set *target, size_t b);

/**
 * rarog_same_program_otherwise() - a function that the same program calls more or less often in all
 * runs of one version than in all of the other: it was given something else. NULL: none.
 *
 * What it is given comes in ways that nobody watches, too.
 */
const struct rarog_row *rarog_same_program_otherwise(const struct rarog_comparison *comparison);

#endif
