/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times of a pixel or more are bars. Shorter ones are summed up by the pixel in which they begin,
 * as high as their part of its time.
 */
#include "view/svg/absences.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"

#define CELLS  (RAROG_SVG_WIDTH - 2 * RAROG_SVG_MARGIN)
#define HEIGHT (RAROG_SVG_ABSENCES_HEIGHT - 2.0)

/* By is_preempted. */
static const struct {
	const char *colour, *words;
} kinds[] = { { "#9ecae1", "waited" },
	      { "#d55e00", "could have run; another thread had the processor" } };

struct pixel {
	double ns[RAROG_COUNT(kinds)];
};

struct bar {
	const struct rarog_svg_absences *absences;
	struct pixel pixels[CELLS];
	double y;
	FILE *out;
};

int rarog_svg_absences_read(const struct rarog_run *run, uint64_t begin, uint64_t end,
			    struct rarog_svg_absences *ret_absences)
{
	const struct rarog_absence *v = NULL;
	long n = rarog_profile_absences(run->profile, &v);

	*ret_absences = (struct rarog_svg_absences){ run, begin, end, n > 0 ? (size_t)n : 0, v };
	return n < 0 ? (int)n : 0;
}

static double ns_of_pixel(const struct rarog_svg_absences *absences)
{
	return (double)(absences->end - absences->begin) / CELLS;
}

static void add(struct bar *bar, uint64_t begin, uint64_t end, bool is_preempted)
{
	double ns = ns_of_pixel(bar->absences);
	double x = (double)(begin - bar->absences->begin) / ns, width = (double)(end - begin) / ns;
	char tip[96];

	if (width < 1) {
		bar->pixels[x < CELLS ? (size_t)x : CELLS - 1].ns[is_preempted] +=
			(double)(end - begin);
		return;
	}
	snprintf(tip, sizeof(tip), "%s: %s", kinds[is_preempted].words,
		 rarog_format_ns(end - begin).text);
	rarog_svg_box(bar->out, RAROG_SVG_MARGIN + x, bar->y, width, HEIGHT,
		      kinds[is_preempted].colour, NULL, tip);
}

static void draw_pixel(const struct bar *bar, size_t x)
{
	double bottom = bar->y + HEIGHT;

	for (size_t kind = 0; kind < RAROG_COUNT(kinds); kind++) {
		double height = HEIGHT * bar->pixels[x].ns[kind] / ns_of_pixel(bar->absences);

		if (bottom - height < bar->y)
			height = bottom - bar->y;
		if (height > 0)
			fprintf(bar->out,
				"<rect x=\"%.1f\" y=\"%.2f\" width=\"1\" height=\"%.2f\" "
				"fill=\"%s\"/>\n",
				RAROG_SVG_MARGIN + (double)x, bottom - height, height,
				kinds[kind].colour);
		bottom -= height;
	}
}

int rarog_svg_absences_draw(const struct rarog_svg_absences *absences, uint32_t strand, double y,
			    FILE *out)
{
	rarog_cleanup(rarog_freep) struct bar *bar = calloc(1, sizeof(*bar));

	if (!bar)
		return rarog_oom();
	*bar = (struct bar){ .absences = absences, .y = y, .out = out };
	for (size_t i = 0; i < absences->n; i++) {
		const struct rarog_absence *of = &absences->v[i];
		uint64_t begin = rarog_run_ns(absences->run, of->begin);
		uint64_t end = rarog_run_ns(absences->run, of->begin + of->ticks);

		begin = begin > absences->begin ? begin : absences->begin;
		end = end < absences->end ? end : absences->end;
		if (of->strand == strand && begin < end)
			add(bar, begin, end, of->is_preempted);
	}
	for (size_t x = 0; x < CELLS; x++)
		draw_pixel(bar, x);
	return 0;
}

void rarog_svg_absences_explain(const struct rarog_svg_absences *absences, double y, FILE *out)
{
	double x = RAROG_SVG_MARGIN;

	for (size_t kind = 0; kind < RAROG_COUNT(kinds); kind++) {
		rarog_svg_box(out, x, y - HEIGHT - 2, 12, HEIGHT, kinds[kind].colour, NULL, "");
		rarog_svg_text(out, x + 18, y, "start", CELLS, kinds[kind].words);
		x += 18 + RAROG_SVG_LETTER * ((double)strlen(kinds[kind].words) + 3);
	}
	if (absences->n >= RAROG_ABSENCES_MAX)
		rarog_svg_text(out, x, y, "start", CELLS,
			       "(the longest of the run, shorter ones are left out)");
}
