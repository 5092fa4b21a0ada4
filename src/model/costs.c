/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/costs.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "binary/value-path.h"
#include "model/costs-own.h"
#include "model/normalize.h"
#include "model/points-arguments.h"
#include "model/values-own.h"
#include "store/facts.h"

void rarog_costs_release(struct rarog_costs *costs)
{
	for (size_t i = 0; i < costs->list.n; i++)
		rarog_cost_release(&costs->list.v[i]);
	rarog_vec_release(&costs->list);
}

/* --- of calls --- */

#define UNKNOWN SIZE_MAX
#define UNASKED (SIZE_MAX - 1)

struct calls {
	struct rarog_cost_reading *reading;
	const struct rarog_location *locations;
	size_t *at; /* by location: in the list, UNASKED, UNKNOWN */
	const char *x;
	bool is_failed;
};

/* NULL: nobody asked for it, or r < 0. Pointers into the list hold until the next is added. */
static struct rarog_costing *cost_of(struct calls *calls, uint32_t location, int *r)
{
	struct rarog_costs *costs = calls->reading->costs;
	size_t *at = &calls->at[location];
	struct rarog_costing *cost;

	if (*at == UNASKED)
		return NULL;
	if (*at != UNKNOWN)
		return &costs->list.v[*at];
	cost = rarog_cost_find(calls->reading, &calls->locations[location], r);
	*at = cost ? (size_t)(cost - costs->list.v) : UNASKED;
	return cost;
}

static int set_x(struct rarog_costing *cost, const char *x)
{
	if (cost->x && strcmp(cost->x, x) != 0)
		cost->is_mixed = true;
	if (!cost->x)
		cost->x = strdup(x);
	return cost->x ? 0 : rarog_oom();
}

static int take_name(void *arg, uint32_t location, const char *x)
{
	int r = 0;
	struct rarog_costing *cost = cost_of(arg, location, &r);

	return cost ? set_x(cost, x) : r;
}

static int take_point(void *arg, uint32_t location, double x, double y)
{
	struct calls *calls = arg;
	int r = 0;
	struct rarog_costing *cost = cost_of(calls, location, &r);

	if (cost && !cost->x)
		r = set_x(cost, calls->x);
	return cost && r == 0 ? rarog_cost_add(cost, x, y) : r;
}

static int take_points(void *arg, uint32_t location, const struct rarog_points *points)
{
	int r = 0;
	struct rarog_costing *cost = cost_of(arg, location, &r);

	if (!cost)
		return r;
	cost->total += points->sum;
	return rarog_points_merge(&cost->points, points);
}

/* What the points of @profile have as x if no value was captured. */
static const char *usual_x(struct rarog_profile *profile)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	size_t n;
	bool is_imported = rarog_profile_note(profile, "perun", &text, &n) == 0;

	rarog_error_clear();
	return is_imported ? "size" : RAROG_POINTS_ORDER;
}

static int read_points(struct rarog_profile *profile, struct rarog_cost_reading *reading)
{
	const struct rarog_cost_request *request = reading->request;
	struct calls calls = { .reading = reading, .x = usual_x(profile) };
	struct rarog_points_sink sink = {
		.point = take_point, .points = take_points, .named = take_name, .arg = &calls
	};
	long n = rarog_profile_locations(profile, &calls.locations);
	int r;

	if (n < 0)
		return (int)n;
	if (request->x && strcmp(request->x, "size") != 0)
		sink.wish.x = request->x;
	sink.wish.cost = reading->costs->y;
	sink.wish.is_exclusive = strcmp(reading->costs->y, "exclusive") == 0;
	calls.at = malloc(((size_t)n + 1) * sizeof(*calls.at));
	if (!calls.at)
		return rarog_oom();
	for (long i = 0; i < n; i++)
		calls.at[i] = UNKNOWN;
	r = rarog_points_read(profile, &sink);
	if (r == 0)
		r = rarog_cost_note_preempted(profile, (size_t)n, calls.at, reading->costs);
	free(calls.at);
	return r;
}

static int read_calls(struct rarog_profile *profile, struct rarog_cost_reading *reading)
{
	return reading->request->n_variables > 0 ? rarog_cost_rows_of_calls(profile, reading)
						 : read_points(profile, reading);
}

/* --- normalized --- */

/* What a call took for which another program had the processor is no measure of the others. */
static int normalize(struct rarog_costing *cost)
{
	rarog_cleanup(rarog_points_release) struct rarog_points typical = { 0 };
	double least;
	int r = rarog_points_merge(&typical, &cost->points);

	if (r == 0)
		r = rarog_points_settle(&typical, &least);
	cost->longest = r == 0 ? rarog_normalize(typical.n, typical.y) : 0;
	if (cost->longest > 0)
		rarog_points_scale(&cost->points, 1 / cost->longest);
	return r;
}

