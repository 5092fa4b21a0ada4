/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/svg/svg.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "view/text.h"

#define TEXT_MIN 3 /* letters; fewer tell nothing */

int rarog_svg_nothing(const struct rarog_run *run)
{
	return rarog_fail(-ENODATA,
			  "%s: no call took any time, so that there is nothing to draw; rarog show "
			  "says what was recorded",
			  rarog_profile_path(run->profile));
}

void rarog_svg_begin(FILE *out, int width, int height, const char *title)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"monospace\" font-size=\"12\">\n<title>",
		width, height, width, height);
	rarog_xml_add(out, title);
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
	rarog_svg_text(out, RAROG_SVG_MARGIN, RAROG_SVG_LINE, "start", width - 2 * RAROG_SVG_MARGIN,
		       title);
}

void rarog_svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

void rarog_svg_end_of_calls(FILE *out, int height, bool are_sampled)
{
	if (are_sampled)
		rarog_svg_text(out, RAROG_SVG_MARGIN, height - 6, "start",
			       RAROG_SVG_WIDTH - 2 * RAROG_SVG_MARGIN, RAROG_SAMPLED_NOTE);
	rarog_svg_end(out);
}

void rarog_svg_text(FILE *out, double x, double y, const char *anchor, double width,
		    const char *text)
{
	rarog_cleanup(rarog_str_release) struct rarog_str cut = { 0 };
	int columns = (int)(width / RAROG_SVG_LETTER);

	if (columns < TEXT_MIN || rarog_text_add_clean(&cut, text, false) < 0 ||
	    rarog_text_fit_name(&cut, columns, false) < 0 ||
	    rarog_text_elide(&cut, columns, false) < 0)
		return;
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	rarog_xml_add(out, rarog_str_text(&cut));
	fputs("</text>\n", out);
}

void rarog_svg_box(FILE *out, double x, double y, double width, double height, const char *colour,
		   const char *text, const char *tip)
{
	fprintf(out,
		"<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
		"stroke=\"#ffffff\" stroke-width=\"0.5\"><title>",
		x, y, width, height, colour);
	rarog_xml_add(out, tip);
	fputs("</title></rect>\n", out);
	if (text)
		rarog_svg_text(out, x + 3, y + height / 2 + 4, "start", width - 6, text);
}

void rarog_svg_line(FILE *out, double x1, double y1, double x2, double y2)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#777777\"/>\n",
		x1, y1, x2, y2);
}

/* Okabe and Ito's, without black. */
const char *rarog_svg_colour(size_t i)
{
	static const char *const colours[] = { "#0072b2", "#e69f00", "#009e73", "#cc79a7",
					       "#56b4e9", "#d55e00", "#f0e442", "#999999" };

	return colours[i % RAROG_COUNT(colours)];
}

void rarog_svg_warm(const char *name, char ret_colour[8])
{
	uint32_t hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619U;
	snprintf(ret_colour, 8, "#%02x%02x%02x", 225 + hash % 31, 140 + (hash >> 8) % 90,
		 70 + (hash >> 16) % 60);
}
