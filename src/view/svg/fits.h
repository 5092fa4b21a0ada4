/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings of estimates: a plane for each cost of a function, and what all of them share. */
#ifndef RAROG_VIEW_SVG_FITS_H
#define RAROG_VIEW_SVG_FITS_H

#include "base/str.h"
#include "model/estimate.h"
#include "view/svg/plane.h"

/* What is drawn of one estimate, from @top px on. 0, -ENOMEM. */
typedef int rarog_svg_fit_draw(const struct rarog_costs *costs,
			       const struct rarog_modelled *estimate, double top, FILE *out);

/** rarog_svg_fits() - the whole picture: @draw for each cost of options->func. */
int rarog_svg_fits(const struct rarog_run *run, const struct rarog_svg_options *options,
		   rarog_svg_fit_draw *draw, FILE *out);

/** rarog_svg_fit() - the estimate that drawings show; the caller releases it. 0, -ENOMEM. */
int rarog_svg_fit(const struct rarog_costs *costs, const struct rarog_costing *cost,
		  struct rarog_modelled *ret_estimate);

/** rarog_svg_fit_title() - "f: time by n; linear, 98 % sure", with @what after "f: ". 0, -ENOMEM */
int rarog_svg_fit_title(const struct rarog_costs *costs, const struct rarog_modelled *estimate,
			const char *what, struct rarog_str *ret_title);

/** rarog_svg_fit_class() - "linear, 98 % sure", or why there is no model. 0, -ENOMEM. */
int rarog_svg_fit_class(const struct rarog_modelled *estimate, struct rarog_str *ret_text);

/** rarog_svg_fit_plane() - from @top px on, of @n estimates of @costs: it has room for their
 * points, and begins at 0 where nothing is below and axes are even, so that growth is seen as it
 * is. */
struct rarog_svg_plane rarog_svg_fit_plane(const struct rarog_costs *costs, size_t n,
					   const struct rarog_modelled estimates[], double top);

/** rarog_svg_fit_curves() - the curve, and the bands of the mean and of single calls. */
void rarog_svg_fit_curves(const struct rarog_svg_plane *plane,
			  const struct rarog_modelled *estimate, const char *colour,
			  const char *band_colour, FILE *out);

/** rarog_svg_fit_amount() - of a plane's axis; @costs are the user of it. */
struct rarog_amount rarog_svg_fit_amount(const void *costs, double y);

/** rarog_svg_fit_points() - those of the points that a plot shows, each at y[i]. 0, -ENOMEM. */
int rarog_svg_fit_points(const struct rarog_svg_plane *plane, const struct rarog_modelled *estimate,
			 const double y[], const char *look, FILE *out);

#endif
