/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any number of points of a plane in a bounded picture: hexagons, darker where more lie. */
#ifndef RAROG_VIEW_SVG_HEXAGONS_H
#define RAROG_VIEW_SVG_HEXAGONS_H

#include "view/svg/plane.h"

/* Zeroed: none. */
struct rarog_svg_hexagons {
	size_t columns, rows;
	uint64_t *n; /* n[rows * columns]: points in each */
};

/** rarog_svg_hexagons_init() - none is in any yet. 0, -ENOMEM. */
int rarog_svg_hexagons_init(struct rarog_svg_hexagons *hexagons);
void rarog_svg_hexagons_release(struct rarog_svg_hexagons *hexagons); /* fits rarog_cleanup() */

/** rarog_svg_hexagons_add() - a point of @plane, whose axes have all points. */
void rarog_svg_hexagons_add(struct rarog_svg_hexagons *hexagons,
			    const struct rarog_svg_plane *plane, double x, double y);

/** rarog_svg_hexagons_draw() - those with points, and below the axis of x what they are of:
 * "1,234,567 @things". */
void rarog_svg_hexagons_draw(const struct rarog_svg_hexagons *hexagons,
			     const struct rarog_svg_plane *plane, const char *things, FILE *out);

#endif
