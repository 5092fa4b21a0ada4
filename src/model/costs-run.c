/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/costs-run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "blocks/loops.h"
#include "profile/measured.h"

void rarog_cost_run_release(struct rarog_cost_run *run)
{
	rarog_facts_release(&run->facts);
	rarog_off_cpu_table_release(&run->off_cpu);
	rarog_tally_release(&run->tally);
	free(run->sums);
	free(run->no_total);
	free(run->no_exclusive);
	free(run->off);
	free(run->counts);
}

static int find_unknown(struct rarog_cost_run *run, struct rarog_profile *profile)
{
	int r = rarog_total_unknown(profile, &run->no_total);

	if (r >= 0)
		r = rarog_exclusive_unknown(profile, &run->no_exclusive);
	if (r >= 0)
		r = rarog_off_at_times(profile, &run->off);
	return r < 0 ? r : 0;
}

static int index_sums(struct rarog_cost_run *run)
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

static int index_counts(struct rarog_cost_run *run)
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

int rarog_cost_run_open(struct rarog_profile *profile, struct rarog_cost_run *run)
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
		r = find_unknown(run, profile);
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

static double counter(const struct rarog_cost_run *run, const char *name)
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
static const struct rarog_summary *timed(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_summary *sum = run->sums[location];

	return sum && sum->timed > 0 && sum->total > 0 && run->tally.n == 0 ? sum : NULL;
}

/* What is known of a function that was off at times is the least. */
static bool has_total(const struct rarog_cost_run *run, uint32_t location)
{
	return !run->no_total[location] && !run->off[location];
}

static double wall_of(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_summary *sum = timed(run, location);

	return sum && has_total(run, location) ? (double)sum->total * run->ns_per_tick : NAN;
}

static double exclusive_of(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_summary *sum = timed(run, location);

	return sum && !run->no_exclusive[location] ? (double)sum->exclusive * run->ns_per_tick
						   : NAN;
}

static double cpu_of(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_off_cpu_table *table = &run->off_cpu;
	const struct rarog_summary *sum = timed(run, location);
	const struct rarog_off_cpu *away;

	if (!sum || !has_total(run, location) || !table->is_known || location >= table->n_locations)
		return NAN;
	away = &table->over[location];
	if (away->is_unknown)
		return NAN;
	return run->ns_per_tick *
	       (double)rarog_cpu_ticks(sum->total, away->total_waited, away->total_preempted);
}

static const struct rarog_tally_function *counted(const struct rarog_cost_run *run,
						  uint32_t location)
{
	return run->counts[location];
}

double rarog_cost_calls_of(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_summary *sum = run->sums[location];
	const struct rarog_tally_function *function = counted(run, location);

	return function ? (double)function->calls : sum ? (double)sum->count : NAN;
}

static double known_calls_of(const struct rarog_cost_run *run, uint32_t location)
{
	return run->off[location] ? NAN : rarog_cost_calls_of(run, location);
}

static double instructions_of(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_tally_function *function = counted(run, location);

	return function ? (double)function->instructions : NAN;
}

static double blocks_of(const struct rarog_cost_run *run, uint32_t location)
{
	const struct rarog_tally_function *function = counted(run, location);

	return function ? (double)function->executions : NAN;
}

/* At @line of the function's own file, not of one that it includes; 0: any. */
static bool is_loop_at(const struct rarog_loop *loop, uint32_t line)
{
	return line == 0 || (loop->line == line && !loop->file);
}

/* Of all loops of @line, 0: of all, inner ones too. NAN: no memory. */
static double rounds_in(const struct rarog_cost_run *run,
			const struct rarog_tally_function *function, uint32_t line,
			bool *ret_is_least)
{
	rarog_cleanup(rarog_loops_release) struct rarog_loops loops = { 0 };
	double sum = 0;

	*ret_is_least = false;
	if (rarog_loops_find(&run->tally, function, &loops) < 0)
		return NAN;
	for (size_t i = 0; i < loops.list.n; i++) {
		const struct rarog_loop *loop = &loops.list.v[i];

		if (!is_loop_at(loop, line))
			continue;
		sum += (double)loop->iterations;
		*ret_is_least |= loop->is_irreducible && loop->iterations > 0;
	}
	return sum;
}

static double iterations_in(const struct rarog_cost_run *run,
			    const struct rarog_tally_function *function, uint32_t line)
{
	bool is_least;

	return rounds_in(run, function, line, &is_least);
}

bool rarog_cost_is_least(const struct rarog_cost_run *run, const struct rarog_cost_amount *amount,
			 uint32_t location)
{
	const struct rarog_tally_function *function = counted(run, location);
	bool is_least = false;

	if (amount->is_iterations && function)
		(void)rounds_in(run, function, amount->line, &is_least);
	return is_least;
}

static double iterations_of(const struct rarog_cost_run *run, uint32_t location, uint32_t line)
{
	const struct rarog_tally_function *function = counted(run, location);

	return function ? iterations_in(run, function, line) : NAN;
}

