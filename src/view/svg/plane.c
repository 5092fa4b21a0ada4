/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/svg/plane.h"

#include <math.h>
#include <stdio.h>

#define WIDE 100.0 /* more than that, and axes are logarithmic */

#define LEFT  90
#define STEPS 4

static double share_of(const struct rarog_svg_axis *axis, double value)
{
	if (axis->high <= axis->low)
		return 0.5;
	return axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
			    : (value - axis->low) / (axis->high - axis->low);
}

static double value_at(const struct rarog_svg_axis *axis, double share)
{
	return axis->is_log ? axis->low * pow(axis->high / axis->low, share)
			    : axis->low + share * (axis->high - axis->low);
}

void rarog_svg_axis_span(struct rarog_svg_axis *axis, size_t n, const double v[])
{
	for (size_t i = 0; i < n; i++) {
		axis->low = fmin(axis->low, v[i]);
		axis->high = fmax(axis->high, v[i]);
	}
}

void rarog_svg_plane_scale(struct rarog_svg_plane *plane)
{
	struct rarog_svg_axis *x = &plane->x, *y = &plane->y;

	x->is_log = y->is_log = x->low > 0 && y->low > 0 && x->high / x->low > WIDE;
}

double rarog_svg_plane_x(const struct rarog_svg_plane *plane, double x)
{
	return LEFT + (RAROG_SVG_WIDTH - LEFT - 2 * RAROG_SVG_MARGIN) * share_of(&plane->x, x);
}

double rarog_svg_plane_y(const struct rarog_svg_plane *plane, double y)
{
	return plane->top + RAROG_SVG_PLANE_HEIGHT * (1 - share_of(&plane->y, y));
}

double rarog_svg_plane_inside(const struct rarog_svg_plane *plane, double y)
{
	return rarog_svg_plane_y(plane, fmin(fmax(y, plane->y.low), plane->y.high));
}

struct rarog_amount rarog_svg_plane_ns(const void *user, double ns)
{
	(void)user;
	return rarog_format_ns((uint64_t)llround(ns));
}

struct rarog_amount rarog_svg_plane_count(const void *user, double count)
{
	(void)user;
	return rarog_format_short_count((uint64_t)llround(count));
}

void rarog_svg_plane_frame(const struct rarog_svg_plane *plane, const char *title, FILE *out)
{
	double bottom = plane->top + RAROG_SVG_PLANE_HEIGHT;

	rarog_svg_text(out, LEFT, plane->top - 8, "start", RAROG_SVG_WIDTH - LEFT, title);
	rarog_svg_line(out, LEFT - 4, plane->top, LEFT - 4, bottom + 4);
	rarog_svg_line(out, LEFT - 4, bottom + 4, RAROG_SVG_WIDTH - RAROG_SVG_MARGIN, bottom + 4);
	for (int i = 0; i <= STEPS; i++) {
		double y = value_at(&plane->y, (double)i / STEPS);

		rarog_svg_text(out, LEFT - 8, rarog_svg_plane_y(plane, y) + 4, "end", LEFT - 8,
			       plane->format(plane->user, y).text);
	}
}

void rarog_svg_plane_numbers(const struct rarog_svg_plane *plane, FILE *out)
{
	for (int i = 0; i <= STEPS; i++) {
		double x = value_at(&plane->x, (double)i / STEPS);
		char text[32];

		if (x >= 1000 && x < 1e15)
			snprintf(text, sizeof(text), "%s",
				 rarog_format_count((uint64_t)llround(x)).text);
		else
			snprintf(text, sizeof(text), "%.4g", x);
		rarog_svg_text(out, rarog_svg_plane_x(plane, x),
			       plane->top + RAROG_SVG_PLANE_HEIGHT + 20,
			       i == STEPS ? "end" : "middle", 100, text);
	}
}

void rarog_svg_plane_curve(const struct rarog_svg_plane *plane, size_t n, const double x[],
			   const double y[], const char *colour, FILE *out)
{
	fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%.1f,%.1f ", rarog_svg_plane_x(plane, x[i]),
			rarog_svg_plane_inside(plane, y[i]));
	fputs("\"/>\n", out);
}

void rarog_svg_plane_points(const struct rarog_svg_plane *plane, const char *look, size_t n,
			    const double x[], const double y[], FILE *out)
{
	fprintf(out, "<g %s>\n", look);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n",
			rarog_svg_plane_x(plane, x[i]), rarog_svg_plane_y(plane, y[i]));
	fputs("</g>\n", out);
}
