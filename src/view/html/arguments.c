/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One entry for each argument that has points; of what a mark told one for each function that it
 * was passed in. Points are thinned out evenly, in the order of the calls.
 */
#include "view/html/arguments.h"

#include <math.h>

#include "base/cleanup.h"
#include "binary/value-path.h"
#include "model/points-arguments.h"
#include "view/html/columns.h"

#define MOST 4000 /* points of one argument */

static void write_points(struct rarog_json *json, const struct rarog_argument *argument,
			 uint32_t within, const struct rarog_points *points)
{
	size_t step = points->n / MOST + 1;

	if (points->n == 0 || argument->kind == RAROG_VALUE_COST)
		return;
	rarog_json_object(json, NULL);
	rarog_html_index_member(json, "function", argument->location);
	rarog_html_index_member(json, "within", within);
	rarog_json_string(json, "name", argument->name);
	rarog_json_string(json, "type", argument->type);
	rarog_json_uint(json, "seen", points->seen);
	RAROG_COLUMN(json, "x", (points->n + step - 1) / step, i,
		     rarog_json_double(json, NULL, points->x[i * step]));
	RAROG_COLUMN(json, "y", (points->n + step - 1) / step, i,
		     rarog_json_double(json, NULL, round(points->y[i * step])));
	rarog_json_end_object(json);
}

int rarog_html_arguments_write(struct rarog_profile *profile, struct rarog_json *json)
{
	rarog_cleanup(rarog_argument_points_release) struct rarog_argument_points points = { 0 };
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(profile, &arguments);
	int r = n > 0 ? rarog_argument_points_read(profile, false, &points) : (int)n;

	if (r < 0)
		return r;
	if (n == 0) {
		rarog_json_null(json, "arguments");
		return 0;
	}
	rarog_json_array(json, "arguments");
	for (size_t i = 0; i < points.n; i++)
		write_points(json, &arguments[i], RAROG_NONE, &points.of[i]);
	for (size_t i = 0; i < points.within.n; i++) {
		const struct rarog_points_within *within = &points.within.v[i];

		write_points(json, &arguments[within->argument], within->location, &within->points);
	}
	rarog_json_end_array(json);
	return 0;
}
