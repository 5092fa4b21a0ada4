/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings of two versions. Errors of @out are left to the caller. */
#ifndef RAROG_VIEW_SVG_PAIR_H
#define RAROG_VIEW_SVG_PAIR_H

#include "check/check.h"
#include "view/svg/svg.h"

/** rarog_svg_difference() - what became of each context, as a flame graph: frames are as wide as
 * what both versions took together, so each has its place whichever has it; red: it became slower.
 * 0; -ENODATA no times, or no call trees; -EBADMSG a damaged one; -ENOMEM. */
int rarog_svg_difference(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			 FILE *out);

/** rarog_svg_pair_flow() - the control flow of both versions of options->func as one graph; red: it
 * executes more. 0; -ENODATA no counts of blocks; -ENOENT no such function; -E2BIG too many blocks;
 * -EBADMSG, -ENOMEM. */
int rarog_svg_pair_flow(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			FILE *out);

/** rarog_svg_pair_model() - what options->func ("program": the whole run) costs by what calls were
 * given, or by what jobs differ in: points and curves of both versions in one plane. 0; -ENODATA
 * there is none; -EBADMSG, -ENOMEM. */
int rarog_svg_pair_model(const struct rarog_checks *checks, const struct rarog_svg_options *options,
			 FILE *out);

#endif
