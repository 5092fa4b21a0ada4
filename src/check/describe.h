/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_CHECK_DESCRIBE_H
#define RAROG_CHECK_DESCRIBE_H

#include "check/comparison.h"
#include "check/verdict.h"

/** rarog_describe_row() - where a change is: row, function, binary, source; texts are borrowed. */
void rarog_describe_row(const struct rarog_comparison *comparison, size_t row,
			struct rarog_change *change);

/** rarog_note_chance() - a note if a side has a single run: a method that compares sums or models
 * cannot know then what chance does. 0 or -ENOMEM. */
int rarog_note_chance(const struct rarog_comparison *comparison, const char *method,
		      struct rarog_verdict *verdict);

#endif
