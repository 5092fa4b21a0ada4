/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An amount of a function, or of the whole program, over versions: the median of the runs of each,
 * a line from the least to the most, and where it changed.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/match.h"
#include "base/str.h"
#include "view/history/changes.h"
#include "view/history/series.h"
#include "view/names.h"
#include "view/svg/plane.h"
#include "view/svg/versions.h"
#include "view/text.h"

#define NAME_PX 90.0 /* of a version below the axis */

struct panel {
	const struct rarog_svg_versions *of;
	const struct rarog_history_group *group;
	const struct rarog_history_row *row;
	uint32_t which; /* of the row's series */
	struct rarog_svg_plane plane;
	size_t n_values;
};

static enum rarog_series_metric metric_of(const struct panel *panel)
{
	return panel->row->series[panel->which].metric;
}

static struct rarog_amount format(const void *user, double y)
{
	return rarog_series_amount(metric_of(user), y);
}

/* The position of a version in the range. */
static double x_of(const struct panel *panel, uint32_t version)
{
	double x = 0;

	for (uint32_t i = 0; i < version; i++)
		x += panel->of->in_range[i];
	return rarog_svg_plane_x(&panel->plane, x);
}

static bool is_of(const struct panel *panel, const struct rarog_history_change *change)
{
	return change->row == panel->row && change->metric == metric_of(panel) &&
	       panel->of->in_range[change->shift.version];
}

/* --- what is drawn --- */

static void draw_values(const struct panel *panel, FILE *out)
{
	const struct rarog_svg_plane *plane = &panel->plane;
	const struct rarog_history_row *row = panel->row;

	fprintf(out, "<g fill=\"%s\" stroke=\"%s\">\n", rarog_svg_colour(0), rarog_svg_colour(0));
	for (size_t i = 0; i < row->values[panel->which].n; i++) {
		const struct rarog_history_value *value = &row->values[panel->which].v[i];
		double x = x_of(panel, value->version);

		if (!panel->of->in_range[value->version])
			continue;
		fprintf(out, "<path d=\"M%.1f %.1f V%.1f\"/>", x,
			rarog_svg_plane_y(plane, value->low),
			rarog_svg_plane_y(plane, value->high));
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>", x,
			rarog_svg_plane_y(plane, value->value));
		rarog_xml_add(out, panel->of->history->versions.v[value->version]);
		fprintf(out, ": %s, %u runs</title></circle>\n", format(panel, value->value).text,
			value->runs);
	}
	fputs("</g>\n", out);
}

/* Below the axis, where it has room: from @left on. Return: to where it reaches. */
static double draw_name(const struct panel *panel, uint32_t version, double left, FILE *out)
{
	double x = x_of(panel, version), at = fmin(x, RAROG_SVG_WIDTH - NAME_PX);

	if (at < left)
		return left;
	rarog_svg_text(
		out, at, panel->plane.top + RAROG_SVG_PLANE_HEIGHT + 20, "start", NAME_PX,
		rarog_short_name(panel->of->vcs, panel->of->history->versions.v[version]).text);
	return at + NAME_PX;
}

static void draw_change(const struct panel *panel, const struct rarog_history_change *change,
			FILE *out)
{
	double x = (x_of(panel, change->shift.previous) + x_of(panel, change->shift.version)) / 2;
	char text[32];

	if (isfinite(change->relative))
		snprintf(text, sizeof(text), "%+.1f %%", 100 * change->relative);
	else
		snprintf(text, sizeof(text), "from 0");
	fprintf(out, "<path d=\"M%.1f %.1f V%.1f\" stroke=\"%s\" stroke-dasharray=\"4 3\"><title>",
		x, panel->plane.top, panel->plane.top + RAROG_SVG_PLANE_HEIGHT,
		rarog_svg_colour(5));
	rarog_xml_add(out, panel->of->history->versions.v[change->shift.version]);
	fprintf(out, ": %s</title></path>\n", rarog_history_class(change));
	rarog_svg_text(out, x + 4, panel->plane.top + 12, "start", NAME_PX, text);
}

static bool is_named(const struct panel *panel, uint32_t version, uint32_t last)
{
	bool is_first = true;

	for (uint32_t i = 0; i < version; i++)
		is_first &= !panel->of->in_range[i];
	for (size_t i = 0; i < panel->of->changes->list.n; i++)
		if (is_of(panel, &panel->of->changes->list.v[i]) &&
		    panel->of->changes->list.v[i].shift.version == version)
			return true;
	return is_first || version == last;
}

static void draw_names(const struct panel *panel, FILE *out)
{
	uint32_t n = (uint32_t)panel->of->history->versions.n, last = 0;
	double left = 0;

	for (uint32_t i = 0; i < n; i++)
		last = panel->of->in_range[i] ? i : last;
	for (uint32_t i = 0; i < n; i++)
		if (panel->of->in_range[i] && is_named(panel, i, last))
			left = draw_name(panel, i, left, out);
}

