/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point for each run: x comes from its header, y is what a function, or the whole program, took
 * in it. The program's own times are those of runs without probes where the header has such runs.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "blocks/loops.h"
#include "blocks/tally.h"
#include "model/costs-own.h"
#include "profile/off-cpu.h"
#include "store/configuration.h"
#include "store/facts.h"

struct run {
	struct rarog_profile *profile;
	struct rarog_facts facts;
	const json_t *end; /* of the header */
	double ns_per_tick;
	size_t n_locations;
	const struct rarog_location *locations;
	const struct rarog_summary **sums; /* by location, over all strands; NULL: none */
	struct rarog_off_cpu_table off_cpu;
	struct rarog_tally tally;
	const struct rarog_tally_function **counts; /* by location; NULL: none */
};

static void run_release(struct run *run)
{
	rarog_facts_release(&run->facts);
	rarog_off_cpu_table_release(&run->off_cpu);
	rarog_tally_release(&run->tally);
	free(run->sums);
	free(run->counts);
}

static int index_sums(struct run *run)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(run->profile, &summaries);

	run->sums = calloc(run->n_locations + 1, sizeof(const struct rarog_summary *));
	if (!run->sums)
		return rarog_oom();
	for (long i = 0; i < n; i++)
		if (summaries[i].strand == RAROG_NONE && summaries[i].location < run->n_locations)
			run->sums[summaries[i].location] = &summaries[i];
	return n < 0 ? (int)n : 0;
}

static int index_counts(struct run *run)
{
	int r = rarog_tally_read(run->profile, &run->tally);

	run->counts = calloc(run->n_locations + 1, sizeof(const struct rarog_tally_function *));
	if (!run->counts)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < run->tally.n; i++)
		if (run->tally.functions[i].location < run->n_locations)
			run->counts[run->tally.functions[i].location] = &run->tally.functions[i];
	return r;
}

static int open_run(struct rarog_profile *profile, struct run *run)
{
	long n = rarog_profile_locations(profile, &run->locations);
	int r = n < 0 ? (int)n : rarog_facts_of(profile, &run->facts);

	if (r < 0)
		return r;
	run->profile = profile;
	run->end = json_object_get(run->facts.header, "end");
	run->n_locations = (size_t)n;
	run->ns_per_tick = 1e9 / (double)rarog_profile_clock(profile)->hz;
	r = index_sums(run);
	if (r == 0)
		r = rarog_off_cpu_table_load(profile, false, &run->off_cpu);
	return r < 0 ? r : index_counts(run);
}

/* --- y: NAN, it is not known --- */

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double counter(const struct run *run, const char *name)
{
	const json_t *counters = json_object_get(run->end, "counters"), *one;

	for (size_t i = 0; i < json_array_size(counters); i++) {
		const char *called;

		one = json_array_get(counters, i);
		called = json_string_value(json_object_get(one, "name"));
		if (called && strcmp(called, name) == 0)
			return json_object_get(one, "ns") ? number(one, "ns")
							  : number(one, "count");
	}
	return NAN;
}

/* Where instructions were counted, or calls alone, there are no times. */
static const struct rarog_summary *timed(const struct run *run, uint32_t location)
{
	const struct rarog_summary *sum = run->sums[location];

	return sum && sum->timed > 0 && sum->total > 0 && run->tally.n == 0 ? sum : NULL;
}

static double wall_of(const struct run *run, uint32_t location)
{
	const struct rarog_summary *sum = timed(run, location);

	return sum ? (double)sum->total * run->ns_per_tick : NAN;
}

static double exclusive_of(const struct run *run, uint32_t location)
{
	const struct rarog_summary *sum = timed(run, location);

	return sum ? (double)sum->exclusive * run->ns_per_tick : NAN;
}

static double cpu_of(const struct run *run, uint32_t location)
{
	const struct rarog_off_cpu_table *table = &run->off_cpu;
	const struct rarog_summary *sum = timed(run, location);
	const struct rarog_off_cpu *away;

	if (!sum || !table->is_known || location >= table->n_locations)
		return NAN;
	away = &table->over[location];
	if (away->is_unknown)
		return NAN;
	return run->ns_per_tick *
	       (double)rarog_cpu_ticks(sum->total, away->total_waited, away->total_preempted);
}

