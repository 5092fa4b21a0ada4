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

static void draw_band(const struct rarog_svg_plane *plane, const struct curve *c, bool is_of_one,
		      FILE *out)
{
	if (c->n == 0 || isnan(c->band[0].low) || (is_of_one && isnan(c->band[0].low_one)))
		return;
	fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.15\" points=\"", rarog_svg_colour(1));
	for (size_t i = 0; i < c->n; i++)
		fprintf(out, "%.1f,%.1f ", rarog_svg_plane_x(plane, c->x[i]),
			rarog_svg_plane_inside(plane,
					       is_of_one ? c->band[i].high_one : c->band[i].high));
	for (size_t i = c->n; i-- > 0;)
		fprintf(out, "%.1f,%.1f ", rarog_svg_plane_x(plane, c->x[i]),
			rarog_svg_plane_inside(plane,
					       is_of_one ? c->band[i].low_one : c->band[i].low));
	fputs("\"/>\n", out);
}

static void draw_curve(const struct rarog_svg_plane *plane, const struct curve *c, FILE *out)
{
	double y[RAROG_PLOT_CURVE];

	for (size_t i = 0; i < c->n; i++)
		y[i] = c->band[i].value;
	rarog_svg_plane_curve(plane, c->n, c->x, y, rarog_svg_colour(5), out);
}

static int draw_one(const struct rarog_costs *costs, const struct rarog_modelled *e, double top,
		    FILE *out)
{
	struct rarog_svg_plane plane = rarog_svg_fit_plane(costs, e, top);
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_svg_fit_title(costs, e, "", &title);

	if (r < 0)
		return r;
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
