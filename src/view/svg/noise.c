/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What noise in each function did to the run: the estimates with their intervals, the largest
 * first. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "view/svg/svg.h"
#include "view/text.h"

#define ROWS  60
#define LEFT  380.0 /* px: where the axis begins */
#define RIGHT (RAROG_SVG_WIDTH - 120.0)
#define TOP   (3.0 * RAROG_SVG_LINE)

struct row {
	const char *name, *kind;
	double effect, low, high;
	uint64_t runs;
};

struct scale {
	double low, high;
};

static double of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static int largest_first(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->effect != b->effect)
		return a->effect > b->effect ? -1 : 1;
	return strcmp(a->name, b->name);
}

static double x_of(const struct scale *scale, double value)
{
	double share = (value - scale->low) / (scale->high - scale->low);

	return LEFT + (RIGHT - LEFT) * fmin(fmax(share, 0), 1);
}

/* Nothing and all are always to be seen; what is far outside is cut. */
static struct scale scale_of(size_t n, const struct row rows[n])
{
	struct scale scale = { 0, 1 };

	for (size_t i = 0; i < n; i++) {
		scale.low = fmax(fmin(scale.low, rows[i].low), -1);
		scale.high = fmin(fmax(scale.high, rows[i].high), 2);
	}
	return scale;
}

static int draw_row(const struct scale *scale, const struct row *row, double y, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str tip = { 0 };
	double low = x_of(scale, row->low), high = x_of(scale, row->high);
	char share[32];
	int r = rarog_str_addf(
		&tip, "%s: %.1f %%, 95 %% interval %.1f … %.1f %%; %s, %" PRIu64 " runs", row->name,
		100 * row->effect, 100 * row->low, 100 * row->high, row->kind, row->runs);

	if (r < 0)
		return r;
	snprintf(share, sizeof(share), "%.1f %%", 100 * row->effect);
	rarog_svg_text(out, LEFT - 12, y + 13, "end", LEFT - 24, row->name);
	rarog_svg_box(out, low, y + 6, fmax(high - low, 1), 5, rarog_svg_colour(4), NULL,
		      rarog_str_text(&tip));
	fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
		x_of(scale, row->effect), y + 8.5, rarog_svg_colour(0));
	rarog_svg_text(out, RAROG_SVG_WIDTH - RAROG_SVG_MARGIN, y + 13, "end", 100, share);
	return 0;
}

static void draw_axis(const struct scale *scale, double bottom, FILE *out)
{
	static const struct {
		double value;
		const char *text;
	} marks[] = { { 0, "0 %" }, { 1, "100 %" } };

	for (size_t i = 0; i < RAROG_COUNT(marks); i++) {
		double x = x_of(scale, marks[i].value);

		rarog_svg_line(out, x, TOP - 4, x, bottom);
		rarog_svg_text(out, x, TOP - 8, "middle", 60, marks[i].text);
	}
}

static int read_rows(const struct rarog_run *run, struct row **ret_rows)
{
	const struct rarog_experiment *v;
	long n = rarog_profile_experiments(run->profile, &v);
	struct row *rows;

	if (n <= 0)
		return (int)n;
	rows = calloc((size_t)n, sizeof(*rows));
	if (!rows)
		return rarog_oom();
	for (long i = 0; i < n; i++)
		rows[i] =
			(struct row){ .name = rarog_location_title(&run->locations[v[i].location]),
				      .kind = v[i].kind ? v[i].kind : "noise",
				      .effect = of_bits(v[i].effect),
				      .low = of_bits(v[i].low),
				      .high = of_bits(v[i].high),
				      .runs = v[i].runs };
	qsort(rows, (size_t)n, sizeof(*rows), largest_first);
	*ret_rows = rows;
	return (int)n;
}

int rarog_svg_noise(const struct rarog_run *run, const struct rarog_svg_options *options, FILE *out)
{
	rarog_cleanup(rarog_freep) struct row *rows = NULL;
	int all = read_rows(run, &rows), n = all < ROWS ? all : ROWS, r = 0;
	struct scale scale;
	double bottom;

	if (all < 0)
		return all;
	if (all == 0)
		return rarog_fail(-ENODATA, "%s has no experiments; rarog blow makes them",
				  rarog_profile_path(run->profile));
	scale = scale_of((size_t)n, rows);
	bottom = TOP + RAROG_SVG_LINE * (double)n;
	rarog_svg_begin(out, RAROG_SVG_WIDTH, (int)bottom + 2 * RAROG_SVG_LINE, options->title);
	draw_axis(&scale, bottom, out);
	for (int i = 0; r == 0 && i < n; i++)
		r = draw_row(&scale, &rows[i], TOP + RAROG_SVG_LINE * (double)i, out);
	if (all > n) {
		char rest[64];

		snprintf(rest, sizeof(rest), "%d functions with smaller estimates are not shown",
			 all - n);
		rarog_svg_text(out, RAROG_SVG_MARGIN, bottom + RAROG_SVG_LINE, "start",
			       RAROG_SVG_WIDTH, rest);
	}
	rarog_svg_end(out);
	return r;
}
