/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flame graphs and timelines. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "profile/measured.h"
#include "view/plot/boxes.h"
#include "view/svg/absences.h"
#include "view/text.h"
#include "view/thread-tree.h"

#define CELLS   (RAROG_SVG_WIDTH - 2 * RAROG_SVG_MARGIN)
#define LEVELS  100 /* of a flame graph */
#define DEPTH   12  /* of a thread of a timeline */
#define THREADS 60

struct picture {
	const struct rarog_run *run;
	const struct rarog_boxes *boxes;
	enum { TICKS, NS, INSTRUCTIONS } unit; /* of the width */
	const char *of; /* what the width is of, in a box's tip: "", "own time " … */
	const struct rarog_svg_absences *absences; /* NULL: it is not of time, or none is known */
	FILE *out;
};

static double x_of(const struct picture *p, uint64_t at)
{
	double width = (double)(p->boxes->end - p->boxes->begin);

	return RAROG_SVG_MARGIN + CELLS * (double)(at - p->boxes->begin) / width;
}

/* Locations after the profile's are threads. */
static char *name_of(const struct picture *p, uint32_t location)
{
	return location < p->run->n_locations
		       ? strdup(rarog_location_title(&p->run->locations[location]))
		       : rarog_strand_title(p->run, location - (uint32_t)p->run->n_locations);
}

static struct rarog_amount amount_of(const struct picture *p, uint64_t amount)
{
	return p->unit == INSTRUCTIONS ? rarog_format_count(amount)
	       : p->unit == NS         ? rarog_format_ns(amount)
				       : rarog_format_ns(rarog_clock_ns(p->run->clock, amount));
}

static int draw_box(const struct picture *p, const struct rarog_box *box, double y)
{
	rarog_cleanup(rarog_freep) char *name = name_of(p, box->location);
	bool is_sum = box->busy < box->end - box->begin;
	rarog_cleanup(rarog_str_release) struct rarog_str tip = { 0 };
	double left = x_of(p, box->begin), width = x_of(p, box->end) - left;
	double share = (double)box->busy / (double)(box->end - box->begin);
	char colour[8];
	int r = name ? rarog_str_addf(&tip, "%s: %s%s%s", name, p->of, amount_of(p, box->busy).text,
				      p->unit == INSTRUCTIONS ? " instructions" : "")
		     : rarog_oom();

	if (r == 0 && box->location < p->run->n_locations)
		r = rarog_str_addf(&tip, ", %s call%s", rarog_format_count(box->calls).text,
				   rarog_plural(box->calls));
	if (r < 0)
		return r;
	rarog_svg_warm(name, colour);
	if (is_sum) /* as high as its part of the time */
		rarog_svg_box(p->out, left, y + (RAROG_SVG_LINE - 1) * (1 - share), width,
			      (RAROG_SVG_LINE - 1) * share, colour, NULL, rarog_str_text(&tip));
	else
		rarog_svg_box(p->out, left, y, width, RAROG_SVG_LINE - 1, colour, name,
			      rarog_str_text(&tip));
	return 0;
}

static int draw_lane(const struct picture *p, const struct rarog_box_lane *lane, double *y,
		     size_t *next)
{
	int r = 0;

	if (lane->title) {
		rarog_svg_text(p->out, RAROG_SVG_MARGIN, *y + RAROG_SVG_LINE - 4, "start", CELLS,
			       lane->title);
		*y += RAROG_SVG_LINE;
	}
	if (p->absences) {
		r = rarog_svg_absences_draw(p->absences, lane->strand, *y, p->out);
		*y += RAROG_SVG_ABSENCES_HEIGHT;
	}
	for (;
	     r == 0 && *next < p->boxes->v.n && p->boxes->v.v[*next].row < lane->row + lane->n_rows;
	     ++*next)
		r = draw_box(p, &p->boxes->v.v[*next],
			     *y + RAROG_SVG_LINE * (p->boxes->v.v[*next].row - lane->row));
	*y += RAROG_SVG_LINE * lane->n_rows;
	return r;
}

static void draw_axis(const struct picture *p, double y)
{
	rarog_svg_line(p->out, RAROG_SVG_MARGIN, y, RAROG_SVG_MARGIN + CELLS, y);
	for (int i = 0; i <= 5; i++) {
		uint64_t at = p->boxes->begin + (p->boxes->end - p->boxes->begin) / 5 * (uint64_t)i;

		rarog_svg_text(p->out, RAROG_SVG_MARGIN + CELLS * i / 5.0, y + 14,
			       i == 0   ? "start"
			       : i == 5 ? "end"
					: "middle",
			       100, amount_of(p, i == 5 ? p->boxes->end : at).text);
	}
}