static int draw_panel(const struct panel *panel, FILE *out)
{
	rarog_cleanup(rarog_str_release) struct rarog_str title = { 0 };
	const char *name = *panel->row->name ? panel->row->name : "whole program";
	int r = rarog_str_addf(&title, "%s: %s, %s", name,
			       rarog_series_metric_name(metric_of(panel)), panel->group->job);

	if (r < 0)
		return r;
	rarog_svg_plane_frame(&panel->plane, rarog_str_text(&title), out);
	draw_names(panel, out);
	for (size_t i = 0; i < panel->of->changes->list.n; i++)
		if (is_of(panel, &panel->of->changes->list.v[i]))
			draw_change(panel, &panel->of->changes->list.v[i], out);
	draw_values(panel, out);
	return 0;
}

/* --- which --- */

static void measure(struct panel *panel)
{
	const struct rarog_history_row *row = panel->row;
	double n = 0;

	panel->plane.x = panel->plane.y = (struct rarog_svg_axis){ INFINITY, -INFINITY, false };
	for (size_t i = 0; i < panel->of->history->versions.n; i++)
		n += panel->of->in_range[i];
	panel->plane.x = (struct rarog_svg_axis){ 0, n - 1, false };
	for (size_t i = 0; i < row->values[panel->which].n; i++) {
		const struct rarog_history_value *value = &row->values[panel->which].v[i];

		if (!panel->of->in_range[value->version])
			continue;
		rarog_svg_axis_span(&panel->plane.y, 1, &value->low);
		rarog_svg_axis_span(&panel->plane.y, 1, &value->high);
		panel->n_values++;
	}
	if (!(panel->plane.y.high > panel->plane.y.low)) /* one level: in the middle of the plane */
		panel->plane.y.low = 0;
}

static bool is_changed(const struct panel *panel)
{
	for (size_t i = 0; i < panel->of->changes->list.n; i++)
		if (is_of(panel, &panel->of->changes->list.v[i]))
			return true;
	return false;
}

struct panels {
	RAROG_VEC(struct panel) v;
};

static void panels_release(struct panels *panels)
{
	rarog_vec_release(&panels->v);
}

/* The first series that has values is what the row is about; others are drawn where they changed.
 */
static int add_row(struct panels *panels, struct panel panel)
{
	bool is_first = true;

	for (panel.which = 0; panel.which < RAROG_HISTORY_SERIES; panel.which++) {
		panel.n_values = 0;
		measure(&panel);
		if (panel.n_values == 0 || (!is_first && !is_changed(&panel)))
			continue;
		if (rarog_vec_push(&panels->v, panel) < 0)
			return rarog_oom();
		is_first = false;
	}
	return 0;
}

static bool is_wanted(const struct rarog_svg_versions *of, struct rarog_match *match,
		      const struct rarog_history_row *row)
{
	const char *names[] = { row->name };

	return of->func ? *row->name && rarog_match_test(match, 1, names) : !*row->name;
}

static int choose(const struct rarog_svg_versions *of, struct panels *panels)
{
	rarog_cleanup(rarog_match_release) struct rarog_match match = { 0 };
	int r = of->func ? rarog_match_include(&match, of->func) : 0;

	for (size_t g = 0; g < of->history->groups.n; g++) {
		const struct rarog_history_group *group = &of->history->groups.v[g];

		for (size_t i = 0; r == 0 && i < group->rows.n; i++)
			if (is_wanted(of, &match, &group->rows.v[i]))
				r = add_row(panels, (struct panel){ .of = of,
								    .group = group,
								    .row = &group->rows.v[i] });
	}
	return r;
}

int rarog_svg_versions(const struct rarog_svg_versions *of, FILE *out)
{
	rarog_cleanup(panels_release) struct panels panels = { 0 };
	int r = choose(of, &panels);

	if (r < 0)
		return r;
	if (panels.v.n == 0)
		return rarog_fail(-ENOENT,
				  "no version of the range has measured '%s'; rarog log lists what "
				  "was measured",
				  of->func ? of->func : "the whole program");
	rarog_svg_begin(out, RAROG_SVG_WIDTH,
			2 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (int)panels.v.n, of->title);
	for (size_t i = 0; r == 0 && i < panels.v.n; i++) {
		struct panel *panel = &panels.v.v[i];

		panel->plane.top = 3.5 * RAROG_SVG_LINE + RAROG_SVG_PLANE_ROOM * (double)i;
		panel->plane.format = format;
		panel->plane.user = panel;
		r = draw_panel(panel, out);
	}
	rarog_svg_end(out);
	return r;
}
