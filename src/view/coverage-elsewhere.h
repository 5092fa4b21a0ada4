/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of what was inlined into a function, and those that it has in other files. */
#ifndef RAROG_VIEW_COVERAGE_ELSEWHERE_H
#define RAROG_VIEW_COVERAGE_ELSEWHERE_H

#include "view/coverage.h"
#include "view/line-count.h"

/**
 * rarog_coverage_add_elsewhere() - functions, lines and decisions
 * @of: the function that has the code
 * @part: of the tally's; it moves after those of the function
 *
 * Return: 0, -ENOMEM.
 */
int rarog_coverage_add_elsewhere(struct rarog_coverage *coverage, struct rarog_line_counter *of,
				 size_t *part);

/** rarog_coverage_ends_elsewhere() - is what @block decides at its end of such a line? */
bool rarog_coverage_ends_elsewhere(const struct rarog_tally *tally, uint32_t block);

#endif