static int draw(const struct picture *p, const char *title)
{
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	int sampled = rarog_exclusive_unknown(p->run->profile, &unknown);
	uint32_t rows = rarog_boxes_rows(p->boxes);
	size_t next = 0;
	double y = 2 * RAROG_SVG_LINE;
	int height, r = sampled < 0 ? sampled : 0;

	if (r == 0 && p->boxes->v.n == 0)
		r = rarog_svg_nothing(p->run);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->boxes->lanes.n; i++)
		rows += p->boxes->lanes.v[i].title != NULL;
	height = RAROG_SVG_LINE * ((int)rows + 4 + (p->absences != NULL) + (sampled > 0));
	if (p->absences)
		height += RAROG_SVG_ABSENCES_HEIGHT * (int)p->boxes->lanes.n;
	rarog_svg_begin(p->out, RAROG_SVG_WIDTH, height, title);
	for (size_t i = 0; r == 0 && i < p->boxes->lanes.n; i++)
		r = draw_lane(p, &p->boxes->lanes.v[i], &y, &next);
	draw_axis(p, y + 4);
	if (p->absences)
		rarog_svg_absences_explain(p->absences, y + 2.5 * RAROG_SVG_LINE, p->out);
	rarog_svg_end_of_calls(p->out, height, sampled > 0);
	return r;
}

static int read_tree(const struct rarog_run *run, struct rarog_call_tree *ret_tree)
{
	return rarog_call_tree_init(ret_tree, run->profile);
}

static int read_threads(const struct rarog_run *run, struct rarog_call_tree *ret_tree)
{
	int r = rarog_thread_tree(run, ret_tree);

	if (r == 0 && ret_tree->n == 0)
		return rarog_fail(-ENODATA,
				  "%s has no single calls of several threads; --svg flame draws "
				  "what it has",
				  rarog_profile_path(run->profile));
	return r;
}

typedef int read_func(const struct rarog_run *run, struct rarog_call_tree *ret_tree);
typedef int boxes_func(const struct rarog_call_tree *tree, const struct rarog_box_limits *limits,
		       struct rarog_boxes *ret_boxes);

/* Without times a tree has the instructions of its contexts, or nothing. */
static int choose_unit(struct picture *p, const struct rarog_call_tree *tree)
{
	if (rarog_run_has_times(p->run->profile))
		return 0;
	p->unit = INSTRUCTIONS;
	p->of = *p->of ? "itself " : "";
	return tree->n > 0 && tree->nodes[0].inclusive > 0
		       ? 0
		       : rarog_fail(-ENODATA,
				    "%s has only counts, neither times nor a call tree; collect "
				    "with --detail=summary or --detail=calls",
				    rarog_profile_path(p->run->profile));
}

static int draw_flame(const struct rarog_run *run, const struct rarog_svg_options *options,
		      read_func *read, boxes_func *make, const char *of, FILE *out)
{
	const struct rarog_box_limits limits = { .cells = 2 * CELLS, .rows = LEVELS };
	struct rarog_boxes boxes = { 0 };
	struct rarog_call_tree tree = { 0 };
	struct picture picture = { run, &boxes, TICKS, of, NULL, out };
	int r = read(run, &tree);

	if (r == 0)
		r = choose_unit(&picture, &tree);
	if (r == 0)
		r = make(&tree, &limits, &boxes);
	if (r == 0)
		r = draw(&picture, options->title);
	rarog_boxes_release(&boxes);
	rarog_call_tree_release(&tree);
	return r;
}

int rarog_svg_flame(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	return draw_flame(run, options, read_tree, rarog_boxes_of_tree, "", out);
}

int rarog_svg_flame_threads(const struct rarog_run *run, const struct rarog_svg_options *options,
			    FILE *out)
{
	return draw_flame(run, options, read_threads, rarog_boxes_of_tree, "", out);
}

int rarog_svg_flame_callers(const struct rarog_run *run, const struct rarog_svg_options *options,
			    FILE *out)
{
	return draw_flame(run, options, read_tree, rarog_boxes_of_callers, "own time ", out);
}

int rarog_svg_timeline(const struct rarog_run *run, const struct rarog_svg_options *options,
		       FILE *out)
{
	const struct rarog_box_limits limits = { .cells = CELLS,
						 .rows = DEPTH,
						 .lanes = THREADS,
						 .from_ns = options->from_ns,
						 .to_ns = options->to_ns };
	struct rarog_boxes boxes = { 0 };
	struct rarog_svg_absences absences = { 0 };
	struct picture picture = { run, &boxes, NS, "", NULL, out };
	int r = rarog_boxes_of_calls(run, &limits, &boxes);

	if (r == 0)
		r = rarog_svg_absences_read(run, boxes.begin, boxes.end, &absences);
	picture.absences = r == 0 && absences.n > 0 ? &absences : NULL;
	if (r == 0)
		r = draw(&picture, options->title);
	rarog_boxes_release(&boxes);
	return r;
}
