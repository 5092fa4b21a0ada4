/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of a function: its points, the curve, and the bands of the mean and of single calls. */
#include "view/svg/fits.h"

static int draw_one(const struct rarog_costs *costs, const struct rarog_modelled *e, double top,
		    FILE *out)
{
	struct rarog_svg_plane plane = rarog_svg_fit_plane(costs, 1, e, top);
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_svg_fit_title(costs, e, "", &title);

	if (r < 0)
		return r;
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	rarog_svg_fit_curves(&plane, e, rarog_svg_colour(5), rarog_svg_colour(1), out);
	return rarog_svg_fit_points(&plane, e, e->points.y, RAROG_SVG_DOTS, out);
}

int rarog_svg_model(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	return rarog_svg_fits(run, options, draw_one, out);
}
