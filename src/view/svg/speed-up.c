/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile of speed-up of a function (rarog blow causal): by what part of itself it was
 * virtually faster across, by what part of itself the program was upwards; for the whole run, or
 * for each progress point. rarog blow leaves it in the header.
 */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "view/svg/plane.h"
#include "view/text.h"

#define STEPS 64 /* of a profile at most */

struct profile {
	const char *name, *point; /* NULL: the whole run */
	size_t n;
	double part[STEPS], gain[STEPS];
};

static void release_json(json_t **json)
{
	json_decref(*json);
}

static struct rarog_amount format_part(const void *user, double part)
{
	struct rarog_amount text;

	(void)user;
	snprintf(text.text, sizeof(text.text), "%.4g %%", 100 * part);
	return text;
}

static void read_steps(const json_t *list, struct profile *profile)
{
	const json_t *step;
	size_t i;

	profile->n = 0;
	json_array_foreach (list, i, step) {
		const json_t *gain = json_object_get(step, "gain");

		if (profile->n == STEPS || !json_is_number(gain))
			continue;
		profile->part[profile->n] = 100 * json_number_value(json_object_get(step, "part"));
		profile->gain[profile->n++] = json_number_value(gain);
	}
}

static int draw_profile(const struct profile *p, double top, FILE *out)
{
	struct rarog_svg_plane plane = {
		.x = { 0, 0, false }, .y = { 0, 0, false }, .top = top, .format = format_part
	};
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = rarog_str_addf(&title, "%s: speed-up of %s%s by that of the function (%%)", p->name,
			       p->point ? "a passage of " : "the run", p->point ? p->point : "");
	double zero;

	if (r < 0)
		return r;
	rarog_svg_axis_span(&plane.x, p->n, p->part);
	rarog_svg_axis_span(&plane.y, p->n, p->gain);
	zero = rarog_svg_plane_y(&plane, 0);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	rarog_svg_line(out, rarog_svg_plane_x(&plane, plane.x.low), zero,
		       rarog_svg_plane_x(&plane, plane.x.high), zero);
	rarog_svg_plane_curve(&plane, p->n, p->part, p->gain, rarog_svg_colour(5), out);
	rarog_svg_plane_points(&plane, RAROG_SVG_DOTS, p->n, p->part, p->gain, out);
	return 0;
}

/* What is drawn, or only counted: out is NULL. */
struct drawing {
	const struct rarog_run *run;
	struct rarog_match *match;
	FILE *out;
	size_t n;
};

static int take(struct drawing *d, const char *name, const char *point, const json_t *steps)
{
	struct profile profile = { .name = name, .point = point };
	double top = 3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)d->n;

	read_steps(steps, &profile);
	if (profile.n == 0)
		return 0;
	d->n++;
	return d->out ? draw_profile(&profile, top, d->out) : 0;
}

/* The header has the linker's names. */
static const struct rarog_location *location_of(const struct rarog_run *run, const char *name)
{
	for (size_t i = 0; i < run->n_locations; i++)
		if (strcmp(run->locations[i].name, name) == 0)
			return &run->locations[i];
	return NULL;
}

static int take_function(struct drawing *d, const json_t *function)
{
	const char *name = json_string_value(json_object_get(function, "name"));
	const json_t *points = json_object_get(function, "points"), *point;
	const struct rarog_location *of = name ? location_of(d->run, name) : NULL;
	const char *names[] = { name, of ? of->demangled : NULL };
	size_t i;
	int r = 0;

	if (!name || !rarog_match_test(d->match, RAROG_COUNT(names), names))
		return 0;
	name = of ? rarog_location_title(of) : name;
	if (json_array_size(points) == 0)
		return take(d, name, NULL, json_object_get(function, "profile"));
	json_array_foreach (points, i, point) {
		const char *which = json_string_value(json_object_get(point, "point"));

		if (r == 0)
			r = take(d, name, which ? which : "?", json_object_get(point, "profile"));
	}
	return r;
}

static int walk(struct drawing *d, const json_t *list)
{
	const json_t *function;
	size_t i;
	int r = 0;

	d->n = 0;
	json_array_foreach (list, i, function) {
		if (r == 0)
			r = take_function(d, function);
	}
	return r;
}

int rarog_svg_speed_up(const struct rarog_run *run, const struct rarog_svg_options *options,
		       FILE *out)
{
	const char *text = rarog_profile_header(run->profile);
	rarog_cleanup(release_json) json_t *header = text ? json_loads(text, 0, NULL) : NULL;
	const json_t *list = json_object_get(header, "noise_points");
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	struct drawing drawing = { .run = run, .match = &match };
	int r = rarog_match_include(&match, options->func);

	if (r == 0)
		r = walk(&drawing, list);
	if (r < 0)
		return r;
	if (drawing.n == 0)
		return rarog_fail(
			-ENOENT,
			"%s has no profile of speed-up of '%s'; rarog blow causal makes them",
			rarog_profile_path(run->profile), options->func);
	rarog_svg_begin(out, RAROG_SVG_WIDTH,
			2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)drawing.n, options->title);
	drawing.out = out;
	r = walk(&drawing, list);
	rarog_svg_end(out);
	return r;
}
