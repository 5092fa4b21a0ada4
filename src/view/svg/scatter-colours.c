/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What calls of a function took, by one value that they were given, coloured by another: the
 * darker, the larger. The calls are those that the page has, an even sample of many.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "binary/value-path.h"
#include "view/argument-samples.h"
#include "view/svg/plane.h"
#include "view/text.h"

#define STEPS 5 /* of equally many calls each */

static const char *const colours[STEPS] = { "#fdae6b", "#f16913", "#d94801", "#a63603", "#5c1f02" };

struct picture {
	const struct rarog_run *run;
	const struct rarog_argument *arguments;
	const struct rarog_svg_options *options;
	struct rarog_match match;
	struct rarog_argument_samples samples;
	FILE *out; /* NULL: planes are only counted */
};

static void picture_release(struct picture *p)
{
	rarog_match_release(&p->match);
	rarog_argument_samples_release(&p->samples);
}

/* --- which go together --- */

static const struct rarog_location *location_of(const struct picture *p,
						const struct rarog_argument_sample *sample)
{
	uint32_t at = sample->within != RAROG_NONE ? sample->within
						   : p->arguments[sample->argument].location;

	return &p->run->locations[at];
}

static bool are_same_calls(const struct rarog_argument_sample *a,
			   const struct rarog_argument_sample *b)
{
	for (size_t i = 0; i < a->calls.n && i < b->calls.n; i++)
		if (a->calls.v[i].strand != b->calls.v[i].strand ||
		    a->calls.v[i].entered_ticks != b->calls.v[i].entered_ticks)
			return false;
	return a->calls.n == b->calls.n;
}

/* What colours the points of @sample; NULL: its calls have no such value. */
static const struct rarog_argument_sample *other_of(const struct picture *p,
						    const struct rarog_argument_sample *sample)
{
	for (size_t i = 0; i < p->samples.list.n; i++) {
		const struct rarog_argument_sample *other = &p->samples.list.v[i];

		if (other != sample && location_of(p, other) == location_of(p, sample) &&
		    strcmp(p->arguments[other->argument].name, p->options->colour_by) == 0 &&
		    are_same_calls(sample, other))
			return other;
	}
	return NULL;
}

static bool is_meant(struct picture *p, const struct rarog_argument_sample *sample)
{
	const struct rarog_location *of = location_of(p, sample);
	const char *names[] = { of->name, of->demangled };

	return p->arguments[sample->argument].kind != RAROG_VALUE_COST &&
	       rarog_match_test(&p->match, RAROG_COUNT(names), names);
}

/* --- steps --- */

struct points {
	size_t n;
	double *x, *y, *by; /* of each call */
	double *some;       /* x, then y of one step's */
	double limits[STEPS - 1];
};

