/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each call of a function took, by what it was given, or in the order of the calls. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "view/plot/clouds.h"
#include "view/term/scatter.h"
#include "view/term/views.h"
#include "view/text.h"

#define WIDTH  100
#define HEIGHT 18

static bool is_wanted(void *user, uint32_t location)
{
	struct rarog_show *show = user;

	return rarog_show_matches(show, &show->run.locations[location]);
}

static struct rarog_amount x_label(double x)
{
	struct rarog_amount text;

	snprintf(text.text, sizeof(text.text), "%.6g", x);
	return text;
}

static struct rarog_amount y_label(double y)
{
	return rarog_format_ns(y > 0 && y < 1e18 ? (uint64_t)llround(y) : 0);
}

static int draw(struct rarog_show *show, const struct rarog_cloud *cloud)
{
	const struct rarog_show_options *options = &show->options;
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	int width = options->width > 0 ? options->width : WIDTH;
	const struct rarog_scatter scatter = {
		.n = cloud->points.n,
		.x = cloud->points.x,
		.y = cloud->points.y,
		.at = NAN,
		.x_label = x_label,
		.y_label = y_label,
		.width = width < 40 ? 40 : width,
		.height = HEIGHT,
		.is_ascii = options->ascii,
		.colour = options->colour,
	};
	int r = rarog_text_add_clean(
		&name, rarog_location_title(&show->run.locations[cloud->location]), options->ascii);

	if (r < 0 || cloud->points.n == 0)
		return r;
	fprintf(show->out, "%s: time of a call by %s, %zu call%s%s\n", rarog_str_text(&name),
		cloud->x_name ? cloud->x_name : "the order of the calls", cloud->points.seen,
		rarog_plural(cloud->points.seen),
		cloud->points.w ? "; a dot is the mean of neighbours" : "");
	r = rarog_scatter_print(&scatter, show->out);
	fputc('\n', show->out);
	return r;
}

static int write_rows(struct rarog_show *show, const struct rarog_clouds *clouds)
{
	static const struct rarog_sheet_fact facts[] = {
		{ RAROG_FACT_TEXT, NULL, "name", false },
		{ RAROG_FACT_TEXT, NULL, "x_of", false },
		{ RAROG_FACT_NUMBER, NULL, "x", false },
		{ RAROG_FACT_NUMBER, NULL, "y_ns", false },
		{ RAROG_FACT_NUMBER, NULL, "weight", false },
	};
	struct rarog_sheet sheet;
	int r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), facts, "points");

	for (size_t i = 0; i < clouds->v.n; i++) {
		const struct rarog_cloud *cloud = &clouds->v.v[i];
		const struct rarog_location *location = &show->run.locations[cloud->location];

		for (size_t k = 0; r == 0 && k < cloud->points.n; k++)
			r = rarog_sheet_add(
				&sheet,
				(const struct rarog_value[]){
					{ .text = rarog_location_title(location) },
					{ .text = cloud->x_name ? cloud->x_name
								: RAROG_POINTS_ORDER },
					{ .real = cloud->points.x[k] },
					{ .real = cloud->points.y[k] },
					{ .real = cloud->points.w ? cloud->points.w[k] : 1 },
				});
	}
	return rarog_show_sheet_end(show, &sheet, r);
}

static int show_points(struct rarog_show *show)
{
	rarog_cleanup(rarog_clouds_release) struct rarog_clouds clouds = { 0 };
	bool is_table = show->options.format == RAROG_SHEET_TABLE;
	int r = rarog_clouds_read(&show->run, is_wanted, show, &clouds);

	if (r == 0 && !is_table)
		return write_rows(show, &clouds);
	for (size_t i = 0; r == 0 && i < clouds.v.n; i++)
		r = draw(show, &clouds.v.v[i]);
	if (r == 0)
		rarog_show_note(show, "rarog model has the curve, and how sure it is");
	return r;
}

const struct rarog_view rarog_view_scatter = { .run = show_points,
					       .is_drawing = true,
					       .check = rarog_show_check_calls };
