/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cell is 2 × 4 dots (Braille patterns: U+2800 + one bit a dot), or one star. The level between
 * two marks is the median of the values there; it shows where no dot is.
 */
#include "view/term/chart.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/table.h"
#include "num/quantile.h"

#define LABEL 9 /* columns of the labels at the left */

enum { LEVEL = 1, WORSE = 2, BETTER = 4 };

struct canvas {
	const struct rarog_chart *chart;
	int columns, lines;
	double low, high;
	uint8_t *dots; /* by cell */
	uint8_t *what; /* LEVEL, WORSE, BETTER */
};

static void canvas_release(struct canvas *canvas)
{
	free(canvas->dots);
	free(canvas->what);
}

/* Values from 0 to 1 become one of @n places. */
static int place(double share, int n)
{
	int at = (int)(share * n);

	return at < 0 ? 0 : at >= n ? n - 1 : at;
}

static double share_of(const struct canvas *c, double value)
{
	return c->high > c->low ? (value - c->low) / (c->high - c->low) : 0.5;
}

static double position(const struct rarog_chart *chart, size_t i)
{
	return ((double)i + 0.5) / (double)chart->n;
}

static void draw_value(struct canvas *c, size_t i)
{
	static const uint8_t bits[4][2] = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } };
	int x = place(position(c->chart, i), 2 * c->columns);
	int y = 4 * c->lines - 1 - place(share_of(c, c->chart->values[i]), 4 * c->lines);

	c->dots[y / 4 * c->columns + x / 2] |= bits[y % 4][x % 2];
}

static void draw_level(struct canvas *c, size_t first, size_t end)
{
	double level = 0;

	rarog_median(end - first, c->chart->values + first, &level);
	int y = c->lines - 1 - place(share_of(c, level), c->lines);
	int last = place(position(c->chart, end - 1), c->columns);

	for (int x = place(position(c->chart, first), c->columns); x <= last; x++)
		c->what[y * c->columns + x] |= LEVEL;
}

static void draw_mark(struct canvas *c, const struct rarog_chart_mark *mark)
{
	int x = place(position(c->chart, mark->at), c->columns);

	for (int y = 0; y < c->lines; y++)
		c->what[y * c->columns + x] |= mark->is_worse ? WORSE : BETTER;
}

static void draw(struct canvas *c)
{
	const struct rarog_chart *chart = c->chart;
	size_t first = 0;

	c->low = c->high = chart->values[0];
	for (size_t i = 1; i < chart->n; i++) {
		c->low = fmin(c->low, chart->values[i]);
		c->high = fmax(c->high, chart->values[i]);
	}
	for (size_t i = 0; i < chart->n; i++)
		draw_value(c, i);
	for (size_t i = 0; i < chart->n_marks; i++) {
		draw_mark(c, &chart->marks[i]);
		draw_level(c, first, chart->marks[i].at);
		first = chart->marks[i].at;
	}
	draw_level(c, first, chart->n);
}

/* --- printing --- */

static void put_coloured(const struct canvas *c, enum rarog_style style, const char *text,
			 FILE *out)
{
	fprintf(out, "%s%s%s", c->chart->colour ? rarog_style_on(style) : "", text,
		c->chart->colour ? rarog_style_off(style) : "");
}

static void put_dots(const struct canvas *c, uint8_t dots, FILE *out)
{
	unsigned code = 0x2800U + dots;
	char text[4] = { (char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
			 (char)(0x80 | (code & 0x3f)), '\0' };

	bool is_roomy = 2 * c->chart->n <= (size_t)c->columns; /* dots may be large */

	fputs(c->chart->is_ascii ? "*" : is_roomy ? "●" : text, out);
}

static void put_cell(const struct canvas *c, int x, int y, FILE *out)
{
	uint8_t dots = c->dots[y * c->columns + x], what = c->what[y * c->columns + x];
	bool is_ascii = c->chart->is_ascii;

	if (dots)
		put_dots(c, dots, out);
	else if (what & (WORSE | BETTER))
		put_coloured(c, what & WORSE ? RAROG_STYLE_RED : RAROG_STYLE_GREEN,
			     is_ascii ? ":" : "┊", out);
	else if (what & LEVEL)
		put_coloured(c, RAROG_STYLE_DIM, is_ascii ? "-" : "─", out);
	else
		fputc(' ', out);
}

static void print_line(const struct canvas *c, int y, FILE *out)
{
	struct rarog_amount label = { "" };

	if (y == 0 || y == c->lines - 1 || y == c->lines / 2)
		label = c->chart->label(c->low +
					(c->high - c->low) * (c->lines - 1 - y) / (c->lines - 1));
	fprintf(out, "%*s %s", LABEL, label.text,
		c->chart->is_ascii    ? "|"
		: *label.text != '\0' ? "┤"
				      : "│");
	for (int x = 0; x < c->columns; x++)
		put_cell(c, x, y, out);
	fputc('\n', out);
}

static void print_axis(const struct canvas *c, FILE *out)
{
	bool is_ascii = c->chart->is_ascii;
	int left = (int)strlen(c->chart->left), right = (int)strlen(c->chart->right);

	fprintf(out, "%*s %s", LABEL, "", is_ascii ? "+" : "└");
	for (int x = 0; x < c->columns; x++) {
		uint8_t what = c->what[x];

		if (what & (WORSE | BETTER))
			put_coloured(c, what & WORSE ? RAROG_STYLE_RED : RAROG_STYLE_GREEN,
				     is_ascii ? "^" : "▲", out);
		else
			fputs(is_ascii ? "-" : "─", out);
	}
	fprintf(out, "\n%*s  %s", LABEL, "", c->chart->left);
	if (c->chart->n > 1 && left + right < c->columns)
		fprintf(out, "%*s", c->columns - left, c->chart->right);
	fputc('\n', out);
}

int rarog_chart_print(const struct rarog_chart *chart, FILE *out)
{
	rarog_cleanup(canvas_release) struct canvas c = { .chart = chart,
							  .columns = chart->width - LABEL - 2,
							  .lines = chart->height };
	size_t cells = (size_t)c.columns * (size_t)c.lines;

	c.dots = calloc(cells, 1);
	c.what = calloc(cells, 1);
	if (!c.dots || !c.what)
		return rarog_oom();
	draw(&c);
	for (int y = 0; y < c.lines; y++)
		print_line(&c, y, out);
	print_axis(&c, out);
	return 0;
}
