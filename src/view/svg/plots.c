/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which plots there are: one more is a file of this folder and a row here. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "view/svg/pair.h"

#define OF_PROFILE(title, its_func, how)                                                           \
	{                                                                                          \
		.name = title, .func = its_func, .of = RAROG_SVG_OF_PROFILE, .draw = how           \
	}
#define OF_PAIR(title, its_func, how, jobs)                                                        \
	{                                                                                          \
		.name = title, .func = its_func, .of = RAROG_SVG_OF_PAIR, .draw_pair = how,        \
		.is_of_jobs = jobs                                                                 \
	}

const struct rarog_svg_plot rarog_svg_plots[] = {
	OF_PROFILE("flame", RAROG_SVG_NO_FUNC, rarog_svg_flame),
	OF_PROFILE("flame-threads", RAROG_SVG_NO_FUNC, rarog_svg_flame_threads),
	OF_PROFILE("flame-callers", RAROG_SVG_NO_FUNC, rarog_svg_flame_callers),
	OF_PROFILE("timeline", RAROG_SVG_NO_FUNC, rarog_svg_timeline),
	OF_PROFILE("flow", RAROG_SVG_NO_FUNC, rarog_svg_flow),
	OF_PROFILE("bars", RAROG_SVG_NO_FUNC, rarog_svg_bars),
	OF_PROFILE("sunburst", RAROG_SVG_ANY_FUNC, rarog_svg_sunburst), /* of a measure */
	OF_PROFILE("noise", RAROG_SVG_NO_FUNC, rarog_svg_noise),
	OF_PROFILE("scatter", RAROG_SVG_NEEDS_FUNC, rarog_svg_scatter),
	OF_PROFILE("histogram", RAROG_SVG_NEEDS_FUNC, rarog_svg_histogram),
	OF_PROFILE("model", RAROG_SVG_NEEDS_FUNC, rarog_svg_model),
	OF_PROFILE("candidates", RAROG_SVG_NEEDS_FUNC, rarog_svg_candidates),
	OF_PROFILE("residuals", RAROG_SVG_NEEDS_FUNC, rarog_svg_residuals),
	OF_PROFILE("trials", RAROG_SVG_NEEDS_FUNC, rarog_svg_trials),
	OF_PROFILE("speed-up", RAROG_SVG_NEEDS_FUNC, rarog_svg_speed_up),
	OF_PROFILE("control-flow", RAROG_SVG_NEEDS_FUNC, rarog_svg_control_flow),
	OF_PAIR("difference", RAROG_SVG_NO_FUNC, rarog_svg_difference, false),
	OF_PAIR("model", RAROG_SVG_NEEDS_FUNC, rarog_svg_pair_model, true),
	OF_PAIR("control-flow", RAROG_SVG_NEEDS_FUNC, rarog_svg_pair_flow, false),
	{ .name = "versions", .func = RAROG_SVG_ANY_FUNC, .of = RAROG_SVG_OF_VERSIONS },
	{ .name = NULL },
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
					  "two there are difference, model:FUNC and "
					  "control-flow:FUNC"),
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
