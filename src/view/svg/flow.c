/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of a run went, from moment to moment, as stacked areas; and in all, as bars. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "profile/measured.h"
#include "view/plot/flow.h"
#include "view/svg/svg.h"
#include "view/text.h"

#define CELLS  200
#define AREAS  7 /* functions; all others are one more */
#define BARS   30
#define LEFT   90
#define BOTTOM 340
#define TOP    40
#define NAMES  360 /* px of a bar's name */

/* --- areas --- */

struct areas {
	const struct rarog_run *run;
	const struct rarog_time_flow *flow;
	FILE *out;
	double *below; /* below[cells]: ns of the areas drawn so far */
	double most;   /* ns, of a cell over all functions */
	size_t n;      /* areas */
	size_t n_own;  /* of these are of one function */
};

static double x_of(size_t cell)
{
	return LEFT +
	       (RAROG_SVG_WIDTH - LEFT - RAROG_SVG_MARGIN) * ((double)cell + 0.5) / (double)CELLS;
}

static double y_of(const struct areas *a, double ns)
{
	return BOTTOM - (BOTTOM - TOP) * ns / a->most;
}

static double ns_of(const struct areas *a, size_t area, size_t cell)
{
	double sum = 0;

	if (area < a->n_own)
		return (double)a->flow->lines[area].ns[cell];
	for (size_t i = area; i < a->flow->n; i++)
		sum += (double)a->flow->lines[i].ns[cell];
	return sum;
}

static const char *name_of(const struct areas *a, size_t area)
{
	return area < a->n_own
		       ? rarog_location_title(&a->run->locations[a->flow->lines[area].location])
	       : a->flow->is_sampled ? "all others, and those whose exclusive time is not known"
				     : "all others";
}

/* The sum of what is not known of each is right: what was not recorded stands at a caller. */
static void choose_areas(struct areas *a)
{
	while (a->n_own < AREAS && a->n_own < a->flow->n && !a->flow->lines[a->n_own].is_unknown)
		a->n_own++;
	a->n = a->n_own + (a->n_own < a->flow->n);
}

static void draw_area(struct areas *a, size_t area)
{
	fputs("<polygon points=\"", a->out);
	for (size_t i = CELLS; i > 0; i--)
		fprintf(a->out, "%.1f,%.1f ", x_of(i - 1), y_of(a, a->below[i - 1]));
	for (size_t i = 0; i < CELLS; i++) {
		a->below[i] += ns_of(a, area, i);
		fprintf(a->out, "%.1f,%.1f ", x_of(i), y_of(a, a->below[i]));
	}
	fprintf(a->out, "\" fill=\"%s\"><title>", rarog_svg_colour(area));
	rarog_xml_add(a->out, name_of(a, area));
	fputs("</title></polygon>\n", a->out);
}

static void draw_legend(const struct areas *a, size_t area)
{
	double y = BOTTOM + 2.5 * RAROG_SVG_LINE + RAROG_SVG_LINE * (double)area;

	rarog_svg_box(a->out, LEFT, y - 11, 12, 12, rarog_svg_colour(area), NULL, "");
	rarog_svg_text(a->out, LEFT + 20, y, "start", 900, name_of(a, area));
}

static void draw_frame(const struct areas *a)
{
	const struct rarog_time_span *span = &a->flow->span;
	double width = (double)(span->end - span->begin) / CELLS;
	char threads[32];

	rarog_svg_line(a->out, LEFT, TOP, LEFT, BOTTOM);
	rarog_svg_line(a->out, LEFT, BOTTOM, RAROG_SVG_WIDTH - RAROG_SVG_MARGIN, BOTTOM);
	snprintf(threads, sizeof(threads), "%.2g threads", a->most / width);
	rarog_svg_text(a->out, LEFT - 4, TOP + 6, "end", LEFT - 4, threads);
	rarog_svg_text(a->out, LEFT, BOTTOM + 16, "start", 100, rarog_format_ns(span->begin).text);
	rarog_svg_text(a->out, RAROG_SVG_WIDTH - RAROG_SVG_MARGIN, BOTTOM + 16, "end", 100,
		       rarog_format_ns(span->end).text);
}

static int draw_areas(struct areas *a, const char *title)
{
	int height;

	a->below = calloc(CELLS, sizeof(*a->below));
	if (!a->below)
		return rarog_oom();
	choose_areas(a);
	for (size_t i = 0; i < CELLS; i++) {
		double sum = 0;

		for (size_t k = 0; k < a->n; k++)
			sum += ns_of(a, k, i);
		a->most = sum > a->most ? sum : a->most;
	}
	if (a->most <= 0) {
		free(a->below);
		return rarog_svg_nothing(a->run);
	}
	height = BOTTOM + RAROG_SVG_LINE * ((int)a->n + 3 + a->flow->is_sampled);
	rarog_svg_begin(a->out, RAROG_SVG_WIDTH, height, title);
	for (size_t i = 0; i < a->n; i++)
		draw_area(a, i);
	draw_frame(a);
	for (size_t i = 0; i < a->n; i++)
		draw_legend(a, i);
	rarog_svg_end_of_calls(a->out, height, a->flow->is_sampled);
	free(a->below);
	return 0;
}

