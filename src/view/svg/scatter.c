/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each call of a function took, a picture for each value that it was given. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "view/plot/clouds.h"
#include "view/svg/hexagons.h"
#include "view/text.h"

#define DOTS 1500 /* points of a picture that have a dot each */

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

/* Where points are too many for a dot each, they are read once more, when the axes are known. */
struct picture {
	const struct rarog_run *run;
	const struct rarog_clouds *clouds;
	struct rarog_svg_plane *planes;      /* by cloud */
	struct rarog_svg_hexagons *hexagons; /* by cloud; .n is NULL: dots */
};

static void picture_release(struct picture *p)
{
	for (size_t i = 0; p->hexagons && i < p->clouds->v.n; i++)
		rarog_svg_hexagons_release(&p->hexagons[i]);
	free(p->hexagons);
	free(p->planes);
}

static struct rarog_svg_plane plane_of(const struct rarog_cloud *cloud, double top)
{
	struct rarog_svg_plane plane = { .x = { cloud->points.least, cloud->points.most, false },
					 .y = { cloud->low, cloud->high, false },
					 .top = top,
					 .format = cloud->has_counts ? rarog_svg_plane_count
								     : rarog_svg_plane_ns };

	rarog_svg_plane_scale(&plane);
	return plane;
}

static int add_point(void *arg, uint32_t location, double x, double y)
{
	const struct picture *p = arg;
	const struct rarog_cloud *cloud = rarog_cloud_of(p->clouds, location);
	size_t i = cloud ? (size_t)(cloud - p->clouds->v.v) : 0;

	if (cloud && p->hexagons[i].n)
		rarog_svg_hexagons_add(&p->hexagons[i], &p->planes[i], x, y);
	return 0;
}

static int count_points(struct picture *p)
{
	const struct rarog_points_sink sink = { .wish.is_single = true,
						.point = add_point,
						.arg = p };
	bool has_many = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->clouds->v.n; i++) {
		p->planes[i] = plane_of(&p->clouds->v.v[i],
					3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)i);
		if (p->clouds->v.v[i].points.seen <= DOTS)
			continue;
		has_many = true;
		r = rarog_svg_hexagons_init(&p->hexagons[i]);
	}
	return r == 0 && has_many ? rarog_points_read(p->run->profile, &sink) : r;
}

static int draw_cloud(const struct picture *p, size_t i, FILE *out)
{
	const struct rarog_cloud *cloud = &p->clouds->v.v[i];
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_str_addf(&title, "%s: %s of a call by %s",
			       rarog_location_title(&p->run->locations[cloud->location]),
			       cloud->has_counts ? "instructions" : "time",
			       cloud->x_name ? cloud->x_name : "the order of the calls");

	if (r < 0)
		return r;
	rarog_svg_plane_frame(&p->planes[i], rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&p->planes[i], out);
	if (p->hexagons[i].n)
		rarog_svg_hexagons_draw(&p->hexagons[i], &p->planes[i], "calls", out);
	else
		rarog_svg_plane_points(&p->planes[i], RAROG_SVG_DOTS, cloud->points.n,
				       cloud->points.x, cloud->points.y, out);
	return 0;
}

static int draw(const struct rarog_run *run, const struct rarog_clouds *clouds, const char *title,
		FILE *out)
{
	rarog_cleanup(picture_release) struct picture p = {
		.run = run,
		.clouds = clouds,
		.planes = calloc(clouds->v.n, sizeof(*p.planes)),
		.hexagons = calloc(clouds->v.n, sizeof(*p.hexagons)),
	};
	int r = p.planes && p.hexagons ? count_points(&p) : rarog_oom();

	if (r < 0)
		return r;
	rarog_svg_begin(out, RAROG_SVG_WIDTH,
			2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)clouds->v.n, title);
	for (size_t i = 0; r == 0 && i < clouds->v.n; i++)
		r = draw_cloud(&p, i, out);
	rarog_svg_end(out);
	return r;
}

int rarog_svg_scatter(const struct rarog_run *run, const struct rarog_svg_options *options,
		      FILE *out)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(rarog_clouds_release) struct rarog_clouds clouds = { 0 };
	struct wanted wanted = { run, &match };
	int r = options->colour_by ? 0 : rarog_match_include(&match, options->func);

	if (options->colour_by)
		return rarog_svg_scatter_coloured(run, options, out);
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
