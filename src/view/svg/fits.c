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
	int r = rarog_str_addf(ret_title, "%s: %s%s by %s; ", estimate->cost->name, what, costs->y,
			       estimate->cost->x);

	return r < 0 ? r : rarog_svg_fit_class(estimate, ret_title);
}

int rarog_svg_fit_class(const struct rarog_modelled *estimate, struct rarog_str *ret_text)
{
	const struct rarog_modelled *e = estimate;
	const struct rarog_piece *piece = e->pieces.n == 1 ? &e->pieces.v[0] : NULL;
	int r;

	if (e->pieces.n == 0)
		return rarog_str_addf(ret_text, "no model: %s", e->reason);
	r = rarog_str_add(ret_text, rarog_model_class(e, 0));
	if (r == 0 && piece && piece->choice.is_told)
		r = rarog_str_addf(ret_text, ", %d %% sure", (int)(100 * piece->choice.certainty));
	return r;
}

struct rarog_svg_plane rarog_svg_fit_plane(const struct rarog_costs *costs, size_t n,
					   const struct rarog_modelled estimates[], double top)
{
	struct rarog_svg_plane plane = { .x = { INFINITY, -INFINITY, false },
					 .y = { INFINITY, -INFINITY, false },
					 .top = top,
					 .format = rarog_svg_fit_amount,
					 .user = costs };

	for (size_t i = 0; i < n; i++) {
		const struct rarog_points *points = &estimates[i].points;

		rarog_svg_axis_span(&plane.x, points->n, points->x);
		rarog_svg_axis_span(&plane.y, points->n, points->y);
	}
	rarog_svg_plane_scale(&plane);
	if (!plane.y.is_log)
		plane.y.low = fmin(plane.y.low, 0);
	return plane;
}

int rarog_svg_fit_points(const struct rarog_svg_plane *plane, const struct rarog_modelled *estimate,
			 const double y[], const char *look, FILE *out)
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
	rarog_svg_plane_points(plane, look, n, xy, xy + points->n, out);
	return 0;
}

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
		      const char *colour, FILE *out)
{
	if (c->n == 0 || isnan(c->band[0].low) || (is_of_one && isnan(c->band[0].low_one)))
		return;
	fprintf(out, "<polygon fill=\"%s\" fill-opacity=\"0.15\" points=\"", colour);
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

static void draw_curve(const struct rarog_svg_plane *plane, const struct curve *c,
		       const char *colour, FILE *out)
{
	double y[RAROG_PLOT_CURVE];

	for (size_t i = 0; i < c->n; i++)
		y[i] = c->band[i].value;
	rarog_svg_plane_curve(plane, c->n, c->x, y, colour, out);
}

void rarog_svg_fit_curves(const struct rarog_svg_plane *plane,
			  const struct rarog_modelled *estimate, const char *colour,
			  const char *band_colour, FILE *out)
{
	for (size_t i = 0; i < estimate->pieces.n; i++) {
		struct curve curve;

		curve_of(estimate, i, &curve);
		draw_band(plane, &curve, true, band_colour, out);
		draw_band(plane, &curve, false, band_colour, out);
		draw_curve(plane, &curve, colour, out);
	}
}

int rarog_svg_fit(const struct rarog_costs *costs, const struct rarog_costing *cost,
		  struct rarog_modelled *ret_estimate)
{
	const struct rarog_estimate_options standard = { .fit.model.errors = RAROG_ERRORS_AUTO };

	return rarog_estimate(cost, costs, &standard, ret_estimate);
}

static int draw_fit(const struct rarog_costs *costs, size_t i, rarog_svg_fit_draw *draw, FILE *out)
{
	double top = 3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)i;
	struct rarog_modelled estimate = { 0 };
	int r = rarog_svg_fit(costs, &costs->list.v[i], &estimate);

	if (r == 0)
		r = draw(costs, &estimate, top, out);
	rarog_estimate_release(&estimate);
	return r;
}

int rarog_svg_fits(const struct rarog_run *run, const struct rarog_svg_options *options,
		   rarog_svg_fit_draw *draw, FILE *out)
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
