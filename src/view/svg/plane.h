/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of a drawing with two axes. */
#ifndef RAROG_VIEW_SVG_PLANE_H
#define RAROG_VIEW_SVG_PLANE_H

#include "base/units.h"
#include "view/svg/svg.h"

#define RAROG_SVG_PLANE_HEIGHT 320
#define RAROG_SVG_PLANE_ROOM   (RAROG_SVG_PLANE_HEIGHT + 4 * RAROG_SVG_LINE) /* with texts */

/* Begins as { INFINITY, -INFINITY }. */
struct rarog_svg_axis {
	double low, high;
	bool is_log;
};

struct rarog_svg_plane {
	struct rarog_svg_axis x, y;
	double top; /* px, below the title */
	struct rarog_amount (*format)(const void *user, double y);
	const void *user;
};

/** rarog_svg_axis_span() - widen it to all of @v. */
void rarog_svg_axis_span(struct rarog_svg_axis *axis, size_t n, const double v[]);

/** rarog_svg_plane_scale() - both axes become logarithmic where x spans two decades and nothing is
 * zero or negative. */
void rarog_svg_plane_scale(struct rarog_svg_plane *plane);

/** rarog_svg_plane_x(), rarog_svg_plane_y() - where a value lies, in px. */
double rarog_svg_plane_x(const struct rarog_svg_plane *plane, double x);
double rarog_svg_plane_y(const struct rarog_svg_plane *plane, double y);

/** rarog_svg_plane_inside() - the same; what lies above or below is at the edge. */
double rarog_svg_plane_inside(const struct rarog_svg_plane *plane, double y);

/** rarog_svg_plane_ns(), rarog_svg_plane_count() - .format of times, of counts. */
struct rarog_amount rarog_svg_plane_ns(const void *user, double ns);
struct rarog_amount rarog_svg_plane_count(const void *user, double count);

/** rarog_svg_plane_frame() - the title, both axes, amounts at that of y. */
void rarog_svg_plane_frame(const struct rarog_svg_plane *plane, const char *title, FILE *out);

/** rarog_svg_plane_numbers() - at the axis of x. */
void rarog_svg_plane_numbers(const struct rarog_svg_plane *plane, FILE *out);

/** rarog_svg_plane_curve() - a line through all of them, inside. */
void rarog_svg_plane_curve(const struct rarog_svg_plane *plane, size_t n, const double x[],
			   const double y[], const char *colour, FILE *out);

/* Looks of dots: attributes of SVG. */
#define RAROG_SVG_DOTS  "fill=\"#0072b2\" fill-opacity=\"0.5\""
#define RAROG_SVG_RINGS "fill=\"none\" stroke=\"#d55e00\" stroke-opacity=\"0.7\""

/** rarog_svg_plane_points() - a dot for each, that @look so. */
void rarog_svg_plane_points(const struct rarog_svg_plane *plane, const char *look, size_t n,
			    const double x[], const double y[], FILE *out);

#endif
