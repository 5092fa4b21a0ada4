/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/report-pair.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "check/strategy.h"
#include "cmd/check-operand.h"
#include "store/template.h"
#include "view/cut.h"
#include "view/destination.h"
#include "view/svg/pair.h"

/* A page must not take the place of what it is made from. */
static int keep_profiles(const struct rarog_check *check, const char *output)
{
	struct stat page, profile;

	if (stat(output, &page) < 0)
		return 0;
	for (size_t side = 0; side < 2; side++) {
		const struct rarog_side *of = &check->comparison.sides[side];

		for (size_t i = 0; i < of->runs.n; i++)
			if (stat(rarog_profile_path(of->runs.v[i].profile), &profile) == 0 &&
			    page.st_dev == profile.st_dev && page.st_ino == profile.st_ino)
				return rarog_usage_error(rarog_fail(
					-EINVAL, "%s is one of the profiles; choose another file",
					output));
	}
	return 0;
}

static int open_output(const struct rarog_checks *checks, const char *output,
		       struct rarog_destination *ret_to)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < checks->list.n; i++)
		r = keep_profiles(&checks->list.v[i], output);
	return r == 0 ? rarog_destination_open(ret_to, output) : r;
}

int rarog_report_pair_save(const struct rarog_checks *checks,
			   const struct rarog_pair_options *options, const char *output)
{
	struct rarog_destination to;
	int r = open_output(checks, output, &to);

	if (r != 0)
		return r;
	return rarog_destination_close(&to, rarog_pair_write(checks, options, to.stream));
}

/* The last part of an operand, without what a file's name ends with. */
static char *short_operand(const char *text)
{
	size_t n = strlen(text);

	while (n > 1 && text[n - 1] == '/')
		n--;
	const char *slash = memrchr(text, '/', n);
	const char *begin = slash && n > 1 ? slash + 1 : text;

	n -= (size_t)(begin - text);
	if (n > 6 && memcmp(begin + n - 6, ".rarog", 6) == 0)
		n -= 6;
	return strndup(begin, n);
}

static char *default_output(const struct rarog_report_pair *how)
{
	rarog_cleanup(rarog_freep) char *baseline = short_operand(how->baseline);
	rarog_cleanup(rarog_freep) char *target = short_operand(how->target);

	return baseline && target
		       ? rarog_asprintf("%s..%s.%s", baseline, target, how->svg ? "svg" : "html")
		       : NULL;
}

struct pair {
	struct rarog_project project;
	struct rarog_strategies *strategies;
	struct rarog_run_set run_sets[2];
	struct rarog_checks checks;
};

static void pair_release(struct pair *pair)
{
	rarog_checks_release(&pair->checks); /* profiles before their store */
	rarog_run_set_release(&pair->run_sets[0]);
	rarog_run_set_release(&pair->run_sets[1]);
	rarog_strategies_free(pair->strategies);
	rarog_project_release(&pair->project);
}

/* Names of files, not of objects: those of a version that are cut off are left out. */
static void warn_of_cut(const struct rarog_run_set *run_set)
{
	for (size_t i = 0; i < run_set->runs.n; i++)
		rarog_cut_warn(run_set->runs.v[i].profile, "the page shows", "");
}

static int compare(const struct rarog_report_pair *how, struct pair *pair)
{
	struct rarog_check_rule rule = { .method = rarog_check_methods[0] };
	const struct rarog_check_options check = { .n = 1,
						   .rules = &rule,
						   .strategies = pair->strategies,
						   .is_forced = how->is_forced,
						   .vcs = pair->project.vcs };
	int r = rarog_run_set_of(&pair->project, how->baseline, &pair->run_sets[0]);

	rarog_threshold_standards(rule.method, rule.thresholds);
	if (r == 0)
		r = rarog_run_set_of(&pair->project, how->target, &pair->run_sets[1]);
	for (size_t i = 0; r == 0 && i < RAROG_COUNT(pair->run_sets); i++)
		warn_of_cut(&pair->run_sets[i]);
	return r < 0 ? r
		     : rarog_checks_add(&pair->checks, &check, &pair->run_sets[0],
					&pair->run_sets[1]);
}

static int draw(const struct rarog_report_pair *how, const struct rarog_checks *checks,
		const char *output)
{
	rarog_cleanup(rarog_freep) char *title =
		how->title ? strdup(how->title)
			   : rarog_asprintf("%s → %s", how->baseline, how->target);
	struct rarog_svg_options options = { .title = title };
	const struct rarog_svg_plot *plot;
	struct rarog_destination to;
	int r = title ? 0 : rarog_oom();

	if (r == 0)
		r = rarog_svg_find(how->svg, RAROG_SVG_OF_PAIR, &plot, &options.func);
	if (r == 0 && checks->list.n != 1 && !plot->is_of_jobs)
		return rarog_usage_error(rarog_fail(
			-EINVAL, "--svg: %zu comparisons; choose one with --job", checks->list.n));
	if (r == 0)
		r = open_output(checks, output, &to);
	if (r != 0)
		return r;
	r = plot->draw_pair(checks, &options, to.stream);
	return rarog_destination_close(&to, r);
}

int rarog_report_pair(const struct rarog_context *context, const struct rarog_report_pair *how,
		      char **ret_output)
{
	rarog_cleanup(pair_release) struct pair pair = { 0 };
	rarog_cleanup(rarog_freep) char *output =
		how->output ? strdup(how->output) : default_output(how);
	struct rarog_pair_options options = { .title = how->title,
					      .version = RAROG_VERSION,
					      .baseline = how->baseline,
					      .target = how->target,
					      .max_frames = how->max_frames,
					      .without_sources = how->without_sources };
	int r = output ? 0 : rarog_oom();

	if (how->output && rarog_template_is_one(how->output))
		return rarog_usage_error(rarog_fail(
			-EINVAL, "%s: a page of two has no tags in its name", how->output));
	if (r == 0)
		r = rarog_project_open(context, RAROG_NEED_STORE_IF_ANY, &pair.project);
	if (r == 0)
		r = rarog_option_choice_apply(how->options, &pair.project);
	pair.project.jobs = how->jobs;
	if (r == 0)
		r = rarog_strategies_read(pair.project.settings, &pair.strategies);
	if (r == 0)
		r = compare(how, &pair);
	options.vcs = pair.project.vcs;
	if (r == 0)
		r = how->svg ? draw(how, &pair.checks, output)
			     : rarog_report_pair_save(&pair.checks, &options, output);
	if (r == 0)
		*ret_output = rarog_take(output);
	return r;
}
