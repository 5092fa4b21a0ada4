/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In which functions the time went, from moment to moment: a line of each function. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "view/plot/flow.h"
#include "view/term/node-amounts.h"
#include "view/term/sparkline.h"
#include "view/term/views.h"
#include "view/text.h"

#define CELLS      50
#define DATA_CELLS 100

static const struct rarog_sheet_fact facts[] = {
	{ RAROG_FACT_NS, "exclusive", "exclusive_ns", false },
	{ RAROG_FACT_SHARE, "share", "share", false },
	{ RAROG_FACT_DRAWN, "over time", NULL, false },
	{ RAROG_FACT_TEXT, "function", "name", true },
};

/* All lines are drawn to one scale: that of the highest. */
static void draw(const struct rarog_time_flow *flow, const struct rarog_time_flow_line *line,
		 uint64_t most, bool ascii, char *text)
{
	uint64_t cells[CELLS + 1];
	size_t length;

	for (size_t i = 0; i < flow->cells; i++)
		cells[i] = line->ns[i];
	cells[flow->cells] = most;
	rarog_sparkline_draw(flow->cells + 1, cells, ascii, text);
	for (length = strlen(text); length > 0 && (text[length - 1] & 0xc0) == 0x80;)
		length--; /* the last character is the scale's */
	text[length - 1] = '\0';
}

static uint64_t most_of(const struct rarog_time_flow *flow, size_t n)
{
	uint64_t most = 0;

	for (size_t i = 0; i < n && !flow->lines[i].is_unknown; i++)
		for (size_t k = 0; k < flow->cells; k++)
			most = flow->lines[i].ns[k] > most ? flow->lines[i].ns[k] : most;
	return most;
}

static int print_lines(struct rarog_show *show, const struct rarog_time_flow *flow, size_t n)
{
	uint64_t whole = 0, most = most_of(flow, n);
	struct rarog_sheet sheet;
	int r = rarog_show_sheet(show, &sheet, RAROG_COUNT(facts), facts, "functions");

	for (size_t i = 0; i < flow->n && !flow->is_sampled; i++)
		whole += flow->lines[i].total;
	for (size_t i = 0; r == 0 && i < n; i++) {
		const struct rarog_time_flow_line *line = &flow->lines[i];
		char text[3 * (CELLS + 1) + 1] = "";

		if (!line->is_unknown)
			draw(flow, line, most, show->options.ascii, text);
		r = rarog_sheet_add(
			&sheet,
			(const struct rarog_value[]){
				{ .number = line->total, .is_null = line->is_unknown },
				{ .number = line->total, .whole = whole, .is_null = whole == 0 },
				{ .text = text },
				{ .text = rarog_location_title(
					  &show->run.locations[line->location]) },
			});
	}
	r = rarog_show_sheet_end(show, &sheet, r);
	if (r == 0)
		rarog_show_note(show, "from %s to %s of the run, time in the functions themselves",
				rarog_format_ns(flow->span.begin).text,
				rarog_format_ns(flow->span.end).text);
	if (r == 0 && flow->is_sampled)
		rarog_show_note_unknown(show);
	if (r == 0 && flow->n > n)
		rarog_show_note(show, "%zu more function%s not shown; -n 0 shows all", flow->n - n,
				rarog_plural(flow->n - n));
	return r;
}

static void write_times(struct rarog_show *show, const struct rarog_time_flow *flow,
			const struct rarog_time_flow_line *line)
{
	if (line->is_unknown) {
		rarog_json_null(&show->json, "exclusive_ns");
		rarog_json_null(&show->json, "cells_ns");
		return;
	}
	rarog_json_uint(&show->json, "exclusive_ns", line->total);
	rarog_json_array(&show->json, "cells_ns");
	for (size_t i = 0; i < flow->cells; i++)
		rarog_json_uint(&show->json, NULL, line->ns[i]);
	rarog_json_end_array(&show->json);
}

static void write_line(struct rarog_show *show, const struct rarog_time_flow *flow,
		       const struct rarog_time_flow_line *line)
{
	const struct rarog_location *location = &show->run.locations[line->location];

	rarog_json_object(&show->json, NULL);
	rarog_json_string(&show->json, "name", rarog_location_title(location));
	rarog_json_string(&show->json, "mangled", location->name);
	write_times(show, flow, line);
	rarog_json_end_object(&show->json);
}

static int write_json(struct rarog_show *show, const struct rarog_time_flow *flow, size_t n)
{
	rarog_json_uint(&show->json, "begin_ns", flow->span.begin);
	rarog_json_uint(&show->json, "end_ns", flow->span.end);
	rarog_json_array(&show->json, "functions");
	for (size_t i = 0; i < n; i++)
		write_line(show, flow, &flow->lines[i]);
	rarog_json_end_array(&show->json);
	return 0;
}

/* A row for each function and cell. */
static int write_csv(struct rarog_show *show, const struct rarog_time_flow *flow, size_t n)
{
	static const struct rarog_sheet_fact columns[] = {
		{ RAROG_FACT_TEXT, NULL, "name", false },
		{ RAROG_FACT_NS, NULL, "begin_ns", false },
		{ RAROG_FACT_NS, NULL, "exclusive_ns", false },
	};
	uint64_t width = flow->span.end - flow->span.begin;
	struct rarog_sheet sheet;
	int r = rarog_show_sheet(show, &sheet, RAROG_COUNT(columns), columns, "");

	for (size_t i = 0; r == 0 && i < n * flow->cells; i++) {
		const struct rarog_time_flow_line *line = &flow->lines[i / flow->cells];
		size_t cell = i % flow->cells;

		r = rarog_sheet_add(
			&sheet, (const struct rarog_value[]){
					{ .text = rarog_location_title(
						  &show->run.locations[line->location]) },
					{ .number = flow->span.begin + width * cell / flow->cells },
					{ .number = line->ns[cell], .is_null = line->is_unknown },
				});
	}
	return rarog_show_sheet_end(show, &sheet, r);
}

static int (*const writers[])(struct rarog_show *, const struct rarog_time_flow *, size_t) = {
	[RAROG_SHEET_TABLE] = print_lines,
	[RAROG_SHEET_JSON] = write_json,
	[RAROG_SHEET_CSV] = write_csv,
};

static int keep_wanted(const struct rarog_show *show, struct rarog_time_flow *flow)
{
	size_t n = 0;

	for (size_t i = 0; i < flow->n; i++) {
		struct rarog_time_flow_line *line = &flow->lines[i];

		if (rarog_show_matches(show, &show->run.locations[line->location]))
			flow->lines[n++] = *line;
		else
			free(line->ns);
	}
	flow->n = n;
	return 0;
}

static int show_flow(struct rarog_show *show)
{
	const struct rarog_show_options *options = &show->options;
	const struct rarog_time_flow_limits limits = {
		.cells = options->format == RAROG_SHEET_TABLE ? CELLS : DATA_CELLS,
		.has_tid = options->has_tid,
		.tid = options->tid,
		.from_ns = options->from_ns,
		.to_ns = options->to_ns,
	};
	struct rarog_time_flow flow = { 0 };
	int r = rarog_time_flow_read(&show->run, &limits, &flow);

	if (r == 0)
		r = keep_wanted(show, &flow);
	if (r == 0)
		r = writers[options->markup ? RAROG_SHEET_TABLE : options->format](
			show, &flow,
			options->limit > 0 && options->limit < flow.n ? options->limit : flow.n);
	rarog_time_flow_release(&flow);
	return r;
}

const struct rarog_view rarog_view_flow = { .run = show_flow, .check = rarog_show_check_calls };
