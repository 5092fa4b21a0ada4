/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A point for each run: x comes from its header, or is what loops of the function did in it; y is
 * what the function, or the whole program, took. The program's own times are those of runs without
 * probes where the header has such runs.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/costs-own.h"
#include "model/costs-run.h"
#include "store/configuration.h"

/* --- x --- */

const char *rarog_cost_option(const char *x)
{
	return x && strncmp(x, RAROG_COST_OPTION, strlen(RAROG_COST_OPTION)) == 0
		       ? x + strlen(RAROG_COST_OPTION)
		       : NULL;
}

static bool is_over_runs(const char *x)
{
	uint32_t line;

	return strcmp(x, RAROG_COST_WORKLOAD) == 0 || rarog_cost_option(x) ||
	       rarog_cost_is_iterations(x, &line);
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

static int x_of_option(const struct rarog_cost_run *run, const char *name, double *ret_x)
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

static int x_of_workload(const struct rarog_cost_run *run, double *ret_x)
{
	if (!run->facts.job.has_number)
		return rarog_fail(-EINVAL,
				  "%s: its workload has no number; a generator of workloads in "
				  ".rarog.yml gives one, and rarog run keeps it",
				  rarog_profile_path(run->profile));
	*ret_x = run->facts.job.number;
	return 0;
}

/* What runs have as x. */
struct place {
	const struct rarog_cost_reading *reading;
	const char *name;
	size_t n;
	struct rarog_cost_amount
		of[RAROG_NORMAL_VARIABLES]; /* iterations: each function has its own */
	double x[RAROG_NORMAL_VARIABLES];   /* then the program's */
};

static int x_of_loops(const struct rarog_cost_run *run, const struct rarog_cost_amount *amount,
		      double *ret_x)
{
	if (run->tally.n_edges == 0)
		return rarog_fail(-ENODATA,
				  "%s: its loops were not counted; rarog collect blocks --engine "
				  "rewrite, or trace --engine vex, counts those of a program as it "
				  "is",
				  rarog_profile_path(run->profile));
	*ret_x = rarog_cost_of_program(run, amount);
	return 0;
}

static int add_x(const struct rarog_cost_run *run, const char *x, struct place *place)
{
	const char *option = rarog_cost_option(x);
	struct rarog_cost_amount *amount = &place->of[place->n];
	double *to = &place->x[place->n++];

	*amount = rarog_cost_amount(x ? x : RAROG_COST_WORKLOAD);
	if (amount->is_iterations)
		return x_of_loops(run, amount, to);
	return option ? x_of_option(run, option, to) : x_of_workload(run, to);
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

/* @x: of the function, or the program */
static int add_point(struct rarog_costing *cost, const struct place *place, const double x[],
		     double y)
{
	int r = set_x(cost, place->name);

	for (size_t i = 0; i < place->n; i++)
		cost->has_loop |= place->of[i].is_iterations && x[i] > 0;
	if (r < 0 || isnan(y))
		return r;
	return place->reading->request->n_variables > 0
		       ? rarog_cost_add_row(place->reading, cost, x, y)
		       : rarog_cost_add(cost, x[0], y);
}

/* Runs of the same program made beside this one without probes; 0: there are none. */
static int add_untraced(const struct rarog_cost_run *run, const struct rarog_cost_amount *y,
			struct rarog_costing *cost, const struct place *place)
{
	const json_t *untraced = json_object_get(run->facts.header, "untraced");
	size_t n = y->row && y->unit == RAROG_UNIT_NS ? json_array_size(untraced) : 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		struct rarog_cost_run beside = { .end = json_array_get(untraced, i) };

		r = add_point(cost, place, place->x, rarog_cost_of_program(&beside, y));
	}
	return r < 0 ? r : n > 0;
}

static int add_program(const struct rarog_cost_run *run, struct rarog_cost_reading *reading,
		       const struct place *place)
{
	const struct rarog_cost_amount y = rarog_cost_amount(reading->costs->y);
	struct rarog_costing *cost;
	int r;

	if (!rarog_cost_amount_has_program(&y))
		return 0;
	cost = program_of(reading);
	if (!cost)
		return rarog_oom();
	r = add_untraced(run, &y, cost, place);
	if (r != 0)
		return r < 0 ? r : 0;
	return add_point(cost, place, place->x, rarog_cost_of_program(run, &y));
}

static bool are_least(const struct rarog_cost_run *run, const struct place *place,
		      const struct rarog_cost_amount *y, uint32_t location)
{
	bool are = rarog_cost_is_least(run, y, location);

	for (size_t v = 0; !are && v < place->n; v++)
		are = rarog_cost_is_least(run, &place->of[v], location);
	return are;
}

static void gather(const struct rarog_cost_run *run, const struct place *place, uint32_t location,
		   const struct rarog_cost_amount *y, double amount, struct rarog_costing *cost)
{
	cost->is_least |= are_least(run, place, y, location);
	cost->amount += amount;
	cost->calls += rarog_cost_calls_of(run, location);
	for (size_t v = 0; v < place->n; v++)
		if (place->of[v].is_iterations)
			cost->iterations[v] += rarog_cost_of_function(run, &place->of[v], location);
}

static int note_unknown(const struct place *place, const char *why, struct rarog_costing *cost)
{
	cost->n_unknown++;
	cost->why_unknown = why;
	return set_x(cost, place->name);
}

static int gather_functions(const struct rarog_cost_run *run, const struct place *place,
			    struct rarog_cost_reading *reading)
{
	const struct rarog_cost_amount y = rarog_cost_amount(reading->costs->y);
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < run->n_locations; i++) {
		double amount = rarog_cost_of_function(run, &y, i);
		const char *why = rarog_cost_why_unknown(run, &y, i);
		struct rarog_costing *cost = NULL;

		if ((!isnan(amount) || why) && rarog_cost_calls_of(run, i) > 0)
			cost = rarog_cost_find(reading, &run->locations[i], &r);
		if (cost && why)
			r = note_unknown(place, why, cost);
		else if (cost)
			gather(run, place, i, &y, amount, cost);
	}
	return r;
}

