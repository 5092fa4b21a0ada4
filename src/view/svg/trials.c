/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments with one function: how long each run took, by how much noise it got. A plane for the
 * whole run, and one for each thread whose time is known. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "view/svg/plane.h"
#include "view/text.h"

struct trials {
	const struct rarog_run *run;
	size_t n;
	struct rarog_trial *v; /* of the wanted functions, by place, then thread */
};

static void trials_release(struct trials *trials)
{
	free(trials->v);
}

static int by_place(const void *left, const void *right)
{
	const struct rarog_trial *a = left, *b = right;

	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->strand != b->strand) /* the whole run's first */
		return a->strand + 1 < b->strand + 1 ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static bool is_like(const struct rarog_trial *a, const struct rarog_trial *b)
{
	return a->location == b->location && a->line == b->line && a->strand == b->strand;
}

static size_t end_of(const struct trials *trials, size_t first)
{
	size_t end = first;

	while (end < trials->n && is_like(&trials->v[end], &trials->v[first]))
		end++;
	return end;
}

static struct rarog_amount format_ns(const void *user, double ns)
{
	(void)user;
	return rarog_format_ns((uint64_t)llround(ns));
}

static int title_of(const struct rarog_run *run, const struct rarog_trial *t, struct rarog_str *ret)
{
	int r = rarog_str_add(ret, rarog_location_title(&run->locations[t->location]));

	if (r == 0 && t->line > 0)
		r = rarog_str_addf(ret, ", line %" PRIu32, t->line);
	if (r == 0 && t->strand < run->n_strands)
		return rarog_str_addf(ret, ": time of thread %" PRIu32 " by noise (ns)",
				      run->strands[t->strand].tid);
	return r < 0 ? r : rarog_str_add(ret, ": time of the run by noise (ns)");
}

static int draw_one(const struct rarog_run *run, size_t n, const struct rarog_trial v[n],
		    double top, FILE *out)
{
	struct rarog_svg_plane plane = { .x = { INFINITY, -INFINITY, false },
					 .y = { INFINITY, -INFINITY, false },
					 .top = top,
					 .format = format_ns };
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	rarog_cleanup(rarog_freep) double *xy = calloc(2 * n + 1, sizeof(*xy));
	int r = xy ? title_of(run, v, &title) : rarog_oom();

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		xy[i] = (double)rarog_clock_ns(run->clock, v[i].injected);
		xy[n + i] = (double)rarog_clock_ns(run->clock, v[i].time);
	}
	rarog_svg_axis_span(&plane.x, n, xy);
	rarog_svg_axis_span(&plane.y, n, xy + n);
	rarog_svg_plane_frame(&plane, rarog_str_text(&title), out);
	rarog_svg_plane_numbers(&plane, out);
	rarog_svg_plane_points(&plane, RAROG_SVG_DOTS, n, xy, xy + n, out);
	return 0;
}

static bool is_wanted(struct rarog_match *match, const struct rarog_location *of)
{
	const char *names[] = { of->name, of->demangled };

	return rarog_match_test(match, RAROG_COUNT(names), names);
}

static int choose(const struct rarog_run *run, struct rarog_match *match, struct trials *ret)
{
	const struct rarog_trial *all;
	long n = rarog_profile_trials(run->profile, &all);

	if (n < 0)
		return (int)n;
	ret->v = calloc((size_t)n + 1, sizeof(*ret->v));
	if (!ret->v)
		return rarog_oom();
	for (long i = 0; i < n; i++) {
		if (all[i].location < run->n_locations &&
		    is_wanted(match, &run->locations[all[i].location]))
			ret->v[ret->n++] = all[i];
	}
	qsort(ret->v, ret->n, sizeof(*ret->v), by_place);
	return 0;
}

static int draw(const struct trials *trials, const char *title, FILE *out)
{
	double top = 3.5 * RAROG_SVG_LINE;
	int planes = 0, r = 0;

	for (size_t i = 0; i < trials->n; i = end_of(trials, i))
		planes++;
	rarog_svg_begin(out, RAROG_SVG_WIDTH, 2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * planes,
			title);
	for (size_t i = 0; r == 0 && i < trials->n; i = end_of(trials, i)) {
		r = draw_one(trials->run, end_of(trials, i) - i, &trials->v[i], top, out);
		top += RAROG_SVG_PLANE_ROOM;
	}
	rarog_svg_end(out);
	return r;
}

int rarog_svg_trials(const struct rarog_run *run, const struct rarog_svg_options *options,
		     FILE *out)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	rarog_cleanup(trials_release) struct trials trials = { .run = run };
	int r = rarog_match_include(&match, options->func);

	if (r == 0)
		r = choose(run, &match, &trials);
	if (r == 0 && trials.n == 0)
		return rarog_fail(-ENOENT, "%s has no experiments with '%s'; rarog blow makes them",
				  rarog_profile_path(run->profile), options->func);
	return r < 0 ? r : draw(&trials, options->title, out);
}
