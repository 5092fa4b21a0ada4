/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What else fits: the points of a model, and the curves of the best candidates. */
#include <math.h>

#include "base/units.h"
#include "view/model/plot.h"
#include "view/svg/fits.h"

#define MOST  6   /* curves */
#define KEY   360 /* px, of a curve's name */
#define A_ROW 3   /* names */

static void draw_candidate(const struct rarog_svg_plane *plane, const struct rarog_piece *piece,
			   size_t i, FILE *out)
{
	double x[RAROG_PLOT_CURVE], y[RAROG_PLOT_CURVE];
	size_t n = rarog_plot_grid(piece, x);

	for (size_t k = 0; k < n; k++)
		y[k] = rarog_model_value(piece->choice.candidates[i].model, x[k]);
	rarog_svg_plane_curve(plane, n, x, y, rarog_svg_colour(i), out);
}

static void draw_key(const struct rarog_svg_plane *plane, const struct rarog_choice *choice,
		     size_t i, FILE *out)
{
	size_t row = i / A_ROW, column = i % A_ROW;
	double y = plane->top + RAROG_SVG_PLANE_HEIGHT + 36 + 15 * (double)row;
	double x = 10 * RAROG_SVG_MARGIN + KEY * (double)column;
	char text[64];

	if (i == 0)
		snprintf(text, sizeof(text), "%s, best", choice->candidates[i].model->family->name);
	else
		snprintf(text, sizeof(text), "%s, %.1f behind",
			 choice->candidates[i].model->family->name, choice->candidates[i].behind);
	rarog_svg_box(out, x, y - 7, 12, 4, rarog_svg_colour(i), NULL, text);
	rarog_svg_text(out, x + 16, y, "start", KEY - 18, text);
}

static int draw_one(const struct rarog_costs *costs, const struct rarog_modelled *e, double top,
		    FILE *out)
{
	struct rarog_svg_plane plane = rarog_svg_fit_plane(costs, 1, e, top);
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_svg_fit_title(costs, e, "candidates for ", &title);

	if (r < 0)
		return r;
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	for (size_t i = 0; i < e->pieces.n; i++) {
		const struct rarog_choice *choice = &e->pieces.v[i].choice;

		for (size_t k = choice->n < MOST ? choice->n : MOST; k-- > 0;) {
			draw_candidate(&plane, &e->pieces.v[i], k, out);
			draw_key(&plane, choice, k, out);
		}
	}
	return rarog_svg_fit_points(&plane, e, e->points.y, RAROG_SVG_DOTS, out);
}

int rarog_svg_candidates(const struct rarog_run *run, const struct rarog_svg_options *options,
			 FILE *out)
{
	return rarog_svg_fits(run, options, draw_one, out);
}
