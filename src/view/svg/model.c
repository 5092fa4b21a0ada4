/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of a function: its points, the curve, and the bands of the mean and of single calls. */
#include <math.h>

#include "view/model/plot.h"
#include "view/svg/fits.h"

struct curve {
	size_t n;
	double x[RAROG_PLOT_CURVE];
	struct rarog_band band[RAROG_PLOT_CURVE];
};

static void curve_of(const struct rarog_modelled *e, size_t piece, struct curve *curve)
{
	curve->n = rarog_plot_grid(&e->pieces.v[piece], curve->x);
	for (size_t i = 0; i < curve->n; i++)
		rarog_estimate_band(e, curve->x[i], RAROG_ESTIMATE_LEVEL, &curve->band[i]);
}

/* What is drawn stays in the plane: an interval may reach far above all points. */
static double y_of(const struct rarog_svg_plane *plane, double y)
{
	return rarog_svg_plane_y(plane, fmin(fmax(y, plane->y.low), plane->y.high));
}

static void draw_band(const struct rarog_svg_plane *plane, const struct curve *c, bool is_of_one,
		      FILE *out)
{
	if (c->n == 0 || isnan(c->band[0].low) || (is_of_one && isnan(c->band[0].low_one)))
		return;
	fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.15\" points=\"", rarog_svg_colour(1));
	for (size_t i = 0; i < c->n; i++)
		fprintf(out, "%.1f,%.1f ", rarog_svg_plane_x(plane, c->x[i]),
			y_of(plane, is_of_one ? c->band[i].high_one : c->band[i].high));
	for (size_t i = c->n; i-- > 0;)
		fprintf(out, "%.1f,%.1f ", rarog_svg_plane_x(plane, c->x[i]),
			y_of(plane, is_of_one ? c->band[i].low_one : c->band[i].low));
	fputs("\"/>\n", out);
}

static void draw_curve(const struct rarog_svg_plane *plane, const struct curve *c, FILE *out)
{
	fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
		rarog_svg_colour(5));
	for (size_t i = 0; i < c->n; i++)
		fprintf(out, "%.1f,%.1f ", rarog_svg_plane_x(plane, c->x[i]),
			y_of(plane, c->band[i].value));
	fputs("\"/>\n", out);
}

/* From 0 where nothing is below and axes are even, so that growth is seen as it is. */
static void scale(struct rarog_svg_plane *plane, const struct rarog_points *points)
{
	rarog_svg_axis_span(&plane->x, points->n, points->x);
	rarog_svg_axis_span(&plane->y, points->n, points->y);
	rarog_svg_plane_scale(plane);
	if (!plane->y.is_log)
		plane->y.low = fmin(plane->y.low, 0);
}

static int draw_one(const struct rarog_costs *costs, const struct rarog_modelled *e, double top,
		    FILE *out)
{
	struct rarog_svg_plane plane = rarog_svg_fit_plane(costs, top);
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_svg_fit_title(costs, e, "", &title);

	if (r < 0)
		return r;
	scale(&plane, &e->points);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	for (size_t i = 0; i < e->pieces.n; i++) {
		struct curve curve;

		curve_of(e, i, &curve);
		draw_band(&plane, &curve, true, out);
		draw_band(&plane, &curve, false, out);
		draw_curve(&plane, &curve, out);
	}
	return rarog_svg_fit_points(&plane, e, e->points.y, out);
}

int rarog_svg_model(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	return rarog_svg_fits(run, options, draw_one, out);
}
