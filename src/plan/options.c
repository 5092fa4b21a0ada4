/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/units.h"
#include "plan/place-test.h"

enum strategy {
	STRATEGY_USERSPACE,
	STRATEGY_ALL,
	STRATEGY_CUSTOM,
	STRATEGY_USERSPACE_SAMPLED,
	STRATEGY_ALL_SAMPLED
};

#define EVERY_USUAL 20 /* of the sampled strategies */

const char *const rarog_detail_names[] = { "calls", "summary", "count", NULL };
const char *const rarog_strategy_names[] = { "userspace", "all",       "custom",
					     "u_sampled", "a_sampled", NULL };

const char *const rarog_loops_names[] = { "sums", "trips", NULL };
const char *const rarog_block_times_names[] = { "estimated", "measured", "none", NULL };

/* A file's path, and not a pattern, means that file wherever the program is started from. */
static int add_programs(struct rarog_match *match, const struct rarog_strings *binaries)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < binaries->n; i++) {
		const char *text = binaries->v[i];
		rarog_cleanup(rarog_freep) char *path =
			strchr(text, '/') && *text != '/' ? realpath(text, NULL) : NULL;

		r = rarog_match_include(match, path ? path : text);
	}
	return r;
}

/* Functions with the files they are in and the part of their calls. */
static int add_functions(struct rarog_plan *plan, const struct rarog_plan_options *options)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < options->functions.n; i++) {
		rarog_cleanup(rarog_freep) char *function = NULL;

		r = rarog_call_sampling_add(&plan->every, "func", options->functions.v[i],
					    &function);
		if (r == 0)
			r = rarog_match_include(&plan->functions, function);
	}
	for (size_t i = 0; r == 0 && i < options->excluded.n; i++)
		r = rarog_match_exclude(&plan->functions, options->excluded.v[i]);
	return r;
}

/* USDT probes, likewise. */
static int add_usdt(struct rarog_plan *plan, const struct rarog_plan_options *options)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < options->usdt.n; i++) {
		rarog_cleanup(rarog_freep) char *name = NULL;

		r = rarog_call_sampling_add(&plan->usdt_every, "usdt", options->usdt.v[i], &name);
		if (r == 0)
			r = rarog_match_include(&plan->usdt, name);
	}
	return r;
}

static uint32_t usual_every(const struct rarog_plan_options *options)
{
	bool is_sampled = options->strategy == STRATEGY_USERSPACE_SAMPLED ||
			  options->strategy == STRATEGY_ALL_SAMPLED;

	return options->every <= 1 && is_sampled ? EVERY_USUAL : (uint32_t)options->every;
}

/* "10ms/1s" */
static int set_windows(const char *text, struct rarog_windows *windows)
{
	const char *slash = strchr(text, '/');
	rarog_cleanup(rarog_freep) char *on = slash ? strndup(text, (size_t)(slash - text)) : NULL;

	if (slash && !on)
		return rarog_oom();
	if (!on || rarog_parse_duration(on, &windows->on_ns) < 0 ||
	    rarog_parse_duration(slash + 1, &windows->period_ns) < 0 || windows->on_ns == 0 ||
	    windows->on_ns >= windows->period_ns || windows->period_ns > INT64_MAX)
		return rarog_fail(-EINVAL,
				  "--windows=%s: expected ON/PERIOD, two durations of which the "
				  "first is shorter, as 10ms/1s",
				  text);
	return 0;
}

static int check_windows(const struct rarog_plan *plan)
{
	if (plan->windows.period_ns == 0)
		return 0;
	if (plan->detail == RAROG_DETAIL_COUNT)
		return rarog_fail(-EINVAL, "--detail=count counts every call; leave out --windows");
	return 0;
}

/* Their stubs count before the agent asks whether the mark is inside of the root. */
static int check_marks(const struct rarog_plan *plan)
{
	bool is_sampled = rarog_call_sampling_is_any(&plan->usdt_every);

	for (size_t i = 0; i < plan->places.list.n; i++)
		is_sampled = is_sampled || plan->places.list.v[i].every > 1;
	if (is_sampled && (plan->within || plan->not_below))
		return rarog_fail(-EINVAL,
				  "--usdt NAME#N and --at LINE#N count passages everywhere; "
				  "leave out #N, or --within and --not-below");
	return 0;
}

static int set_overhead(const char *text, double *ret_share)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%") != 0) || !(percent >= 0.1 && percent <= 1000))
		return rarog_fail(-EINVAL, "--overhead=%s: expected a percentage, 0.1%% to 1000%%",
				  text);
	*ret_share = percent / 100;
	return 0;
}

static int check_overhead(const struct rarog_plan_options *options, const struct rarog_plan *plan)
{
	if (plan->overhead <= 0)
		return 0;
	if (options->every > 1)
		return rarog_fail(-EINVAL, "--overhead chooses which calls are recorded; leave out "
					   "--sample-calls, or use FUNC#N for single functions");
	if (plan->detail == RAROG_DETAIL_COUNT)
		return rarog_fail(-EINVAL,
				  "--detail=count counts every call; leave out --overhead");
	if (plan->within || plan->not_below)
		return rarog_fail(-EINVAL, "--within and --not-below need every call; leave them "
					   "out, or --overhead");
	if (plan->windows.period_ns > 0)
		return rarog_fail(-EINVAL, "--windows and --overhead exclude each other");
	return 0;
}

