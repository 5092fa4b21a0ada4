/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call tree as boxes: callers above what they call, as wide as their time. */
#include <stdlib.h>

#include "base/error.h"
#include "base/units.h"
#include "view/term/boxes.h"
#include "view/term/node-amounts.h"
#include "view/term/views.h"
#include "view/text.h"

#define COLUMNS   100 /* where the lines have no width */
#define ALL_CELLS 1000000000

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_ID, NULL, "depth", false },    { RAROG_FACT_NS, NULL, "begin_ns", false },
	{ RAROG_FACT_NS, NULL, "end_ns", false },   { RAROG_FACT_COUNT, NULL, "count", false },
	{ RAROG_FACT_TEXT, NULL, "name", false },   { RAROG_FACT_TEXT, NULL, "mangled", false },
	{ RAROG_FACT_TEXT, NULL, "binary", false },
};

static int write_rows(struct rarog_show *show, const struct rarog_boxes *boxes)
{
	struct rarog_sheet_fact named[RAROG_COUNT(facts)];
	struct rarog_sheet sheet;
	int r;

	for (size_t i = 0; i < RAROG_COUNT(facts); i++)
		named[i] = facts[i];
	rarog_show_name_amounts(show, RAROG_COUNT(facts), named);
	r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), named, "boxes");
	for (size_t i = 0; r == 0 && i < boxes->v.n; i++) {
		const struct rarog_box *box = &boxes->v.v[i];
		const struct rarog_location *location = &show->run.locations[box->location];

		r = rarog_sheet_add(&sheet,
				    (const struct rarog_value[]){
					    { .number = box->row + 1 },
					    { .number = rarog_show_amount(show, box->begin) },
					    { .number = rarog_show_amount(show, box->end) },
					    { .number = box->calls },
					    { .text = rarog_location_title(location) },
					    { .text = location->name },
					    { .text = rarog_run_binary(&show->run, location) },
				    });
	}
	return rarog_show_sheet_end(show, &sheet, r);
}

static int print_boxes(struct rarog_show *show, const struct rarog_boxes *boxes, int columns)
{
	int r = rarog_show_boxes(show, boxes, columns);

	if (r < 0)
		return r;
	rarog_show_note(show, "the whole width is %s%s",
			rarog_show_amount_text(show, boxes->end).text,
			show->has_times ? "" : " instructions");
	if (boxes->n_narrow > 0)
		rarog_show_note(show,
				"%s call context%s with less than a column not shown; "
				"--width or --func shows more",
				rarog_format_count(boxes->n_narrow).text,
				rarog_plural(boxes->n_narrow));
	rarog_show_boxes_deep(show, boxes, "call context");
	return rarog_show_note_sampled(show);
}

static int show_flame(struct rarog_show *show)
{
	bool is_table = show->options.format == RAROG_SHEET_TABLE;
	int columns = show->options.width > 0 ? show->options.width : COLUMNS;
	const struct rarog_box_limits limits = {
		.cells = is_table ? (size_t)columns : ALL_CELLS,
		.rows = show->options.depth,
	};
	struct rarog_call_tree tree = { 0 };
	struct rarog_boxes boxes = { 0 };
	int r = rarog_call_tree_init(&tree, show->run.profile);

	if (r == 0 && show->options.fold_recursion)
		r = rarog_call_tree_fold(&tree);
	if (r == 0)
		r = rarog_boxes_of_tree(&tree, &limits, &boxes);
	if (r == 0)
		r = is_table ? print_boxes(show, &boxes, columns) : write_rows(show, &boxes);
	rarog_boxes_release(&boxes);
	rarog_call_tree_release(&tree);
	return r;
}

const struct rarog_view rarog_view_flame = {
	.run = show_flame,
	.is_drawing = true,
	.check = rarog_show_check_tree,
	.is_of_callers = true,
	.depth = 64,
};
