/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which plots there are: one more is a file of this folder and a row here. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "view/svg/pair.h"

#define PLOT(name, func)                                                                           \
	{                                                                                          \
#name, func, RAROG_SVG_OF_PROFILE, rarog_svg_##name, NULL                          \
	}

const struct rarog_svg_plot rarog_svg_plots[] = {
	PLOT(flame, RAROG_SVG_NO_FUNC),
	{ "flame-threads", RAROG_SVG_NO_FUNC, RAROG_SVG_OF_PROFILE, rarog_svg_flame_threads, NULL },
	{ "flame-callers", RAROG_SVG_NO_FUNC, RAROG_SVG_OF_PROFILE, rarog_svg_flame_callers, NULL },
	PLOT(timeline, RAROG_SVG_NO_FUNC),
	PLOT(flow, RAROG_SVG_NO_FUNC),
	PLOT(bars, RAROG_SVG_NO_FUNC),
	PLOT(sunburst, RAROG_SVG_ANY_FUNC), /* of a measure */
	PLOT(noise, RAROG_SVG_NO_FUNC),
	{ "difference", RAROG_SVG_NO_FUNC, RAROG_SVG_OF_PAIR, NULL, rarog_svg_difference },
	PLOT(scatter, RAROG_SVG_NEEDS_FUNC),
	PLOT(histogram, RAROG_SVG_NEEDS_FUNC),
	PLOT(model, RAROG_SVG_NEEDS_FUNC),
	PLOT(candidates, RAROG_SVG_NEEDS_FUNC),
	PLOT(residuals, RAROG_SVG_NEEDS_FUNC),
	PLOT(trials, RAROG_SVG_NEEDS_FUNC),
	{ "speed-up", RAROG_SVG_NEEDS_FUNC, RAROG_SVG_OF_PROFILE, rarog_svg_speed_up, NULL },
	{ "control-flow", RAROG_SVG_NEEDS_FUNC, RAROG_SVG_OF_PROFILE, rarog_svg_control_flow,
	  NULL },
	{ "control-flow", RAROG_SVG_NEEDS_FUNC, RAROG_SVG_OF_PAIR, NULL, rarog_svg_pair_flow },
	{ "versions", RAROG_SVG_ANY_FUNC, RAROG_SVG_OF_VERSIONS, NULL, NULL },
	{ NULL, RAROG_SVG_NO_FUNC, RAROG_SVG_OF_PROFILE, NULL, NULL },
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

static int check_operand(const struct rarog_svg_plot *plot, enum rarog_svg_of of)
{
	static const char *const wants[] = {
		[RAROG_SVG_OF_PROFILE] = ("one profile; of a range there is versions:FUNC, of "
					  "two there are difference and control-flow:FUNC"),
		[RAROG_SVG_OF_VERSIONS] = "a range of versions; give A..B",
		[RAROG_SVG_OF_PAIR] = "two versions; give both",
	};

	return plot->of == of
		       ? 0
		       : rarog_fail(-EINVAL, "--svg: %s is of %s", plot->name, wants[plot->of]);
}

static bool is_of(const struct rarog_svg_plot *plot, const char *text, size_t n)
{
	return strlen(plot->name) == n && strncmp(plot->name, text, n) == 0;
}

/* Of several with the name the one that is drawn of that; else the first, NULL: there is none. */
static const struct rarog_svg_plot *find_plot(const char *text, size_t n, enum rarog_svg_of of)
{
	const struct rarog_svg_plot *found = NULL;

	for (const struct rarog_svg_plot *plot = rarog_svg_plots; plot->name; plot++)
		if (is_of(plot, text, n) && (!found || plot->of == of))
			found = plot;
	return found;
}

int rarog_svg_find(const char *text, enum rarog_svg_of of, const struct rarog_svg_plot **ret_plot,
		   const char **ret_func)
{
	size_t n = strcspn(text, ":");
	const struct rarog_svg_plot *plot = find_plot(text, n, of);
	int r;

	if (!plot)
		return rarog_fail(
			-EINVAL,
			"--svg: no plot '%s'; there are flame, flame-threads, flame-callers, "
			"timeline, flow, bars, sunburst, noise, difference, scatter:FUNC, "
			"histogram:FUNC, model:FUNC, candidates:FUNC, residuals:FUNC, "
			"trials:FUNC, speed-up:FUNC, control-flow:FUNC and versions:FUNC",
			text);
	*ret_plot = plot;
	*ret_func = text[n] && text[n + 1] ? text + n + 1 : NULL;
	r = check_func(plot, text, *ret_func);
	return r < 0 ? r : check_operand(plot, of);
}
