/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/term/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "base/units.h"
#include "view/text.h"

#define SHADES   4
#define NAME_MIN 3 /* columns; fewer tell nothing */

struct drawing {
	const struct rarog_show *show;
	const struct rarog_boxes *boxes;
	int columns;
};

struct line {
	const struct drawing *drawing;
	FILE *out;
	int column; /* the next to be written */
};

static int column_of(const struct drawing *p, uint64_t at)
{
	double width = (double)(p->boxes->end - p->boxes->begin);
	double share = width > 0 ? (double)(at - p->boxes->begin) / width : 0;
	int column = (int)(share * p->columns + 0.5);

	return column < p->columns ? column : p->columns;
}

/* A function has the same colour wherever it is. */
static enum rarog_style style_of(const char *name)
{
	static const enum rarog_style styles[] = { RAROG_STYLE_YELLOW, RAROG_STYLE_GREEN,
						   RAROG_STYLE_BLUE, RAROG_STYLE_RED,
						   RAROG_STYLE_PLAIN };
	uint32_t hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619U;
	return styles[hash % RAROG_COUNT(styles)];
}

static void put_shade(const struct line *line, const struct rarog_box *box)
{
	static const char *const shades[][SHADES] = { { "░", "▒", "▓", "█" },
						      { ".", ":", "=", "#" } };
	double share = (double)box->busy / (double)(box->end - box->begin);
	int shade = (int)(share * SHADES);

	fputs(shades[line->drawing->show->options.ascii][shade < SHADES ? shade : SHADES - 1],
	      line->out);
}

static int put_name(const struct line *line, const char *title, int columns)
{
	rarog_cleanup(rarog_str_release) struct rarog_str name = { 0 };
	int r = rarog_text_add_clean(&name, title, true);

	if (r == 0)
		r = rarog_text_fit_name(&name, columns, true);
	if (r == 0)
		r = rarog_text_elide(&name, columns, true);
	fprintf(line->out, "%-*s", columns,
		r < 0 || columns < NAME_MIN ? "" : rarog_str_text(&name));
	return r;
}

static int put_box(struct line *line, const struct rarog_box *box)
{
	const struct drawing *p = line->drawing;
	const char *title = rarog_location_title(&p->show->run.locations[box->location]);
	enum rarog_style style = p->show->options.colour ? style_of(title) : RAROG_STYLE_PLAIN;
	int from = column_of(p, box->begin), to = column_of(p, box->end), r = 0;

	from = from > line->column ? from : line->column;
	if (from >= p->columns)
		return 0;
	to = to > from ? to : from + 1;
	fprintf(line->out, "%*s%s", from - line->column, "", rarog_style_on(style));
	if (box->busy < box->end - box->begin)
		for (int i = from; i < to; i++)
			put_shade(line, box);
	else if (to - from == 1)
		fputs(p->show->options.ascii ? "|" : "▏", line->out);
	else {
		fputc('[', line->out);
		r = put_name(line, title, to - from - 2);
		fputc(']', line->out);
	}
	fputs(rarog_style_off(style), line->out);
	line->column = to;
	return r;
}

static int print_lane(const struct drawing *p, const struct rarog_box_lane *lane, size_t *next,
		      FILE *out)
{
	int r = 0;

	if (lane->title)
		fprintf(out, "%s\n", lane->title);
	for (uint32_t row = lane->row; r == 0 && row < lane->row + lane->n_rows; row++) {
		struct line line = { .drawing = p, .out = out };

		for (; r == 0 && *next < p->boxes->v.n && p->boxes->v.v[*next].row == row; ++*next)
			r = put_box(&line, &p->boxes->v.v[*next]);
		fputc('\n', out);
	}
	return r;
}

int rarog_show_boxes(struct rarog_show *show, const struct rarog_boxes *boxes, int columns)
{
	const struct drawing drawing = { show, boxes, columns };
	size_t next = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < boxes->lanes.n; i++)
		r = print_lane(&drawing, &boxes->lanes.v[i], &next, show->out);
	return r;
}

void rarog_show_boxes_deep(struct rarog_show *show, const struct rarog_boxes *boxes,
			   const char *what)
{
	if (boxes->n_deep > 0)
		rarog_show_note(show, "%s %s%s deeper than %zu levels not shown; --depth 0 does",
				rarog_format_count(boxes->n_deep).text, what,
				rarog_plural(boxes->n_deep), show->options.depth);
}
