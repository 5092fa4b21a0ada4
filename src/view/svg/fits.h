/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawings of estimates: a plane for each cost of a function, and what all of them share. */
#ifndef RAROG_VIEW_SVG_FITS_H
#define RAROG_VIEW_SVG_FITS_H

#include "base/str.h"
#include "model/estimate.h"
#include "view/svg/plane.h"

/* What is drawn of one estimate, from @top px on. 0, -ENOMEM. */
typedef int rarog_svg_fit(const struct rarog_costs *costs, const struct rarog_modelled *estimate,
			  double top, FILE *out);

/** rarog_svg_fits() - the whole picture: @draw for each cost of options->func. */
int rarog_svg_fits(const struct rarog_run *run, const struct rarog_svg_options *options,
		   rarog_svg_fit *draw, FILE *out);

/** rarog_svg_fit_title() - "f: time by n; linear, 98 % sure", with @what after "f: ". 0, -ENOMEM */
int rarog_svg_fit_title(const struct rarog_costs *costs, const struct rarog_modelled *estimate,
			const char *what, struct rarog_str *ret_title);

/** rarog_svg_fit_plane() - from @top px on, of an estimate of @costs: it has room for its points,
 * and begins at 0 where nothing is below and axes are even, so that growth is seen as it is. */
struct rarog_svg_plane rarog_svg_fit_plane(const struct rarog_costs *costs,
					   const struct rarog_modelled *estimate, double top);

/** rarog_svg_fit_amount() - of a plane's axis; @costs are the user of it. */
struct rarog_amount rarog_svg_fit_amount(const void *costs, double y);

/** rarog_svg_fit_points() - those of the points that a plot shows, each at y[i]. 0, -ENOMEM. */
int rarog_svg_fit_points(const struct rarog_svg_plane *plane, const struct rarog_modelled *estimate,
			 const double y[], FILE *out);

#endif
