/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which plots there are: one more is a file of this folder and a row here. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "view/svg/svg.h"

const struct rarog_svg_plot rarog_svg_plots[] = {
	{ "flame", false, rarog_svg_flame },    { "timeline", false, rarog_svg_timeline },
	{ "flow", false, rarog_svg_flow },      { "bars", false, rarog_svg_bars },
	{ "scatter", true, rarog_svg_scatter }, { NULL, false, NULL },
};

int rarog_svg_find(const char *text, const struct rarog_svg_plot **ret_plot, const char **ret_func)
{
	size_t n = strcspn(text, ":");
	const struct rarog_svg_plot *plot = rarog_svg_plots;

	while (plot->name && (strlen(plot->name) != n || strncmp(plot->name, text, n) != 0))
		plot++;
	*ret_plot = plot;
	*ret_func = text[n] && text[n + 1] ? text + n + 1 : NULL;
	if (!plot->name)
		return rarog_fail(-EINVAL,
				  "--svg: no plot '%s'; there are flame, timeline, flow, bars and "
				  "scatter:FUNC",
				  text);
	if (plot->needs_func && !*ret_func)
		return rarog_fail(-EINVAL, "--svg: %s is of a function; say --svg %s:FUNC", text,
				  plot->name);
	if (!plot->needs_func && text[n])
		return rarog_fail(-EINVAL, "--svg: %s is of all functions; say --svg %s",
				  plot->name, plot->name);
	return 0;
}
