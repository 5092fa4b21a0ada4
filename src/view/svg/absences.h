/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bar above the calls of a thread: when it was off-CPU. */
#ifndef RAROG_VIEW_SVG_ABSENCES_H
#define RAROG_VIEW_SVG_ABSENCES_H

#include "view/svg/svg.h"

#define RAROG_SVG_ABSENCES_HEIGHT 8 /* px, with a gap to the calls */

struct rarog_svg_absences {
	const struct rarog_run *run;
	uint64_t begin, end;           /* ns; what the width of the picture is */
	size_t n;                      /* of the whole run; 0: single ones are not known */
	const struct rarog_absence *v; /* by strand and time */
};

/** rarog_svg_absences_read() - for a picture of @begin to @end. 0, -EBADMSG. */
int rarog_svg_absences_read(const struct rarog_run *run, uint64_t begin, uint64_t end,
			    struct rarog_svg_absences *ret_absences);

/** rarog_svg_absences_draw() - those of a strand, from @y px on. 0, -ENOMEM. */
int rarog_svg_absences_draw(const struct rarog_svg_absences *absences, uint32_t strand, double y,
			    FILE *out);

/** rarog_svg_absences_explain() - what the colours mean, in a line above @y px. */
void rarog_svg_absences_explain(const struct rarog_svg_absences *absences, double y, FILE *out);

#endif
