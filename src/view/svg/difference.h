/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of each context of one version in the other, as a flame graph. */
#ifndef RAROG_VIEW_SVG_DIFFERENCE_H
#define RAROG_VIEW_SVG_DIFFERENCE_H

#include <stdio.h>

#include "check/comparison.h"

/** rarog_svg_difference() - frames are as wide as what both versions took together, so each has its
 * place whichever has it; red: it became slower. 0; -ENODATA no times, or no call trees; -EBADMSG a
 * damaged one; -ENOMEM. Errors of @out are left to the caller. */
int rarog_svg_difference(const struct rarog_comparison *comparison, const char *title, FILE *out);

#endif