static double iterations_of_program(const struct rarog_cost_run *run, uint32_t line)
{
	double sum = NAN;

	for (size_t i = 0; i < run->tally.n; i++) {
		double one = iterations_in(run, &run->tally.functions[i], line);

		if (!isnan(one))
			sum = isnan(sum) ? one : sum + one;
	}
	return sum;
}

static double wall_of_program(const struct rarog_cost_run *run)
{
	return number(run->end, "wall_ns");
}

static double cpu_of_program(const struct rarog_cost_run *run)
{
	return number(run->end, "user_ns") + number(run->end, "system_ns");
}

static double calls_of_program(const struct rarog_cost_run *run)
{
	double calls = run->tally.n > 0 ? (double)run->tally.calls : 0;

	for (size_t i = 0; run->tally.n == 0 && i < run->n_locations; i++)
		calls += run->sums[i] ? (double)run->sums[i]->count : 0;
	return calls > 0 ? calls : NAN;
}

static double instructions_of_program(const struct rarog_cost_run *run)
{
	return run->tally.n > 0 ? (double)run->tally.instructions : counter(run, "instructions");
}

static double blocks_of_program(const struct rarog_cost_run *run)
{
	return run->tally.n > 0 ? (double)run->tally.executions : NAN;
}

static const char *why_no_total(const struct rarog_cost_run *run, uint32_t location)
{
	return run->off[location] ? "it was off at times, so it took more than is known"
	       : run->no_total[location]
		       ? "it calls itself, and not every call was recorded, so its total is not "
			 "known"
		       : NULL;
}

static const char *why_no_exclusive(const struct rarog_cost_run *run, uint32_t location)
{
	return run->no_exclusive[location] ? "not every call of it, or of what it calls, was "
					     "recorded, so its exclusive time is not known"
					   : NULL;
}

static const char *why_no_calls(const struct rarog_cost_run *run, uint32_t location)
{
	return run->off[location] ? "it was off at times, so there were more calls than are known"
				  : NULL;
}

static const struct rarog_cost_row {
	const char *name;
	enum rarog_cost_unit unit;
	double (*function)(const struct rarog_cost_run *run, uint32_t location);
	double (*program)(const struct rarog_cost_run *run); /* NULL: the same as another row */
	const char *(*why)(const struct rarog_cost_run *run, uint32_t location);
} rows[] = {
	{ "wall", RAROG_UNIT_NS, wall_of, wall_of_program, why_no_total },
	{ "exclusive", RAROG_UNIT_NS, exclusive_of, NULL, why_no_exclusive },
	{ "cpu", RAROG_UNIT_NS, cpu_of, cpu_of_program, why_no_total },
	{ "calls", RAROG_UNIT_COUNT, known_calls_of, calls_of_program, why_no_calls },
	{ "instructions", RAROG_UNIT_COUNT, instructions_of, instructions_of_program, NULL },
	{ "blocks", RAROG_UNIT_COUNT, blocks_of, blocks_of_program, NULL },
};

const char *rarog_cost_why_unknown(const struct rarog_cost_run *run,
				   const struct rarog_cost_amount *amount, uint32_t location)
{
	return amount->row && amount->row->why ? amount->row->why(run, location) : NULL;
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

/* "iterations", "iterations:LINE" */
bool rarog_cost_is_iterations(const char *amount, uint32_t *ret_line)
{
	size_t n = strlen(RAROG_COST_ITERATIONS), digits;

	if (!amount || strncmp(amount, RAROG_COST_ITERATIONS, n) != 0)
		return false;
	if (!amount[n])
		return true;
	digits = strspn(amount + n + 1, "0123456789");
	if (amount[n] != ':' || digits == 0 || digits > 9 || amount[n + 1 + digits])
		return false;
	*ret_line = (uint32_t)strtoul(amount + n + 1, NULL, 10);
	return true;
}

struct rarog_cost_amount rarog_cost_amount(const char *name)
{
	struct rarog_cost_amount amount = { .name = name, .unit = unit_of(name) };

	amount.is_iterations = rarog_cost_is_iterations(name, &amount.line);
	for (size_t i = 0; i < RAROG_COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0) {
			amount.row = &rows[i];
			amount.unit = rows[i].unit;
		}
	return amount;
}

bool rarog_cost_amount_has_functions(const struct rarog_cost_amount *amount)
{
	return amount->row || amount->is_iterations;
}

bool rarog_cost_amount_has_program(const struct rarog_cost_amount *amount)
{
	return !amount->row || amount->row->program;
}

double rarog_cost_of_function(const struct rarog_cost_run *run,
			      const struct rarog_cost_amount *amount, uint32_t location)
{
	if (amount->is_iterations)
		return iterations_of(run, location, amount->line);
	return amount->row ? amount->row->function(run, location) : NAN;
}

static double amount_in_header(const struct rarog_cost_run *run, const char *name)
{
	double amount = number(run->end, name);

	return isfinite(amount) ? amount : counter(run, name);
}

double rarog_cost_of_program(const struct rarog_cost_run *run,
			     const struct rarog_cost_amount *amount)
{
	if (amount->is_iterations)
		return iterations_of_program(run, amount->line);
	return amount->row ? amount->row->program(run) : amount_in_header(run, amount->name);
}
