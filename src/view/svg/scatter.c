/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each call of a function took, a picture for each value that it was given. */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "base/units.h"
#include "view/plot/clouds.h"
#include "view/svg/svg.h"
#include "view/text.h"

#define LEFT   90
#define HEIGHT 320
#define WIDE   100.0 /* more than that, and axes are logarithmic */

struct axis {
	double low, high;
	bool is_log;
};

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

static struct axis axis_of(size_t n, const double v[n])
{
	struct axis axis = { v[0], v[0], false };

	for (size_t i = 1; i < n; i++) {
		axis.low = fmin(axis.low, v[i]);
		axis.high = fmax(axis.high, v[i]);
	}
	return axis;
}

static double share_of(const struct axis *axis, double value)
{
	if (axis->high <= axis->low)
		return 0.5;
	return axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
			    : (value - axis->low) / (axis->high - axis->low);
}

static double value_at(const struct axis *axis, double share)
{
	return axis->is_log ? axis->low * pow(axis->high / axis->low, share)
			    : axis->low + share * (axis->high - axis->low);
}

static double x_of(const struct axis *axis, double x)
{
	return LEFT + (RAROG_SVG_WIDTH - LEFT - 2 * RAROG_SVG_MARGIN) * share_of(axis, x);
}

static double y_of(const struct axis *axis, double top, double y)
{
	return top + HEIGHT * (1 - share_of(axis, y));
}

static void draw_axes(const struct axis *x, const struct axis *y, double top, FILE *out)
{
	rarog_svg_line(out, LEFT - 4, top, LEFT - 4, top + HEIGHT + 4);
	rarog_svg_line(out, LEFT - 4, top + HEIGHT + 4, RAROG_SVG_WIDTH - RAROG_SVG_MARGIN,
		       top + HEIGHT + 4);
	for (int i = 0; i <= 4; i++) {
		double at = value_at(x, i / 4.0), ns = value_at(y, i / 4.0);
		char text[32];

		snprintf(text, sizeof(text), "%.4g", at);
		rarog_svg_text(out, x_of(x, at), top + HEIGHT + 20, i == 4 ? "end" : "middle", 100,
			       text);
		rarog_svg_text(out, LEFT - 8, y_of(y, top, ns) + 4, "end", LEFT - 8,
			       rarog_format_ns((uint64_t)llround(ns)).text);
	}
}

static int draw_cloud(const struct rarog_run *run, const struct rarog_cloud *cloud, double top,
		      FILE *out)
{
	const struct rarog_points *points = &cloud->points;
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	struct axis x = axis_of(points->n, points->x), y = axis_of(points->n, points->y);
	int r = rarog_str_addf(&title, "%s: time of a call by %s",
			       rarog_location_title(&run->locations[cloud->location]),
			       cloud->x_name ? cloud->x_name : "the order of the calls");

	if (r < 0)
		return r;
	x.is_log = y.is_log = x.low > 0 && y.low > 0 && x.high / x.low > WIDE;
	rarog_svg_text(out, LEFT, top - 8, "start", 1000, rarog_str_text(&title));
	draw_axes(&x, &y, top, out);
	fprintf(out, "<g fill=\"%s\" fill-opacity=\"0.5\">\n", rarog_svg_colour(0));
	for (size_t i = 0; i < points->n; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n", x_of(&x, points->x[i]),
			y_of(&y, top, points->y[i]));
	fputs("</g>\n", out);
	return 0;
}

static int draw(const struct rarog_run *run, const struct rarog_clouds *clouds, const char *title,
		FILE *out)
{
	int each = HEIGHT + 4 * RAROG_SVG_LINE, r = 0;

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
