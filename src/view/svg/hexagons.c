/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of hexagons that stand on a corner, each second row half a hexagon further right. A point
 * belongs to the nearest middle, which is in the nearest row or one beside it.
 */
#include "view/svg/hexagons.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

#define RADIUS 8.0    /* px, from the middle to a corner */
#define WIDE   13.856 /* px from a middle to the next: sqrt(3) radii */
#define HIGH   12.0   /* px from a row to the next */
#define CORNER 7.5    /* px: a little is between them */

int rarog_svg_hexagons_init(struct rarog_svg_hexagons *hexagons)
{
	size_t columns = (size_t)(RAROG_SVG_WIDTH / WIDE) + 2;
	size_t rows = (size_t)(RAROG_SVG_PLANE_HEIGHT / HIGH) + 2;
	uint64_t *n = calloc(columns * rows, sizeof(*n));

	if (!n)
		return rarog_oom();
	*hexagons = (struct rarog_svg_hexagons){ columns, rows, n };
	return 0;
}

void rarog_svg_hexagons_release(struct rarog_svg_hexagons *hexagons)
{
	free(hexagons->n);
}

static double middle_x(size_t row, size_t column)
{
	return WIDE * ((double)column + (row % 2) / 2.0);
}

static double middle_y(size_t row)
{
	return HIGH * (double)row;
}

static size_t nearest(double at, size_t n)
{
	return at < 0 ? 0 : at > (double)(n - 1) ? n - 1 : (size_t)lround(at);
}

static uint64_t *hexagon_at(const struct rarog_svg_hexagons *hexagons, double x, double y)
{
	size_t middle = nearest(y / HIGH, hexagons->rows), best = 0;
	double least = INFINITY;

	for (size_t row = middle > 0 ? middle - 1 : 0; row <= middle + 1 && row < hexagons->rows;
	     row++) {
		size_t column = nearest(x / WIDE - (row % 2) / 2.0, hexagons->columns);
		double far = hypot(middle_x(row, column) - x, middle_y(row) - y);

		if (far < least) {
			least = far;
			best = row * hexagons->columns + column;
		}
	}
	return &hexagons->n[best];
}

void rarog_svg_hexagons_add(struct rarog_svg_hexagons *hexagons,
			    const struct rarog_svg_plane *plane, double x, double y)
{
	++*hexagon_at(hexagons, rarog_svg_plane_x(plane, x),
		      rarog_svg_plane_y(plane, y) - plane->top);
}

/* By how many digits there are, so that single points are seen beside thousands. */
static double opacity_of(uint64_t n, uint64_t most)
{
	return n < most ? 0.2 + 0.8 * log((double)n) / log((double)most) : 1;
}

static void draw_one(double x, double y, double opacity, uint64_t n, FILE *out)
{
	fprintf(out, "<polygon fill-opacity=\"%.2f\" points=\"", opacity);
	for (int k = 0; k < 6; k++)
		fprintf(out, "%.1f,%.1f ", x + CORNER * sin(k * M_PI / 3),
			y + CORNER * cos(k * M_PI / 3));
	fprintf(out, "\"><title>%s</title></polygon>\n", rarog_format_count(n).text);
}

static void draw_note(const struct rarog_svg_plane *plane, uint64_t all, uint64_t most,
		      const char *things, FILE *out)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "%s %s; a hexagon stands for those that lie there, the darkest for %s",
		 rarog_format_count(all).text, things, rarog_format_count(most).text);
	rarog_svg_text(out, RAROG_SVG_WIDTH - RAROG_SVG_MARGIN,
		       plane->top + RAROG_SVG_PLANE_HEIGHT + 2.0 * RAROG_SVG_LINE + 2, "end",
		       RAROG_SVG_WIDTH, text);
}

void rarog_svg_hexagons_draw(const struct rarog_svg_hexagons *hexagons,
			     const struct rarog_svg_plane *plane, const char *things, FILE *out)
{
	size_t n = hexagons->columns * hexagons->rows;
	uint64_t most = 1, all = 0;

	for (size_t i = 0; i < n; i++) {
		all += hexagons->n[i];
		most = hexagons->n[i] > most ? hexagons->n[i] : most;
	}
	fprintf(out, "<g fill=\"%s\">\n", rarog_svg_colour(0));
	for (size_t i = 0; i < n; i++) {
		size_t row = i / hexagons->columns;

		if (hexagons->n[i] > 0)
			draw_one(middle_x(row, i % hexagons->columns), plane->top + middle_y(row),
				 opacity_of(hexagons->n[i], most), hexagons->n[i], out);
	}
	fputs("</g>\n", out);
	draw_note(plane, all, most, things, out);
}
