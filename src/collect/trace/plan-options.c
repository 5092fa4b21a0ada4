/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/plan-options.h"

#include <errno.h>

#include "base/error.h"

enum strategy { STRATEGY_USERSPACE, STRATEGY_ALL, STRATEGY_CUSTOM };

const char *const rarog_detail_names[] = { "calls", "summary", "count", NULL };
const char *const rarog_strategy_names[] = { "userspace", "all", "custom", NULL };

static int add_patterns(struct rarog_match *match, const struct rarog_strings *include,
			const struct rarog_strings *exclude)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < include->n; i++)
		r = rarog_match_include(match, include->v[i]);
	for (size_t i = 0; r == 0 && exclude && i < exclude->n; i++)
		r = rarog_match_exclude(match, exclude->v[i]);
	return r;
}

int rarog_plan_make(const struct rarog_plan_options *options, struct rarog_plan *plan)
{
	int r;

	*plan = (struct rarog_plan){ 0 };
	if (options->within && options->not_below)
		return rarog_fail(-EINVAL, "--within and --not-below exclude each other");
	if (options->strategy == STRATEGY_CUSTOM && options->functions.n == 0)
		return rarog_fail(-EINVAL, "--strategy=custom needs --func");
	if (options->detail == RAROG_DETAIL_COUNT && (options->within || options->not_below))
		return rarog_fail(-EINVAL,
				  "--within and --not-below need --detail=calls or summary");
	*plan = (struct rarog_plan){
		.detail = (enum rarog_detail)options->detail,
		.libraries = options->libraries || options->strategy == STRATEGY_ALL,
		.drop = options->drop,
		.follow = options->follow,
		.within = options->within,
		.not_below = options->not_below,
		.max_size = options->max_size,
	};
	r = add_patterns(&plan->functions, &options->functions, &options->excluded);
	return r < 0 ? r : add_patterns(&plan->programs, &options->binaries, NULL);
}

void rarog_plan_release(struct rarog_plan *plan)
{
	rarog_match_release(&plan->functions);
	rarog_match_release(&plan->programs);
}
