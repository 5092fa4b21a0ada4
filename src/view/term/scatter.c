/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cell is 2 × 4 dots (Braille patterns: U+2800 + one bit a dot), or one character. Points lie
 * over the curve: where both are in a cell it has the dots of both, and the points' colour.
 */
#include "view/term/scatter.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/table.h"

#define LABEL 10 /* columns of the labels at the left */
#define WIDE  100.0

struct axis {
	double low, high; /* logarithms, if is_log */
	bool is_log;
};

struct canvas {
	const struct rarog_scatter *scatter;
	int columns, lines;
	struct axis x, y;
	uint8_t *points, *curve; /* by cell */
};

static void canvas_release(struct canvas *canvas)
{
	free(canvas->points);
	free(canvas->curve);
}

static void include(struct axis *axis, double value)
{
	if (!isfinite(value))
		return;
	axis->low = fmin(axis->low, value);
	axis->high = fmax(axis->high, value);
}

static struct axis axis_of(size_t n, const double v[], double more)
{
	struct axis axis = { v[0], v[0], false };

	for (size_t i = 1; i < n; i++)
		include(&axis, v[i]);
	include(&axis, more);
	return axis;
}

static bool is_wide(const struct axis *axis)
{
	return axis->low > 0 && axis->high / axis->low > WIDE;
}

static void take_logs(struct axis *axis)
{
	axis->is_log = true;
	axis->low = log(axis->low);
	axis->high = log(axis->high);
}

/* Both or none: on one logarithmic axis what grows looks as if it hardly did. */
static void settle(struct axis *x, struct axis *y)
{
	if (!is_wide(x) || y->low <= 0)
		return;
	take_logs(x);
	take_logs(y);
}

/* From 0 to 1; NAN beyond. */
static double share_of(const struct axis *axis, double value)
{
	double at = axis->is_log ? (value > 0 ? log(value) : NAN) : value;
	double share = axis->high > axis->low ? (at - axis->low) / (axis->high - axis->low) : 0.5;

	return share >= -1e-9 && share <= 1 + 1e-9 ? share : NAN;
}

static double value_at(const struct axis *axis, double share)
{
	double value = axis->low + share * (axis->high - axis->low);

	return axis->is_log ? exp(value) : value;
}

static int place(double share, int n)
{
	int at = (int)(share * n);

	return at < 0 ? 0 : at >= n ? n - 1 : at;
}

static void set(const struct canvas *c, uint8_t dots[], int x, int y)
{
	static const uint8_t bits[4][2] = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } };

	dots[y / 4 * c->columns + x / 2] |= bits[y % 4][x % 2];
}

static void draw_points(const struct canvas *c)
{
	for (size_t i = 0; i < c->scatter->n; i++) {
		double x = share_of(&c->x, c->scatter->x[i]), y = share_of(&c->y, c->scatter->y[i]);

		if (isfinite(x) && isfinite(y))
			set(c, c->points, place(x, 2 * c->columns),
			    4 * c->lines - 1 - place(y, 4 * c->lines));
	}
}

/* Steep pieces are filled down to their neighbour's height. */
static void draw_curve(const struct canvas *c)
{
	int n = 2 * c->columns, before = -1;

	for (int i = 0; c->scatter->curve && i < n; i++) {
		double x = value_at(&c->x, (i + 0.5) / n);
		double share = share_of(&c->y, c->scatter->curve(c->scatter->model, x));
		int y;

		if (!isfinite(share)) {
			before = -1;
			continue;
		}
		y = 4 * c->lines - 1 - place(share, 4 * c->lines);
		before = before < 0 ? y : before;
		for (int k = y < before ? y : before; k <= (y < before ? before : y); k++)
			set(c, c->curve, i, k);
		before = y;
	}
}

/* --- printing --- */

static void put_braille(uint8_t dots, FILE *out)
{
	unsigned code = 0x2800U + dots;
	char text[4] = { (char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
			 (char)(0x80 | (code & 0x3f)), '\0' };

	fputs(text, out);
}

/* Few dots may be large. */
static bool is_roomy(const struct canvas *c)
{
	return 2 * c->scatter->n <= (size_t)c->columns;
}

static void put_cell(const struct canvas *c, size_t i, FILE *out)
{
	bool is_dim = c->scatter->colour && !c->points[i] && c->curve[i];

	if (!c->points[i] && !c->curve[i]) {
		fputc(' ', out);
	} else if (c->points[i] && !c->scatter->is_ascii && is_roomy(c)) {
		fputs("●", out);
	} else if (c->scatter->is_ascii) {
		fputc(c->points[i] ? '*' : '-', out);
	} else {
		fputs(is_dim ? rarog_style_on(RAROG_STYLE_GREEN) : "", out);
		put_braille(c->points[i] | c->curve[i], out);
		fputs(is_dim ? rarog_style_off(RAROG_STYLE_GREEN) : "", out);
	}
}

static void print_line(const struct canvas *c, int y, FILE *out)
{
	struct rarog_amount label = { "" };
	bool is_ascii = c->scatter->is_ascii;

	if (y == 0 || y == c->lines - 1 || y == c->lines / 2)
		label = c->scatter->y_label(
			value_at(&c->y, (double)(c->lines - 1 - y) / (c->lines - 1)));
	fprintf(out, "%*s %s", LABEL, label.text, is_ascii ? "|" : *label.text ? "┤" : "│");
	for (int x = 0; x < c->columns; x++)
		put_cell(c, (size_t)y * (size_t)c->columns + (size_t)x, out);
	fputc('\n', out);
}

static void print_axis(const struct canvas *c, FILE *out)
{
	bool is_ascii = c->scatter->is_ascii;
	struct rarog_amount left = c->scatter->x_label(value_at(&c->x, 0));
	struct rarog_amount middle = c->scatter->x_label(value_at(&c->x, 0.5));
	struct rarog_amount right = c->scatter->x_label(value_at(&c->x, 1));
	int half = c->columns / 2 - (int)strlen(left.text);

	fprintf(out, "%*s %s", LABEL, c->x.is_log ? "log, log" : "", is_ascii ? "+" : "└");
	for (int x = 0; x < c->columns; x++)
		fputs(is_ascii ? "-" : "─", out);
	fprintf(out, "\n%*s  %s%*s%*s\n", LABEL, "", left.text, half, middle.text,
		c->columns - c->columns / 2, right.text);
}

int rarog_scatter_print(const struct rarog_scatter *scatter, FILE *out)
{
	rarog_cleanup(canvas_release) struct canvas c = { .scatter = scatter,
							  .columns = scatter->width - LABEL - 2,
							  .lines = scatter->height };
	size_t cells = (size_t)c.columns * (size_t)c.lines;
	bool has_more = scatter->curve && isfinite(scatter->at);

	c.x = axis_of(scatter->n, scatter->x, scatter->at);
	c.y = axis_of(scatter->n, scatter->y,
		      has_more ? scatter->curve(scatter->model, scatter->at) : NAN);
	settle(&c.x, &c.y);
	c.points = calloc(cells, 1);
	c.curve = calloc(cells, 1);
	if (!c.points || !c.curve)
		return rarog_oom();
	draw_points(&c);
	draw_curve(&c);
	for (int y = 0; y < c.lines; y++)
		print_line(&c, y, out);
	print_axis(&c, out);
	return 0;
}
