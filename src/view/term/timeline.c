/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls over time, a lane for each thread. */
#include <errno.h>

#include "base/error.h"
#include "base/units.h"
#include "view/term/boxes.h"
#include "view/term/node-amounts.h"
#include "view/term/views.h"
#include "view/text.h"

#define COLUMNS 100  /* where the lines have no width */
#define CELLS   1000 /* for programs */

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_TEXT, NULL, "thread", false }, { RAROG_FACT_ID, NULL, "depth", false },
	{ RAROG_FACT_NS, NULL, "begin_ns", false }, { RAROG_FACT_NS, NULL, "end_ns", false },
	{ RAROG_FACT_NS, NULL, "busy_ns", false },  { RAROG_FACT_COUNT, NULL, "count", false },
	{ RAROG_FACT_TEXT, NULL, "name", false },   { RAROG_FACT_TEXT, NULL, "mangled", false },
	{ RAROG_FACT_TEXT, NULL, "binary", false },
};

static int write_rows(struct rarog_show *show, const struct rarog_boxes *boxes)
{
	struct rarog_sheet sheet;
	size_t lane = 0;
	int r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), facts, "boxes");

	for (size_t i = 0; r == 0 && i < boxes->v.n; i++) {
		const struct rarog_box *box = &boxes->v.v[i];
		const struct rarog_location *location = &show->run.locations[box->location];

		while (box->row >= boxes->lanes.v[lane].row + boxes->lanes.v[lane].n_rows)
			lane++;
		r = rarog_sheet_add(&sheet,
				    (const struct rarog_value[]){
					    { .text = boxes->lanes.v[lane].title },
					    { .number = box->row - boxes->lanes.v[lane].row + 1 },
					    { .number = box->begin },
					    { .number = box->end },
					    { .number = box->busy },
					    { .number = box->calls },
					    { .text = rarog_location_title(location) },
					    { .text = location->name },
					    { .text = rarog_run_binary(&show->run, location) },
				    });
	}
	return rarog_show_sheet_end(show, &sheet, r);
}

static void print_axis(struct rarog_show *show, const struct rarog_boxes *boxes, int columns)
{
	struct rarog_amount left = rarog_format_ns(boxes->begin);
	int used = fprintf(show->out, "%s", left.text);

	fprintf(show->out, "%*s\n", columns - used, rarog_format_ns(boxes->end).text);
}

static int print_boxes(struct rarog_show *show, const struct rarog_boxes *boxes, int columns)
{
	int r = rarog_show_boxes(show, boxes, columns);

	if (r < 0)
		return r;
	print_axis(show, boxes, columns);
	rarog_show_note(show, "shades are many calls, each shorter than a column; --from and --to "
			      "show a part of the run, --replay single calls");
	if (boxes->n_lanes_left > 0)
		rarog_show_note(show, "%s more thread%s not shown; --limit 0 does",
				rarog_format_count(boxes->n_lanes_left).text,
				rarog_plural(boxes->n_lanes_left));
	rarog_show_boxes_deep(show, boxes, "call");
	return rarog_show_note_sampled(show);
}

static int show_timeline(struct rarog_show *show)
{
	const struct rarog_show_options *options = &show->options;
	bool is_table = options->format == RAROG_SHEET_TABLE;
	int columns = options->width > 0 ? options->width : COLUMNS;
	const struct rarog_box_limits limits = {
		.cells = is_table ? (size_t)columns : CELLS,
		.rows = options->depth,
		.lanes = options->limit,
		.has_tid = options->has_tid,
		.tid = options->tid,
		.from_ns = options->from_ns,
		.to_ns = options->to_ns,
	};
	struct rarog_boxes boxes = { 0 };
	int r = rarog_boxes_of_calls(&show->run, &limits, &boxes);

	if (r == 0)
		r = is_table ? print_boxes(show, &boxes, columns) : write_rows(show, &boxes);
	rarog_boxes_release(&boxes);
	return r;
}

int rarog_show_check_calls(const struct rarog_show *show)
{
	if (show->has_times && rarog_run_has_calls(show->run.profile))
		return rarog_show_check_tid(show);
	return rarog_fail(-ENODATA,
			  "%s has sums, not single calls in time; rarog collect --detail=calls "
			  "keeps them",
			  rarog_profile_path(show->run.profile));
}

const struct rarog_view rarog_view_timeline = {
	.run = show_timeline, .is_drawing = true, .check = rarog_show_check_calls, .depth = 8
};
