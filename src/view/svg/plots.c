/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which plots there are: one more is a file of this folder and a row here. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "view/svg/svg.h"

const struct rarog_svg_plot rarog_svg_plots[] = {
	{ "flame", RAROG_SVG_NO_FUNC, rarog_svg_flame },
	{ "timeline", RAROG_SVG_NO_FUNC, rarog_svg_timeline },
	{ "flow", RAROG_SVG_NO_FUNC, rarog_svg_flow },
	{ "bars", RAROG_SVG_NO_FUNC, rarog_svg_bars },
	{ "scatter", RAROG_SVG_NEEDS_FUNC, rarog_svg_scatter },
	{ "model", RAROG_SVG_NEEDS_FUNC, rarog_svg_model },
	{ "sunburst", RAROG_SVG_NO_FUNC, rarog_svg_sunburst },
	{ "noise", RAROG_SVG_NO_FUNC, rarog_svg_noise },
	{ "versions", RAROG_SVG_ANY_FUNC, NULL },
	{ NULL, RAROG_SVG_NO_FUNC, NULL },
};

static int check_func(const struct rarog_svg_plot *plot, const char *text, const char *func)
{
	if (plot->func == RAROG_SVG_NEEDS_FUNC && !func)
		return rarog_fail(-EINVAL, "--svg: %s is of a function; say --svg %s:FUNC", text,
				  plot->name);
	if (plot->func == RAROG_SVG_NO_FUNC && strlen(text) > strlen(plot->name))
		return rarog_fail(-EINVAL, "--svg: %s is of all functions; say --svg %s",
				  plot->name, plot->name);
	return 0;
}

static int check_operand(const struct rarog_svg_plot *plot, bool is_of_versions)
{
	if (plot->draw && is_of_versions)
		return rarog_fail(-EINVAL,
				  "--svg: %s is of one profile; of a range there is versions:FUNC",
				  plot->name);
	if (!plot->draw && !is_of_versions)
		return rarog_fail(-EINVAL, "--svg: %s is of a range of versions; give A..B",
				  plot->name);
	return 0;
}

int rarog_svg_find(const char *text, bool is_of_versions, const struct rarog_svg_plot **ret_plot,
		   const char **ret_func)
{
	size_t n = strcspn(text, ":");
	const struct rarog_svg_plot *plot = rarog_svg_plots;
	int r;

	while (plot->name && (strlen(plot->name) != n || strncmp(plot->name, text, n) != 0))
		plot++;
	*ret_plot = plot;
	*ret_func = text[n] && text[n + 1] ? text + n + 1 : NULL;
	if (!plot->name)
		return rarog_fail(-EINVAL,
				  "--svg: no plot '%s'; there are flame, timeline, flow, bars, "
				  "sunburst, noise, scatter:FUNC, model:FUNC and versions:FUNC",
				  text);
	r = check_func(plot, text, *ret_func);
	return r < 0 ? r : check_operand(plot, is_of_versions);
}