static const struct rarog_tally_function *counted(const struct run *run, uint32_t location)
{
	return run->counts[location];
}

static double calls_of(const struct run *run, uint32_t location)
{
	const struct rarog_summary *sum = run->sums[location];
	const struct rarog_tally_function *function = counted(run, location);

	return function ? (double)function->calls : sum ? (double)sum->count : NAN;
}

static double instructions_of(const struct run *run, uint32_t location)
{
	const struct rarog_tally_function *function = counted(run, location);

	return function ? (double)function->instructions : NAN;
}

static double blocks_of(const struct run *run, uint32_t location)
{
	const struct rarog_tally_function *function = counted(run, location);

	return function ? (double)function->executions : NAN;
}

/* Of all its loops together, inner ones too. NAN: it has none. */
static double iterations_in(const struct run *run, const struct rarog_tally_function *function)
{
	rarog_cleanup(rarog_loops_release) struct rarog_loops loops = { 0 };
	double sum = 0;

	if (rarog_loops_find(&run->tally, function, &loops) < 0)
		return NAN;
	for (size_t i = 0; i < loops.list.n; i++)
		sum += (double)loops.list.v[i].iterations;
	return sum;
}

static double iterations_of(const struct run *run, uint32_t location)
{
	const struct rarog_tally_function *function = counted(run, location);

	return function ? iterations_in(run, function) : NAN;
}

static double iterations_of_program(const struct run *run)
{
	double sum = NAN;

	for (size_t i = 0; i < run->tally.n; i++) {
		double one = iterations_in(run, &run->tally.functions[i]);

		if (!isnan(one))
			sum = isnan(sum) ? one : sum + one;
	}
	return sum;
}

static double wall_of_program(const struct run *run)
{
	return number(run->end, "wall_ns");
}

static double cpu_of_program(const struct run *run)
{
	return number(run->end, "user_ns") + number(run->end, "system_ns");
}

static double calls_of_program(const struct run *run)
{
	double calls = run->tally.n > 0 ? (double)run->tally.calls : 0;

	for (size_t i = 0; run->tally.n == 0 && i < run->n_locations; i++)
		calls += run->sums[i] ? (double)run->sums[i]->count : 0;
	return calls > 0 ? calls : NAN;
}

static double instructions_of_program(const struct run *run)
{
	return run->tally.n > 0 ? (double)run->tally.instructions : counter(run, "instructions");
}

static double blocks_of_program(const struct run *run)
{
	return run->tally.n > 0 ? (double)run->tally.executions : NAN;
}

static const struct y {
	const char *name;
	enum rarog_cost_unit unit;
	double (*function)(const struct run *run, uint32_t location);
	double (*program)(const struct run *run); /* NULL: the same as another row */
} ys[] = {
	{ "wall", RAROG_UNIT_NS, wall_of, wall_of_program },
	{ "exclusive", RAROG_UNIT_NS, exclusive_of, NULL },
	{ "cpu", RAROG_UNIT_NS, cpu_of, cpu_of_program },
	{ "calls", RAROG_UNIT_COUNT, calls_of, calls_of_program },
	{ "instructions", RAROG_UNIT_COUNT, instructions_of, instructions_of_program },
	{ "blocks", RAROG_UNIT_COUNT, blocks_of, blocks_of_program },
	{ "iterations", RAROG_UNIT_COUNT, iterations_of, iterations_of_program },
};

#define Y_WALL         (&ys[0])
#define Y_INSTRUCTIONS (&ys[4])

/* NULL: it is a counter, or another amount of the run */
static const struct y *find_y(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(ys); i++)
		if (strcmp(ys[i].name, name) == 0)
			return &ys[i];
	return NULL;
}