/* A function of one profile is added to those of all. */
static int add_cost(struct rarog_cost_reading *reading, const struct rarog_costing *one)
{
	const struct rarog_location location = { .name = one->mangled, .demangled = one->name };
	int r = 0;
	struct rarog_costing *cost = rarog_cost_find(reading, &location, &r);

	if (!cost || !one->x)
		return r;
	cost->is_mixed |= one->is_mixed;
	cost->total += one->total;
	cost->ticks += one->ticks;
	cost->preempted += one->preempted;
	cost->longest = fmax(cost->longest, one->longest);
	r = set_x(cost, one->x);
	return r < 0 ? r : rarog_points_merge(&cost->points, &one->points);
}

static int read_normalized(struct rarog_profile *profile, struct rarog_cost_reading *reading)
{
	rarog_cleanup(rarog_costs_release) struct rarog_costs costs = { .y = reading->costs->y };
	rarog_cleanup(rarog_cost_reading_release) struct rarog_cost_reading alone = {
		.request = reading->request, .costs = &costs
	};
	int r = read_calls(profile, &alone);

	for (size_t i = 0; r == 0 && i < costs.list.n; i++) {
		r = normalize(&costs.list.v[i]);
		if (r == 0)
			r = add_cost(reading, &costs.list.v[i]);
	}
	return r;
}

/* --- which y calls have --- */

static bool has_cost(struct rarog_profile *profile, const char *cost)
{
	const struct rarog_argument *arguments;
	long n = rarog_profile_arguments(profile, &arguments);

	for (long i = 0; i < n; i++)
		if (rarog_argument_is_cost(&arguments[i], cost))
			return true;
	return false;
}

static bool is_imported(struct rarog_profile *profile)
{
	return strcmp(usual_x(profile), "size") == 0;
}

static int lacks_points(struct rarog_profile *profile)
{
	return rarog_fail(
		-ENODATA,
		"%s: no single calls are kept in it; rarog collect --args FUNC keeps them "
		"with what they were given, or compare runs: workloads of several sizes "
		"(rarog run) and --x workload, or values of an option and --x option:NAME",
		rarog_profile_path(profile));
}

static const char *const call_times[] = { "wall", "exclusive", NULL };
static const char *const call_costs[] = { RAROG_VALUE_INSTRUCTIONS, RAROG_VALUE_BLOCKS, NULL };

static bool is_one_of(const char *text, const char *const list[])
{
	for (size_t i = 0; list[i]; i++)
		if (strcmp(text, list[i]) == 0)
			return true;
	return false;
}

static int lacks_cost(struct rarog_profile *profile, const char *wanted, bool are_costs)
{
	if (are_costs && is_one_of(wanted, call_times))
		return rarog_fail(-EINVAL,
				  "--y %s: %s: instructions were counted by call, and no times",
				  wanted, rarog_profile_path(profile));
	return rarog_fail(-EINVAL,
			  "--y %s: %s: %s were measured by call; rarog collect --engine vex --args "
			  "FUNC counts instructions and blocks",
			  wanted, rarog_profile_path(profile),
			  are_costs ? "instructions alone" : "times");
}

/* One profile tells y; all others must have the same. */
static int choose_y(struct rarog_profile *profile, const char *wanted, const char **ret_y)
{
	bool are_costs = !rarog_profile_has_calls(profile) && has_cost(profile, NULL);
	bool has_points = are_costs || rarog_profile_has_calls(profile) || is_imported(profile);
	const char *y = are_costs ? "instructions" : "wall";

	if (wanted && !is_one_of(wanted, call_times) && !is_one_of(wanted, call_costs))
		return rarog_fail(
			-EINVAL,
			"--y %s: single calls have wall, exclusive, instructions or blocks; %s of "
			"a run goes with --x workload, option:NAME or iterations",
			wanted, wanted);
	if (!has_points)
		return lacks_points(profile);
	if (wanted && (are_costs ? !has_cost(profile, wanted) : !is_one_of(wanted, call_times)))
		return lacks_cost(profile, wanted, are_costs);
	*ret_y = wanted ? wanted : y;
	return 0;
}

static int costs_of_calls(size_t n, struct rarog_profile *const profiles[],
			  struct rarog_cost_reading *reading)
{
	struct rarog_costs *costs = reading->costs;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		const char *y = NULL;

		r = choose_y(profiles[i], reading->request->y, &y);
		if (r == 0 && i > 0 && strcmp(y, costs->y) != 0)
			r = rarog_fail(-EINVAL,
				       "%s has %s and %s has %s: name those that belong "
				       "together",
				       rarog_profile_path(profiles[0]), costs->y,
				       rarog_profile_path(profiles[i]), y);
		costs->y = y;
		if (r == 0)
			r = reading->request->is_normalized ? read_normalized(profiles[i], reading)
							    : read_calls(profiles[i], reading);
	}
	if (r == 0 && costs->y)
		costs->unit = is_one_of(costs->y, call_costs) ? RAROG_UNIT_COUNT : RAROG_UNIT_NS;
	return r;
}

/* --- all --- */

