/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each call of a function took, by what it was given, or in the order of the calls. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "model/points.h"
#include "view/term/scatter.h"
#include "view/term/views.h"
#include "view/text.h"

#define WIDTH  100
#define HEIGHT 18

struct cloud {
	uint32_t location;
	char *x_name; /* NULL: order of the call */
	struct rarog_points points;
};

struct clouds {
	struct rarog_show *show;
	RAROG_VEC(struct cloud) v;
	bool *is_wanted; /* by location */
};

static void clouds_release(struct clouds *clouds)
{
	for (size_t i = 0; i < clouds->v.n; i++) {
		free(clouds->v.v[i].x_name);
		rarog_points_release(&clouds->v.v[i].points);
	}
	rarog_vec_release(&clouds->v);
	free(clouds->is_wanted);
}

/* --- reading --- */

static int begin_cloud(struct clouds *clouds, uint32_t location, const char *x)
{
	struct cloud cloud = { .location = location, .x_name = x ? strdup(x) : NULL };

	if ((x && !cloud.x_name) || rarog_vec_push(&clouds->v, cloud) < 0) {
		free(cloud.x_name);
		return rarog_oom();
	}
	return 0;
}

static int add_named(void *arg, uint32_t location, const char *x)
{
	struct clouds *clouds = arg;

	return clouds->is_wanted[location] ? begin_cloud(clouds, location, x) : 0;
}

static struct cloud *cloud_of(struct clouds *clouds, uint32_t location)
{
	for (size_t i = clouds->v.n; i > 0; i--)
		if (clouds->v.v[i - 1].location == location)
			return &clouds->v.v[i - 1];
	return NULL;
}

static int add_point(void *arg, uint32_t location, double x, double y)
{
	struct clouds *clouds = arg;
	struct cloud *cloud;

	if (!clouds->is_wanted[location])
		return 0;
	cloud = cloud_of(clouds, location);
	if (!cloud) {
		int r = begin_cloud(clouds, location, NULL);

		if (r < 0)
			return r;
		cloud = cloud_of(clouds, location);
	}
	return rarog_points_add(&cloud->points, x, y);
}

static int read_clouds(struct clouds *clouds)
{
	const struct rarog_points_sink sink = { .point = add_point,
						.named = add_named,
						.arg = clouds };
	size_t n = clouds->show->run.n_locations;
	int r;

	clouds->is_wanted = calloc(n + 1, sizeof(*clouds->is_wanted));
	if (!clouds->is_wanted)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		clouds->is_wanted[i] =
			rarog_show_matches(clouds->show, &clouds->show->run.locations[i]);
	r = rarog_points_read(clouds->show->run.profile, &sink);
	for (size_t i = 0; r == 0 && i < clouds->v.n; i++)
		r = rarog_points_sort(&clouds->v.v[i].points);
	return r;
}

/* --- writing --- */

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

static int draw(struct rarog_show *show, const struct cloud *cloud)
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
	fprintf(show->out, "%s: time of a call by %s, %zu calls\n", rarog_str_text(&name),
		cloud->x_name ? cloud->x_name : "the order of the calls", cloud->points.seen);
	r = rarog_scatter_print(&scatter, show->out);
	fputc('\n', show->out);
	return r;
}

static int write_rows(struct rarog_show *show, const struct clouds *clouds)
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
		const struct cloud *cloud = &clouds->v.v[i];
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
	rarog_cleanup(clouds_release) struct clouds clouds = { .show = show };
	bool is_table = show->options.format == RAROG_SHEET_TABLE;
	int r = read_clouds(&clouds);

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
