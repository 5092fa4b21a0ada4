/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the model of a function leaves: each point less the curve there, around a line at zero. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "view/svg/fits.h"

static void leave(const struct rarog_modelled *e, double ret_left[])
{
	for (size_t i = 0; i < e->points.n; i++) {
		const struct rarog_model *model = rarog_estimate_at(e, e->points.x[i]);

		ret_left[i] = e->points.y[i] - rarog_model_value(model, e->points.x[i]);
	}
}

/* Around zero; x is that of the model's plot. */
static struct rarog_svg_axis axis_of(size_t n, const double left[])
{
	double furthest = 0;

	for (size_t i = 0; i < n; i++)
		furthest = fmax(furthest, fabs(left[i]));
	return (struct rarog_svg_axis){ -furthest, furthest, false };
}

static int draw_one(const struct rarog_costs *costs, const struct rarog_modelled *e, double top,
		    FILE *out)
{
	struct rarog_svg_plane plane = rarog_svg_fit_plane(costs, 1, e, top);
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	rarog_cleanup(rarog_freep) double *left = calloc(e->points.n + 1, sizeof(*left));
	int r = left ? rarog_svg_fit_title(costs, e, "residuals of ", &title) : rarog_oom();
	double zero;

	if (r < 0)
		return r;
	if (e->pieces.n == 0 || e->points.n == 0) {
		rarog_svg_text(out, RAROG_SVG_MARGIN, top - 8, "start", RAROG_SVG_WIDTH,
			       rarog_str_text(&title));
		return 0;
	}
	leave(e, left);
	plane.y = axis_of(e->points.n, left);
	zero = rarog_svg_plane_y(&plane, 0);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	rarog_svg_line(out, rarog_svg_plane_x(&plane, plane.x.low), zero,
		       rarog_svg_plane_x(&plane, plane.x.high), zero);
	return rarog_svg_fit_points(&plane, e, left, RAROG_SVG_DOTS, out);
}

int rarog_svg_residuals(const struct rarog_run *run, const struct rarog_svg_options *options,
			FILE *out)
{
	return rarog_svg_fits(run, options, draw_one, out);
}
