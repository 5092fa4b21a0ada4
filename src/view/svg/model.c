/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of a function: its points, the curve, and the bands of the mean and of single calls. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "view/model/model-view.h"
#include "view/model/plot.h"
#include "view/svg/plane.h"

struct curve {
	size_t n;
	double x[RAROG_PLOT_CURVE];
	struct rarog_band band[RAROG_PLOT_CURVE];
};

static struct rarog_amount format(const void *user, double y)
{
	return rarog_model_amount(rarog_model_unit(user), y);
}

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

static int title_of(const struct rarog_costs *costs, const struct rarog_modelled *e,
		    struct rarog_str *ret)
{
	const struct rarog_piece *piece = e->pieces.n == 1 ? &e->pieces.v[0] : NULL;
	int r = rarog_str_addf(ret, "%s: %s by %s", e->cost->name, costs->y, e->cost->x);

	if (r == 0 && e->pieces.n == 0)
		return rarog_str_addf(ret, "; no model: %s", e->reason);
	if (r == 0)
		r = rarog_str_addf(ret, "; %s", rarog_model_class(e, 0));
	if (r == 0 && piece && piece->choice.is_told)
		r = rarog_str_addf(ret, ", %d %% sure", (int)(100 * piece->choice.certainty));
	return r;
}

static int draw_points(const struct rarog_svg_plane *plane, const struct rarog_modelled *e,
		       FILE *out)
{
	const struct rarog_points *points = &e->points;
	rarog_cleanup(rarog_freep) bool *keep = calloc(points->n + 1, sizeof(*keep));
	rarog_cleanup(rarog_freep) double *xy = calloc(2 * points->n + 1, sizeof(*xy));
	size_t n = 0;

	if (!keep || !xy)
		return rarog_oom();
	rarog_plot_choose(e, keep);
	for (size_t i = 0; i < points->n; i++)
		if (keep[i]) {
			xy[n] = points->x[i];
			xy[points->n + n++] = points->y[i];
		}
	rarog_svg_plane_points(plane, n, xy, xy + points->n, out);
	return 0;
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
	struct rarog_svg_plane plane = { .x = { INFINITY, -INFINITY, false },
					 .y = { INFINITY, -INFINITY, false },
					 .top = top,
					 .format = format,
					 .user = costs };
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = title_of(costs, e, &title);

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
	return draw_points(&plane, e, out);
}

static int draw_fit(const struct rarog_costs *costs, size_t i, double top, FILE *out)
{
	const struct rarog_estimate_options standard = { .fit.model.errors = RAROG_ERRORS_AUTO };
	struct rarog_modelled estimate = { 0 };
	int r = rarog_estimate(&costs->list.v[i], costs, &standard, &estimate);

	if (r == 0)
		r = draw_one(costs, &estimate, top, out);
	rarog_estimate_release(&estimate);
	return r;
}

int rarog_svg_model(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	struct rarog_cost_request request = { .functions = &match };
	struct rarog_profile *profiles[] = { run->profile };
	struct rarog_costs costs = { 0 };
	int r = rarog_match_include(&match, options->func);

	if (r == 0)
		r = rarog_costs_read(1, profiles, &request, &costs);
	if (r < 0)
		return r;
	rarog_svg_begin(out, RAROG_SVG_WIDTH,
			2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)costs.list.n,
			options->title);
	for (size_t i = 0; r == 0 && i < costs.list.n; i++)
		r = draw_fit(&costs, i, 3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)i,
			     out);
	rarog_svg_end(out);
	rarog_costs_release(&costs);
	return r;
}