static int add_values(struct rarog_value_requests *requests,
		      const struct rarog_plan_options *options)
{
	const struct {
		const struct rarog_strings *texts;
		int (*add)(struct rarog_value_requests *requests, const char *text);
	} all[] = {
		{ &options->args, rarog_value_requests_args },
		{ &options->arg, rarog_value_requests_arg },
		{ &options->ret, rarog_value_requests_ret },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(all); i++)
		for (size_t k = 0; r == 0 && k < all[i].texts->n; k++)
			r = all[i].add(requests, all[i].texts->v[k]);
	return r;
}

enum rarog_detail rarog_plan_detail(const struct rarog_plan_options *options)
{
	return options->detail < 0 ? RAROG_DETAIL_CALLS : (enum rarog_detail)options->detail;
}

bool rarog_strategy_has_libraries(const struct rarog_plan_options *options)
{
	return options->strategy == STRATEGY_ALL || options->strategy == STRATEGY_ALL_SAMPLED;
}

/* All calls of what is measured inside of are needed. */
static int check_root(const char *root)
{
	const char *hash = root ? strrchr(root, '#') : NULL;

	if (!hash || !hash[1] || hash[1 + strspn(hash + 1, "0123456789")])
		return 0;
	return rarog_fail(-EINVAL,
			  "--within and --not-below need every call of their function; leave out "
			  "%s of %s",
			  hash, root);
}

int rarog_plan_make(const struct rarog_plan_options *options, struct rarog_plan *plan)
{
	const char *root = options->within ? options->within : options->not_below;
	int r = check_root(root);

	*plan = (struct rarog_plan){ 0 };
	if (r < 0)
		return r;
	if (options->within && options->not_below)
		return rarog_fail(-EINVAL, "--within and --not-below exclude each other");
	if (options->strategy == STRATEGY_CUSTOM &&
	    options->functions.n + options->usdt.n + options->at.n == 0)
		return rarog_fail(-EINVAL, "--strategy=custom needs --func, --usdt or --at");
	if (options->no_usdt && options->usdt.n > 0)
		return rarog_fail(-EINVAL, "--usdt and --no-usdt exclude each other");
	if (options->detail == RAROG_DETAIL_COUNT &&
	    options->args.n + options->arg.n + options->ret.n > 0)
		return rarog_fail(-EINVAL,
				  "--args, --arg and --ret need --detail=calls or summary");
	if (options->detail == RAROG_DETAIL_COUNT && (options->within || options->not_below))
		return rarog_fail(-EINVAL,
				  "--within and --not-below need --detail=calls or summary");
	*plan = (struct rarog_plan){
		.detail = rarog_plan_detail(options),
		.libraries = options->libraries || rarog_strategy_has_libraries(options),
		.every = { .all = usual_every(options) },
		.drop = options->drop,
		.follow = options->follow,
		.accesses = options->accesses,
		.no_stap_cache = options->no_stap_cache,
		.orders_clock = options->compensate,
		.rounds = options->loops == 1,
		.times = options->times < 0 ? RAROG_BLOCK_TIMES_ESTIMATED
					    : (enum rarog_block_times_how)options->times,
		.within = options->within,
		.not_below = options->not_below,
		.max_size = options->max_size,
		.kept = options->kept,
		.no_usdt = options->no_usdt,
		.no_functions = options->strategy == STRATEGY_CUSTOM && options->functions.n == 0,
	};
	r = add_functions(plan, options);
	if (r == 0)
		r = add_usdt(plan, options);
	if (r == 0 && root)
		r = rarog_match_include(&plan->roots, root);
	if (r == 0 && options->windows)
		r = set_windows(options->windows, &plan->windows);
	if (r == 0)
		r = check_windows(plan);
	if (r == 0 && options->overhead)
		r = set_overhead(options->overhead, &plan->overhead);
	if (r == 0)
		r = check_overhead(options, plan);
	plan->switches = plan->windows.period_ns > 0;
	for (size_t i = 0; r == 0 && i < options->at.n; i++)
		r = rarog_place_requests_add(&plan->places, options->at.v[i]);
	if (r == 0)
		r = check_marks(plan);
	if (r == 0)
		r = add_values(&plan->values, options);
	if (r == 0)
		r = add_programs(&plan->programs, &options->binaries);
	return r < 0 ? r : rarog_place_test(plan);
}

void rarog_plan_release(struct rarog_plan *plan)
{
	rarog_match_release(&plan->functions);
	rarog_match_release(&plan->roots);
	rarog_call_sampling_release(&plan->every);
	rarog_match_release(&plan->usdt);
	rarog_call_sampling_release(&plan->usdt_every);
	rarog_match_release(&plan->programs);
	rarog_place_requests_release(&plan->places);
	rarog_value_requests_release(&plan->values);
	free(plan->techniques);
	plan->techniques = NULL;
}
