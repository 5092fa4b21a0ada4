/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_CHECK_DESCRIBE_H
#define RAROG_CHECK_DESCRIBE_H

#include "check/comparison.h"
#include "check/verdict.h"

/** rarog_describe_row() - where a change is: row, function, binary, source; texts are borrowed. */
void rarog_describe_row(const struct rarog_comparison *comparison, size_t row,
			struct rarog_change *change);

#endif
