/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long the calls of a function took: eight bars an octave, as the page has them, so the axis is
 * logarithmic from the first few ticks on. A bar is a pixel high at least: what is rare is seen.
 */
#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "base/units.h"
#include "profile/statistics.h"
#include "view/svg/plane.h"
#include "view/text.h"

#define PER_BAR 4  /* buckets of the profile */
#define LEAST   16 /* bars of a plane; fewer would be broad beams */
#define STEPS   4

struct wanted {
	const struct rarog_run *run;
	struct rarog_match match;
	size_t n;
};

static struct rarog_amount format(const void *user, double y)
{
	(void)user;
	return rarog_format_count((uint64_t)llround(y));
}

static bool is_wanted(struct wanted *wanted, const struct rarog_summary *s)
{
	const struct rarog_location *of = &wanted->run->locations[s->location];
	const char *names[] = { of->name, of->demangled };

	return s->strand == RAROG_NONE && s->n_buckets > 0 &&
	       rarog_match_test(&wanted->match, RAROG_COUNT(names), names);
}

static unsigned bar_of(const struct rarog_summary *s, size_t bucket)
{
	return s->buckets[bucket].bucket / PER_BAR;
}

/* Calls of the bar that begins with bucket @*i, which is after them afterwards. */
static uint64_t take_bar(const struct rarog_summary *s, size_t *i)
{
	unsigned bar = bar_of(s, *i);
	uint64_t count = 0;

	for (; *i < s->n_buckets && bar_of(s, *i) == bar; ++*i)
		count += s->buckets[*i].count;
	return count;
}

static struct rarog_amount low_of(const struct rarog_run *run, unsigned bar)
{
	uint64_t ticks = bar * PER_BAR < RAROG_HISTOGRAM_BUCKETS
				 ? rarog_histogram_low(bar * PER_BAR)
				 : UINT64_MAX;

	return rarog_format_ns(rarog_clock_ns(run->clock, ticks));
}

static void scale(struct rarog_svg_plane *plane, const struct rarog_summary *s)
{
	unsigned first = bar_of(s, 0), bars = bar_of(s, s->n_buckets - 1) + 1 - first;
	uint64_t most = 0;

	for (size_t i = 0; i < s->n_buckets;) {
		uint64_t count = take_bar(s, &i);

		most = count > most ? count : most;
	}
	bars = bars < LEAST ? LEAST : (bars + STEPS - 1) / STEPS * STEPS;
	plane->x = (struct rarog_svg_axis){ first, first + bars, false };
	plane->y = (struct rarog_svg_axis){ 0, ceil((double)most / STEPS) * STEPS, false };
}

static int draw_bar(const struct rarog_run *run, const struct rarog_svg_plane *plane, unsigned bar,
		    uint64_t count, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str tip = { 0 };
	double left = rarog_svg_plane_x(plane, bar), right = rarog_svg_plane_x(plane, bar + 1);
	double bottom = rarog_svg_plane_y(plane, 0);
	double top = fmin(rarog_svg_plane_y(plane, (double)count), bottom - 1);
	int r = rarog_str_addf(&tip, "%s … %s: %s call%s", low_of(run, bar).text,
			       low_of(run, bar + 1).text, rarog_format_count(count).text,
			       rarog_plural(count));

	if (r == 0)
		rarog_svg_box(out, left, top, right - left, bottom - top, rarog_svg_colour(0), NULL,
			      rarog_str_text(&tip));
	return r;
}

static void draw_numbers(const struct rarog_run *run, const struct rarog_svg_plane *plane,
			 FILE *out)
{
	for (unsigned i = 0; i <= STEPS; i++) {
		unsigned bars = (unsigned)(plane->x.high - plane->x.low);
		unsigned bar = (unsigned)plane->x.low + bars / STEPS * i;

		rarog_svg_text(out, rarog_svg_plane_x(plane, bar),
			       plane->top + RAROG_SVG_PLANE_HEIGHT + 20,
			       i == STEPS ? "end" : "middle", 100, low_of(run, bar).text);
	}
}

static int title_of(const struct rarog_run *run, const struct rarog_summary *s,
		    struct rarog_str *ret)
{
	const char *of = s->timed < s->count ? " of the timed" : "";
	uint64_t median = rarog_summary_quantile(s, 0.5);

	return rarog_str_addf(ret, "%s: durations%s of %s call%s; median %s, longest %s",
			      rarog_location_title(&run->locations[s->location]), of,
			      rarog_format_count(s->count).text, rarog_plural(s->count),
			      rarog_format_ns(rarog_clock_ns(run->clock, median)).text,
			      rarog_format_ns(rarog_clock_ns(run->clock, s->max)).text);
}

static int draw_one(const struct rarog_run *run, const struct rarog_summary *s, double top,
		    FILE *out)
{
	struct rarog_svg_plane plane = { .top = top, .format = format };
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	int r = title_of(run, s, &title);

	if (r < 0)
		return r;
	scale(&plane, s);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	draw_numbers(run, &plane, out);
	for (size_t i = 0; r == 0 && i < s->n_buckets;) {
		unsigned bar = bar_of(s, i);
		uint64_t count = take_bar(s, &i);

		r = draw_bar(run, &plane, bar, count, out);
	}
	return r;
}

static int draw(struct wanted *wanted, size_t n, const struct rarog_summary summaries[n],
		const char *title, FILE *out)
{
	double top = 3.5 * RAROG_SVG_LINE;
	int r = 0;

	rarog_svg_begin(out, RAROG_SVG_WIDTH,
			2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)wanted->n, title);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (is_wanted(wanted, &summaries[i])) {
			r = draw_one(wanted->run, &summaries[i], top, out);
			top += RAROG_SVG_PLANE_ROOM;
		}
	rarog_svg_end(out);
	return r;
}

static void wanted_release(struct wanted *wanted)
{
	rarog_match_release(&wanted->match);
}

int rarog_svg_histogram(const struct rarog_run *run, const struct rarog_svg_options *options,
			FILE *out)
{
	rarog_cleanup(wanted_release) struct wanted wanted = { .run = run };
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(run->profile, &summaries);
	int r = n < 0 ? (int)n : rarog_match_include(&wanted.match, options->func);

	for (long i = 0; r == 0 && i < n; i++)
		wanted.n += is_wanted(&wanted, &summaries[i]);
	if (r == 0 && wanted.n == 0)
		return rarog_fail(-ENOENT,
				  "%s has no durations of '%s'; rarog show lists functions, rarog "
				  "collect trace measures how long each call took",
				  rarog_profile_path(run->profile), options->func);
	return r < 0 ? r : draw(&wanted, (size_t)n, summaries, options->title, out);
}