static void points_release(struct points *points)
{
	free(points->x);
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int points_of(const struct rarog_argument_sample *sample,
		     const struct rarog_argument_sample *other, struct points *ret_points)
{
	size_t n = sample->calls.n;
	double *room = calloc(5 * n + 1, sizeof(*room));

	if (!room)
		return rarog_oom();
	*ret_points = (struct points){ n, room, room + n, room + 2 * n, room + 3 * n, { 0 } };
	for (size_t i = 0; i < n; i++) {
		ret_points->x[i] = sample->calls.v[i].x;
		ret_points->y[i] = sample->calls.v[i].y;
		ret_points->by[i] = ret_points->some[i] = other->calls.v[i].x;
	}
	qsort(ret_points->some, n, sizeof(*ret_points->some), compare);
	for (size_t k = 0; k + 1 < STEPS; k++)
		ret_points->limits[k] = ret_points->some[(k + 1) * n / STEPS];
	return 0;
}

static size_t step_of(const struct points *points, double value)
{
	size_t step = 0;

	while (step + 1 < STEPS && value >= points->limits[step])
		step++;
	return step;
}

static size_t gather(const struct points *points, size_t step, struct rarog_svg_axis *ret_span)
{
	size_t n = 0;

	*ret_span = (struct rarog_svg_axis){ INFINITY, -INFINITY, false };
	for (size_t i = 0; i < points->n; i++) {
		if (step_of(points, points->by[i]) != step)
			continue;
		points->some[n] = points->x[i];
		points->some[points->n + n++] = points->y[i];
		rarog_svg_axis_span(ret_span, 1, &points->by[i]);
	}
	return n;
}

/* --- drawing --- */

static void draw_key(const struct rarog_svg_plane *plane, const struct rarog_svg_axis *span,
		     size_t step, FILE *out)
{
	double x = 10 * RAROG_SVG_MARGIN + 200 * (double)step;
	double y = plane->top + RAROG_SVG_PLANE_HEIGHT + 36;
	char text[64];

	if (span->low < span->high)
		snprintf(text, sizeof(text), "%.6g … %.6g", span->low, span->high);
	else
		snprintf(text, sizeof(text), "%.6g", span->low);
	rarog_svg_box(out, x, y - 9, 12, 10, colours[step], NULL, text);
	rarog_svg_text(out, x + 18, y, "start", 180, text);
}

static void draw_points(const struct rarog_svg_plane *plane, const struct points *points, FILE *out)
{
	for (size_t step = 0; step < STEPS; step++) {
		struct rarog_svg_axis span;
		size_t n = gather(points, step, &span);
		char look[48];

		if (n == 0)
			continue;
		snprintf(look, sizeof(look), "fill=\"%s\" fill-opacity=\"0.8\"", colours[step]);
		rarog_svg_plane_points(plane, look, n, points->some, points->some + points->n, out);
		draw_key(plane, &span, step, out);
	}
}

static int title_of(const struct picture *p, const struct rarog_argument_sample *sample,
		    struct rarog_str *ret_title)
{
	int r = rarog_str_addf(ret_title, "%s: time of a call by %s, coloured by %s",
			       rarog_location_title(location_of(p, sample)),
			       p->arguments[sample->argument].name, p->options->colour_by);

	if (r == 0 && sample->step > 1)
		r = rarog_str_addf(ret_title, "; %s of %s calls, spread evenly",
				   rarog_format_count(sample->calls.n).text,
				   rarog_format_count(sample->seen).text);
	return r;
}

static int draw_sample(const struct picture *p, const struct rarog_argument_sample *sample,
		       const struct rarog_argument_sample *other, double top)
{
	struct rarog_svg_plane plane = { .x = { INFINITY, -INFINITY, false },
					 .y = { INFINITY, -INFINITY, false },
					 .top = top,
					 .format = rarog_svg_plane_ns };
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	rarog_cleanup(points_release) struct points points = { 0 };
	int r = points_of(sample, other, &points);

	if (r == 0)
		r = title_of(p, sample, &title);
	if (r < 0)
		return r;
	rarog_svg_axis_span(&plane.x, points.n, points.x);
	rarog_svg_axis_span(&plane.y, points.n, points.y);
	rarog_svg_plane_scale(&plane);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), p->out);
	rarog_svg_plane_numbers(&plane, p->out);
	draw_points(&plane, &points, p->out);
	return 0;
}

static int draw_all(struct picture *p, size_t *ret_n)
{
	int r = 0;

	*ret_n = 0;
	for (size_t i = 0; r == 0 && i < p->samples.list.n; i++) {
		const struct rarog_argument_sample *sample = &p->samples.list.v[i];
		const struct rarog_argument_sample *other =
			is_meant(p, sample) ? other_of(p, sample) : NULL;

		if (other && p->out)
			r = draw_sample(p, sample, other,
					3.5 * RAROG_SVG_LINE +
						RAROG_SVG_PLANE_ROOM * (double)*ret_n);
		*ret_n += other != NULL;
	}
	return r;
}

int rarog_svg_scatter_coloured(const struct rarog_run *run, const struct rarog_svg_options *options,
			       FILE *out)
{
	rarog_cleanup(picture_release) struct picture p = { .run = run, .options = options };
	long n_arguments = rarog_profile_arguments(run->profile, &p.arguments);
	int r = n_arguments < 0 ? (int)n_arguments : rarog_match_include(&p.match, options->func);
	size_t n = 0;

	if (r == 0 && !rarog_profile_has_calls(run->profile))
		r = rarog_fail(-ENODATA,
			       "%s has no single calls, so no two values of one; rarog collect "
			       "--args records them",
			       rarog_profile_path(run->profile));
	if (r == 0)
		r = rarog_argument_samples_read(run->profile, &p.samples);
	if (r == 0)
		r = draw_all(&p, &n);
	if (r < 0)
		return r;
	if (n == 0)
		return rarog_fail(-ENOENT,
				  "%s has no calls of '%s' with '%s' and another value; rarog "
				  "collect --args captures values, rarog show lists what it has",
				  rarog_profile_path(run->profile), options->func,
				  options->colour_by);
	p.out = out;
	rarog_svg_begin(out, RAROG_SVG_WIDTH, 2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)n,
			options->title);
	r = draw_all(&p, &n);
	rarog_svg_end(out);
	return r;
}