static double amount_of_program(const struct run *run, const char *name)
{
	double amount = number(run->end, name);

	return isfinite(amount) ? amount : counter(run, name);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static enum rarog_cost_unit unit_of(const char *amount)
{
	if (ends_in(amount, "_ns") || strcmp(amount, "task-clock") == 0)
		return RAROG_UNIT_NS;
	return ends_in(amount, "_bytes") ? RAROG_UNIT_BYTES : RAROG_UNIT_COUNT;
}

/* --- x --- */

const char *rarog_cost_option(const char *x)
{
	return x && strncmp(x, RAROG_COST_OPTION, strlen(RAROG_COST_OPTION)) == 0
		       ? x + strlen(RAROG_COST_OPTION)
		       : NULL;
}

static bool is_over_runs(const char *x)
{
	return strcmp(x, RAROG_COST_WORKLOAD) == 0 || rarog_cost_option(x);
}

/* All of them, or none. */
static int are_of_runs(const struct rarog_cost_request *request)
{
	bool is_first = is_over_runs(request->variables[0]);

	for (size_t i = 1; i < request->n_variables; i++)
		if (is_over_runs(request->variables[i]) != is_first)
			return rarog_fail(
				-EINVAL,
				"--x: %s is of a run and %s of its calls, so they make no "
				"points together",
				request->variables[is_first ? 0 : i],
				request->variables[is_first ? i : 0]);
	return is_first;
}

int rarog_costs_are_over_runs(size_t n, struct rarog_profile *const profiles[],
			      const struct rarog_cost_request *request)
{
	double first = 0;
	bool are_several = false;

	if (request->n_variables > 0)
		return are_of_runs(request);
	if (request->x)
		return is_over_runs(request->x);
	for (size_t i = 0; i < n; i++) {
		rarog_cleanup(rarog_facts_release) struct rarog_facts facts = { 0 };
		int r = rarog_facts_of(profiles[i], &facts);

		if (r < 0)
			return r;
		if (!facts.job.has_number)
			return 0;
		are_several |= i > 0 && facts.job.number != first;
		first = facts.job.number;
	}
	return are_several;
}

static int x_of_option(const struct run *run, const char *name, double *ret_x)
{
	rarog_cleanup(rarog_configuration_release) struct rarog_configuration options = { 0 };
	int r = rarog_configuration_parse(&options, run->facts.job.configuration);

	if (r < 0 || rarog_configuration_number(&options, name, ret_x))
		return r;
	return rarog_fail(-EINVAL,
			  rarog_configuration_get(&options, name)
				  ? "%s: the value of its option %s is no number"
				  : "%s: it has no option %s; options of a job and rarog collect "
				    "--option say with which it is measured",
			  rarog_profile_path(run->profile), name);
}

static int x_of(const struct run *run, const char *x, double *ret_x)
{
	const char *option = rarog_cost_option(x);

	if (option)
		return x_of_option(run, option, ret_x);
	if (!run->facts.job.has_number)
		return rarog_fail(-EINVAL,
				  "%s: its workload has no number; a generator of workloads in "
				  ".rarog.yml gives one, and rarog run keeps it",
				  rarog_profile_path(run->profile));
	*ret_x = run->facts.job.number;
	return 0;
}

/* --- points --- */

/* The program is the first of the list. */
static struct rarog_costing *program_of(struct rarog_cost_reading *reading)
{
	struct rarog_costing program = { 0 };

	if (reading->costs->list.n > 0)
		return &reading->costs->list.v[0];
	program.name = strdup("program");
	if (!program.name || rarog_vec_push(&reading->costs->list, program) < 0) {
		free(program.name);
		return NULL;
	}
	return &reading->costs->list.v[0];
}

static int set_x(struct rarog_costing *cost, const char *x)
{
	if (!cost->x)
		cost->x = strdup(x);
	return cost->x ? 0 : rarog_oom();
}

/* What runs have as x. */
struct place {
	const struct rarog_cost_reading *reading;
	const char *name;
	double x[RAROG_NORMAL_VARIABLES];
};

static int add_point(struct rarog_costing *cost, const struct place *place, double y)
{
	int r = set_x(cost, place->name);

	if (r < 0 || isnan(y))
		return r;
	return place->reading->request->n_variables > 0
		       ? rarog_cost_add_row(place->reading, cost, place->x, y)
		       : rarog_cost_add(cost, place->x[0], y);
}

/* Runs of the same program made beside this one without probes; 0: there are none. */
static int add_untraced(const struct run *run, const struct y *y, struct rarog_costing *cost,
			const struct place *place)
{
	const json_t *untraced = json_object_get(run->facts.header, "untraced");
	size_t n = y && y->unit == RAROG_UNIT_NS ? json_array_size(untraced) : 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct run beside = { .end = json_array_get(untraced, i) };

		r = add_point(cost, place, y->program(&beside));
	}
	return r < 0 ? r : n > 0;
}