static int add_function(struct rarog_costing *cost, const struct place *place)
{
	double parts = place->reading->request->is_per_call ? cost->calls : 1;
	double x[RAROG_NORMAL_VARIABLES] = { 0 };

	for (size_t v = 0; v < place->n; v++)
		x[v] = place->of[v].is_iterations ? cost->iterations[v] / parts : place->x[v];
	return add_point(cost, place, x, cost->amount / parts);
}

static int add_functions(const struct rarog_cost_run *run, struct rarog_cost_reading *reading,
			 const struct place *place)
{
	int r = gather_functions(run, place, reading);

	for (size_t i = 0; r == 0 && i < reading->costs->list.n; i++) {
		struct rarog_costing *cost = &reading->costs->list.v[i];

		if (cost->calls > 0)
			r = add_function(cost, place);
		cost->amount = cost->calls = 0;
		memset(cost->iterations, 0, sizeof(cost->iterations));
		if (!reading->costs->list.v[0].mangled) /* the program has those of all */
			reading->costs->list.v[0].is_least |= cost->is_least;
	}
	return r;
}

static bool are_all_meant(const struct rarog_cost_request *request)
{
	return request->functions->include.n == 0;
}

static int add_run(const struct rarog_cost_run *run, struct rarog_cost_reading *reading)
{
	const struct rarog_cost_request *request = reading->request;
	struct place place = { .reading = reading,
			       .name = request->x ? request->x : RAROG_COST_WORKLOAD };
	int r = request->n_variables > 0 ? 0 : add_x(run, request->x, &place);

	for (size_t i = 0; r == 0 && i < request->n_variables; i++)
		r = add_x(run, request->variables[i], &place);
	if (r == 0 && are_all_meant(request) && !request->is_per_call)
		r = add_program(run, reading, &place);
	return r < 0 ? r : add_functions(run, reading, &place);
}

/* Instructions if all runs know them. */
static int choose_y(size_t n, struct rarog_profile *const profiles[],
		    struct rarog_cost_reading *reading)
{
	const struct rarog_cost_amount instructions = rarog_cost_amount("instructions");
	const char *y = instructions.name;
	int r = 0;

	for (size_t i = 0; r == 0 && !reading->request->y && i < n; i++) {
		rarog_cleanup(rarog_cost_run_release) struct rarog_cost_run run = { 0 };

		r = rarog_cost_run_open(profiles[i], &run);
		if (r == 0 && !(rarog_cost_of_program(&run, &instructions) > 0 &&
				(run.tally.n > 0 || are_all_meant(reading->request))))
			y = "wall";
	}
	reading->costs->y = reading->request->y ? reading->request->y : y;
	reading->costs->unit = rarog_cost_amount(reading->costs->y).unit;
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
		rarog_cleanup(rarog_cost_run_release) struct rarog_cost_run run = { 0 };

		r = rarog_cost_run_open(profiles[i], &run);
		if (r == 0)
			r = add_run(&run, reading);
	}
	for (size_t i = 0; r == 0 && i < reading->costs->list.n; i++)
		if (reading->costs->list.v[i].points.seen + reading->costs->list.v[i].rows.n +
			    reading->costs->list.v[i].n_unknown >
		    0)
			return 0;
	return r < 0 || !are_all_meant(reading->request) ? r : lacks_y(reading->costs, profiles[0]);
}
