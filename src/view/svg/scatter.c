/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each call of a function took, a picture for each value that it was given. */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "view/plot/clouds.h"
#include "view/svg/plane.h"
#include "view/text.h"

struct wanted {
	const struct rarog_run *run;
	struct rarog_match *match;
};

static bool is_wanted(void *user, uint32_t location)
{
	const struct wanted *wanted = user;
	const struct rarog_location *of = &wanted->run->locations[location];
	const char *names[] = { of->name, of->demangled };

	return rarog_match_test(wanted->match, RAROG_COUNT(names), names);
}

static struct rarog_amount format_ns(const void *user, double ns)
{
	(void)user;
	return rarog_format_ns((uint64_t)llround(ns));
}

static int draw_cloud(const struct rarog_run *run, const struct rarog_cloud *cloud, double top,
		      FILE *out)
{
	const struct rarog_points *points = &cloud->points;
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	struct rarog_svg_plane plane = { .x = { INFINITY, -INFINITY, false },
					 .y = { INFINITY, -INFINITY, false },
					 .top = top,
					 .format = format_ns };
	int r = rarog_str_addf(&title, "%s: time of a call by %s",
			       rarog_location_title(&run->locations[cloud->location]),
			       cloud->x_name ? cloud->x_name : "the order of the calls");

	if (r < 0)
		return r;
	rarog_svg_axis_span(&plane.x, points->n, points->x);
	rarog_svg_axis_span(&plane.y, points->n, points->y);
	rarog_svg_plane_scale(&plane);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	rarog_svg_plane_points(&plane, points->n, points->x, points->y, out);
	return 0;
}

static int draw(const struct rarog_run *run, const struct rarog_clouds *clouds, const char *title,
		FILE *out)
{
	int each = RAROG_SVG_PLANE_ROOM, r = 0;

	rarog_svg_begin(out, RAROG_SVG_WIDTH, 2 * RAROG_SVG_LINE + each * (int)clouds->v.n, title);
	for (size_t i = 0; r == 0 && i < clouds->v.n; i++)
		r = draw_cloud(run, &clouds->v.v[i], 3.5 * RAROG_SVG_LINE + each * (double)i, out);
	rarog_svg_end(out);
	return r;
}

int rarog_svg_scatter(const struct rarog_run *run, const struct rarog_svg_options *options,
		      FILE *out)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_clouds_release) struct rarog_clouds clouds = { 0 };
	struct wanted wanted = { run, &match };
	int r = rarog_match_include(&match, options->func);

	if (r == 0)
		r = rarog_clouds_read(run, is_wanted, &wanted, &clouds);
	if (r < 0)
		return r;
	if (clouds.v.n == 0)
		return rarog_fail(-ENOENT,
				  "%s has no single calls of '%s'; rarog show lists functions, "
				  "rarog collect --detail=calls keeps their calls",
				  rarog_profile_path(run->profile), options->func);
	return draw(run, &clouds, options->title, out);
}