static int compare(const struct rarog_facts *a, const struct rarog_facts *b)
{
	if (strcmp(a->job.collector, b->job.collector) != 0)
		return rarog_fail(-EINVAL,
				  "profiles of different collectors, %s and %s, do not make one "
				  "model; --collector chooses one",
				  a->job.collector, b->job.collector);
	if (strcmp(a->job.command, b->job.command) != 0)
		return rarog_fail(-EINVAL,
				  "profiles of different programs, %s and %s, do not make one "
				  "model; --job chooses one",
				  a->job.command, b->job.command);
	return 0;
}

/* Runs of several programs, or made in several ways, are no points of one curve. */
static int check_alike(size_t n, struct rarog_profile *const profiles[])
{
	rarog_cleanup(rarog_facts_release) struct rarog_facts first = { 0 };
	int r = rarog_facts_of(profiles[0], &first);

	for (size_t i = 1; r == 0 && i < n; i++) {
		rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };

		r = rarog_facts_of(profiles[i], &facts);
		if (r == 0)
			r = compare(&first, &facts);
	}
	return r;
}

static int by_total(const void *left, const void *right)
{
	const struct rarog_costing *a = left, *b = right;

	if (!a->mangled != !b->mangled)
		return a->mangled ? 1 : -1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Is one of x? @line: of its loops, unchanged: of all */
static bool is_by_iterations(const struct rarog_cost_request *request, uint32_t *line)
{
	for (size_t i = 0; i < request->n_variables; i++)
		if (rarog_cost_is_iterations(request->variables[i], line))
			return true;
	return request->n_variables == 0 && rarog_cost_is_iterations(request->x, line);
}

static int lacks_function(const struct rarog_cost_request *request, const struct rarog_costs *costs)
{
	size_t n = request->functions->include.n;
	const char *which = n == 1  ? request->functions->include.v[0].text
			    : n > 1 ? "asked for"
				    : "";
	const char *gap = n > 0 ? " " : "";
	uint32_t line = 0;

	if (is_by_iterations(request, &line) || rarog_cost_is_iterations(costs->y, &line))
		return rarog_fail(
			-ENODATA,
			"no function%s%s has a loop%s that went round; rarog show --loops "
			"lists loops, and their lines",
			gap, which, line > 0 ? " at that line" : "");
	if (request->n_variables > 0)
		return rarog_fail(
			-ENODATA,
			"no function%s%s has calls of which all of these are known; rarog "
			"collect --args FUNC keeps them",
			gap, which);
	if (request->x)
		return rarog_fail(
			-ENODATA,
			"no function%s%s has %s by %s; without --x rarog model lists what "
			"there is",
			gap, which, costs->y, request->x);
	return rarog_fail(-ENODATA, "no function%s%s has %s; rarog show lists functions", gap,
			  which, costs->y);
}

/* No points, or no loop in any run: a run in which none went round has 0 rounds. */
static bool has_nothing(const struct rarog_cost_request *request, const struct rarog_costs *costs,
			const struct rarog_costing *cost)
{
	uint32_t line;

	if (cost->n_unknown > 0)
		return false;
	return cost->points.seen + cost->points.left_out + cost->rows.n + cost->rows.left_out ==
		       0 ||
	       (is_by_iterations(request, &line) && !cost->has_loop) ||
	       (rarog_cost_is_iterations(costs->y, &line) && cost->total == 0);
}

/* What has no points goes; the rest is sorted, by x and by size. */
static int finish(const struct rarog_cost_request *request, struct rarog_costs *costs)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < costs->list.n; i++) {
		struct rarog_costing *cost = &costs->list.v[i];

		if (has_nothing(request, costs, cost)) {
			rarog_cost_release(cost);
			continue;
		}
		r = r < 0 ? r : rarog_points_sort(&cost->points);
		if (r == 0 && costs->is_over_runs && costs->is_normalized)
			rarog_normalize(cost->points.n, cost->points.y);
		costs->list.v[kept++] = *cost;
	}
	costs->list.n = kept;
	if (r == 0 && kept == 0)
		return lacks_function(request, costs);
	if (kept > 0)
		qsort(costs->list.v, kept, sizeof(*costs->list.v), by_total);
	return r;
}

int rarog_costs_read(size_t n, struct rarog_profile *const profiles[],
		     const struct rarog_cost_request *request, struct rarog_costs *ret_costs)
{
	rarog_cleanup(rarog_costs_release) struct rarog_costs costs = {
		.n_runs = n,
		.is_normalized = request->is_normalized,
		.is_per_call = request->is_per_call,
		.n_variables = request->n_variables,
		.variables = request->variables
	};
	rarog_cleanup(rarog_cost_reading_release) struct rarog_cost_reading reading = {
		.request = request, .costs = &costs
	};
	int r = check_alike(n, profiles);

	if (r == 0)
		r = rarog_costs_are_over_runs(n, profiles, request);
	if (r >= 0) {
		costs.is_over_runs = r > 0;
		r = costs.is_over_runs ? rarog_costs_of_runs(n, profiles, &reading)
				       : costs_of_calls(n, profiles, &reading);
	}
	if (r == 0)
		r = finish(request, &costs);
	if (r < 0)
		return r;
	*ret_costs = rarog_take_struct(costs);
	return 0;
}
