/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/report-history.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "check/method.h"
#include "cmd/check-history.h"
#include "cmd/history-range.h"
#include "view/destination.h"
#include "view/html/history.h"
#include "view/svg/svg.h"
#include "view/svg/versions.h"

/* A branch's name may have slashes; the page lies in the current directory all the same. */
static char *default_output(const char *range, const char *extension)
{
	char *name = rarog_asprintf("%s.%s", range, extension);

	for (char *c = name; c && *c; c++)
		if (*c == '/')
			*c = '-';
	return name;
}

/* With the version before the range, which its first one is compared with. */
static bool *flags_of(const struct rarog_history_range *range)
{
	size_t n = range->history.versions.n;
	bool *flags = calloc(n + 1, sizeof(*flags));

	for (size_t i = 0; flags && i < n; i++)
		flags[i] = rarog_history_range_has(range, (uint32_t)i);
	for (size_t i = 0; flags && i + 1 < n; i++)
		if (flags[i + 1] && !flags[i]) {
			flags[i] = true;
			break;
		}
	return flags;
}

static int write_page(const struct rarog_report_history *how, const struct rarog_project *project,
		      const struct rarog_history_range *range, const bool *in_range, FILE *out)
{
	const struct rarog_html_history page = { .history = &range->history,
						 .changes = &range->changes,
						 .splits = &range->splits,
						 .in_range = in_range,
						 .store = project->store,
						 .vcs = project->vcs,
						 .options = project->options,
						 .range = how->range,
						 .title = how->title,
						 .version = RAROG_VERSION };

	return rarog_html_history_write(&page, out);
}

static int write_svg(const struct rarog_report_history *how, const struct rarog_project *project,
		     const struct rarog_history_range *range, const bool *in_range, FILE *out)
{
	struct rarog_svg_versions versions = { .history = &range->history,
					       .changes = &range->changes,
					       .in_range = in_range,
					       .vcs = project->vcs,
					       .title = how->title ? how->title : how->range };
	const struct rarog_svg_plot *plot;
	int r = rarog_svg_find(how->svg, RAROG_SVG_OF_VERSIONS, &plot, &versions.func);

	return r < 0 ? r : rarog_svg_versions(&versions, out);
}

static int write_to(const struct rarog_report_history *how, const struct rarog_project *project,
		    const struct rarog_history_range *range, const char *output)
{
	rarog_cleanup(rarog_freep) bool *in_range = flags_of(range);
	struct rarog_destination to;
	int r = in_range ? rarog_destination_open(&to, output) : rarog_oom();

	if (r < 0)
		return r;
	r = (how->svg ? write_svg : write_page)(how, project, range, in_range, to.stream);
	return rarog_destination_close(&to, r);
}

int rarog_report_history(const struct rarog_context *context,
			 const struct rarog_report_history *how, char **ret_output)
{
	rarog_cleanup(rarog_project_release) struct rarog_project project = { 0 };
	rarog_cleanup(rarog_history_range_release) struct rarog_history_range range = { 0 };
	double thresholds[RAROG_THRESHOLDS_MAX];
	const struct rarog_history_request request = { .context = context,
						       .project = &project,
						       .range = how->range,
						       .thresholds = thresholds,
						       .with_values = true };
	rarog_cleanup(rarog_freep) char *output = NULL;
	int r = rarog_project_open(context, RAROG_NEED_STORE, &project);

	project.jobs = how->jobs;
	if (r == 0)
		r = rarog_option_choice_apply(how->options, &project);
	rarog_threshold_standards(&rarog_check_history_rules, thresholds);
	if (r == 0)
		r = rarog_history_range_read(&request, &range);
	if (r < 0)
		return r;
	output = how->output ? strdup(how->output)
			     : default_output(how->range, how->svg ? "svg" : "html");
	r = output ? write_to(how, &project, &range, output) : rarog_oom();
	if (r == 0)
		*ret_output = rarog_take(output);
	return r;
}