static int add_program(const struct run *run, struct rarog_cost_reading *reading,
		       const struct place *place)
{
	const struct y *y = find_y(reading->costs->y);
	struct rarog_costing *cost;
	int r;

	if (y && !y->program)
		return 0;
	cost = program_of(reading);
	if (!cost)
		return rarog_oom();
	r = add_untraced(run, y, cost, place);
	if (r != 0)
		return r < 0 ? r : 0;
	return add_point(cost, place,
			 y ? y->program(run) : amount_of_program(run, reading->costs->y));
}

static int gather_functions(const struct run *run, const struct y *y,
			    struct rarog_cost_reading *reading)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < run->n_locations; i++) {
		double amount = y->function(run, i), calls = calls_of(run, i);
		struct rarog_costing *cost = NULL;

		if (!isnan(amount) && calls > 0)
			cost = rarog_cost_find(reading, &run->locations[i], &r);
		if (!cost)
			continue;
		cost->amount += amount;
		cost->calls += calls;
	}
	return r;
}

static int add_functions(const struct run *run, struct rarog_cost_reading *reading,
			 const struct place *place)
{
	const struct y *y = find_y(reading->costs->y);
	int r = y ? gather_functions(run, y, reading) : 0;

	for (size_t i = 0; r == 0 && i < reading->costs->list.n; i++) {
		struct rarog_costing *cost = &reading->costs->list.v[i];

		if (cost->calls > 0)
			r = add_point(cost, place,
				      cost->amount /
					      (reading->request->is_per_call ? cost->calls : 1));
		cost->amount = cost->calls = 0;
	}
	return r;
}

static bool are_all_meant(const struct rarog_cost_request *request)
{
	return request->functions->include.n == 0;
}

static int add_run(const struct run *run, struct rarog_cost_reading *reading)
{
	const struct rarog_cost_request *request = reading->request;
	struct place place = { .reading = reading,
			       .name = request->x ? request->x : RAROG_COST_WORKLOAD };
	int r = request->n_variables > 0 ? 0 : x_of(run, request->x, &place.x[0]);

	for (size_t i = 0; r == 0 && i < request->n_variables; i++)
		r = x_of(run, request->variables[i], &place.x[i]);
	if (r == 0 && are_all_meant(request) && !request->is_per_call)
		r = add_program(run, reading, &place);
	return r < 0 ? r : add_functions(run, reading, &place);
}

/* Instructions if all runs know them. */
static int choose_y(size_t n, struct rarog_profile *const profiles[],
		    struct rarog_cost_reading *reading)
{
	const struct y *y = Y_INSTRUCTIONS;
	int r = 0;

	for (size_t i = 0; r == 0 && !reading->request->y && i < n; i++) {
		rarog_cleanup(run_release) struct run run = { 0 };

		r = open_run(profiles[i], &run);
		if (r == 0 && !(instructions_of_program(&run) > 0 &&
				(run.tally.n > 0 || are_all_meant(reading->request))))
			y = Y_WALL;
	}
	reading->costs->y = reading->request->y ? reading->request->y : y->name;
	y = find_y(reading->costs->y);
	reading->costs->unit = y ? y->unit : unit_of(reading->costs->y);
	return r;
}

static int lacks_y(const struct rarog_costs *costs, const struct rarog_profile *profile)
{
	return rarog_fail(-ENODATA,
			  "%s: it knows no %s; what a profile knows is in rarog show: wall, cpu, "
			  "calls, exclusive, instructions, blocks, iterations (of loops), or a "
			  "counter of the run",
			  rarog_profile_path(profile), costs->y);
}

int rarog_costs_of_runs(size_t n, struct rarog_profile *const profiles[],
			struct rarog_cost_reading *reading)
{
	int r = choose_y(n, profiles, reading);

	for (size_t i = 0; r == 0 && i < n; i++) {
		rarog_cleanup(run_release) struct run run = { 0 };

		r = open_run(profiles[i], &run);
		if (r == 0)
			r = add_run(&run, reading);
	}
	for (size_t i = 0; r == 0 && i < reading->costs->list.n; i++)
		if (reading->costs->list.v[i].points.seen + reading->costs->list.v[i].rows.n > 0)
			return 0;
	return r < 0 || !are_all_meant(reading->request) ? r : lacks_y(reading->costs, profiles[0]);
}