int rarog_svg_flow(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	const struct rarog_time_flow_limits limits = { .cells = CELLS,
						       .from_ns = options->from_ns,
						       .to_ns = options->to_ns };
	struct rarog_time_flow flow = { 0 };
	struct areas areas = { .run = run, .flow = &flow, .out = out };
	int r = rarog_time_flow_read(run, &limits, &flow);

	if (r == 0)
		r = draw_areas(&areas, options->title);
	rarog_time_flow_release(&flow);
	return r;
}

/* --- bars --- */

struct bar {
	uint32_t location;
	uint64_t ticks;
};

static int longest_first(const void *left, const void *right)
{
	const struct bar *a = left, *b = right;

	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? 1 : -1;
	return a->location < b->location ? -1 : a->location > b->location;
}

/* Functions whose exclusive time is not known have no bar, and of no time a share is known then.
 * Return: 1 there are such, 0, negative with message. @ret_whole: 0: not known */
static int read_bars(const struct rarog_run *run, struct bar bars[], uint64_t *ret_whole)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(run->profile, &summaries);
	int r = n < 0 ? (int)n : rarog_exclusive_unknown(run->profile, &unknown);

	for (size_t i = 0; i < run->n_locations; i++)
		bars[i].location = (uint32_t)i;
	for (long i = 0; r >= 0 && i < n; i++) {
		const struct rarog_summary *s = &summaries[i];

		if (s->strand != RAROG_NONE || s->location >= run->n_locations ||
		    unknown[s->location])
			continue;
		bars[s->location].ticks += s->exclusive;
		*ret_whole += s->exclusive;
	}
	if (r > 0)
		*ret_whole = 0;
	qsort(bars, run->n_locations, sizeof(*bars), longest_first);
	return r;
}

static void draw_bar(const struct rarog_run *run, const struct bar *bar, uint64_t most,
		     uint64_t whole, double y, FILE *out)
{
	const double room = RAROG_SVG_WIDTH - NAMES - 200;
	double width = room * (double)bar->ticks / (double)most;
	const char *name = rarog_location_title(&run->locations[bar->location]);
	char amount[80];
	int n = snprintf(amount, sizeof(amount), "%s",
			 rarog_format_ns(rarog_clock_ns(run->clock, bar->ticks)).text);

	if (whole > 0)
		snprintf(amount + n, sizeof(amount) - (size_t)n, ", %s",
			 rarog_format_percent(bar->ticks, whole).text);
	rarog_svg_text(out, NAMES - 6, y + 13, "end", NAMES - RAROG_SVG_MARGIN, name);
	rarog_svg_box(out, NAMES, y, width, RAROG_SVG_LINE - 3, rarog_svg_colour(0), NULL, name);
	rarog_svg_text(out, NAMES + width + 6, y + 13, "start", 190, amount);
}

int rarog_svg_bars(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	rarog_cleanup(rarog_freep) struct bar *bars = calloc(run->n_locations + 1, sizeof(*bars));
	uint64_t whole = 0;
	size_t n = 0;
	int height, r = bars ? 0 : rarog_oom();

	if (r == 0 && !rarog_run_has_times(run->profile))
		r = rarog_fail(-ENODATA,
			       "%s has only counts, no times; collect with --detail=summary or "
			       "--detail=calls",
			       rarog_profile_path(run->profile));
	if (r == 0)
		r = read_bars(run, bars, &whole);
	if (r < 0)
		return r;
	while (n < run->n_locations && n < BARS && bars[n].ticks > 0)
		n++;
	if (r > 0 && n == 0)
		return rarog_fail(-ENODATA,
				  "%s: calls are sampled, and the exclusive time of no function is "
				  "known; rarog show has what is",
				  rarog_profile_path(run->profile));
	if (n == 0)
		return rarog_svg_nothing(run);
	height = RAROG_SVG_LINE * ((int)n + 3 + (r > 0));
	rarog_svg_begin(out, RAROG_SVG_WIDTH, height, options->title);
	for (size_t i = 0; i < n; i++)
		draw_bar(run, &bars[i], bars[0].ticks, whole, RAROG_SVG_LINE * (2 + (double)i),
			 out);
	rarog_svg_end_of_calls(out, height, r > 0);
	return 0;
}
