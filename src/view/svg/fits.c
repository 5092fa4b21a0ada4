/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/svg/fits.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/match.h"
#include "view/model/model-view.h"
#include "view/model/plot.h"

struct rarog_amount rarog_svg_fit_amount(const void *costs, double y)
{
	return rarog_model_amount(rarog_model_unit(costs), y);
}

int rarog_svg_fit_title(const struct rarog_costs *costs, const struct rarog_modelled *estimate,
			const char *what, struct rarog_str *ret_title)
{
	const struct rarog_modelled *e = estimate;
	const struct rarog_piece *piece = e->pieces.n == 1 ? &e->pieces.v[0] : NULL;
	int r = rarog_str_addf(ret_title, "%s: %s%s by %s", e->cost->name, what, costs->y,
			       e->cost->x);

	if (r == 0 && e->pieces.n == 0)
		return rarog_str_addf(ret_title, "; no model: %s", e->reason);
	if (r == 0)
		r = rarog_str_addf(ret_title, "; %s", rarog_model_class(e, 0));
	if (r == 0 && piece && piece->choice.is_told)
		r = rarog_str_addf(ret_title, ", %d %% sure", (int)(100 * piece->choice.certainty));
	return r;
}

struct rarog_svg_plane rarog_svg_fit_plane(const struct rarog_costs *costs,
					   const struct rarog_modelled *estimate, double top)
{
	struct rarog_svg_plane plane = { .x = { INFINITY, -INFINITY, false },
					 .y = { INFINITY, -INFINITY, false },
					 .top = top,
					 .format = rarog_svg_fit_amount,
					 .user = costs };

	rarog_svg_axis_span(&plane.x, estimate->points.n, estimate->points.x);
	rarog_svg_axis_span(&plane.y, estimate->points.n, estimate->points.y);
	rarog_svg_plane_scale(&plane);
	if (!plane.y.is_log)
		plane.y.low = fmin(plane.y.low, 0);
	return plane;
}

int rarog_svg_fit_points(const struct rarog_svg_plane *plane, const struct rarog_modelled *estimate,
			 const double y[], FILE *out)
{
	const struct rarog_points *points = &estimate->points;
	rarog_cleanup(rarog_freep) bool *keep = calloc(points->n + 1, sizeof(*keep));
	rarog_cleanup(rarog_freep) double *xy = calloc(2 * points->n + 1, sizeof(*xy));
	size_t n = 0;

	if (!keep || !xy)
		return rarog_oom();
	rarog_plot_choose(estimate, keep);
	for (size_t i = 0; i < points->n; i++)
		if (keep[i]) {
			xy[n] = points->x[i];
			xy[points->n + n++] = y[i];
		}
	rarog_svg_plane_points(plane, n, xy, xy + points->n, out);
	return 0;
}

static int draw_fit(const struct rarog_costs *costs, size_t i, rarog_svg_fit *draw, FILE *out)
{
	const struct rarog_estimate_options standard = { .fit.model.errors = RAROG_ERRORS_AUTO };
	double top = 3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)i;
	struct rarog_modelled estimate = { 0 };
	int r = rarog_estimate(&costs->list.v[i], costs, &standard, &estimate);

	if (r == 0)
		r = draw(costs, &estimate, top, out);
	rarog_estimate_release(&estimate);
	return r;
}

int rarog_svg_fits(const struct rarog_run *run, const struct rarog_svg_options *options,
		   rarog_svg_fit *draw, FILE *out)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_costs_release) struct rarog_costs costs = { 0 };
	struct rarog_cost_request request = { .functions = &match };
	struct rarog_profile *profiles[] = { run->profile };
	int r = rarog_match_include(&match, options->func);

	if (r == 0)
		r = rarog_costs_read(1, profiles, &request, &costs);
	if (r < 0)
		return r;
	rarog_svg_begin(out, RAROG_SVG_WIDTH,
			2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)costs.list.n,
			options->title);
	for (size_t i = 0; r == 0 && i < costs.list.n; i++)
		r = draw_fit(&costs, i, draw, out);
	rarog_svg_end(out);
	return r;
}
