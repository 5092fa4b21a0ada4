/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would be gained is a part of what a function takes of the run. One run alone may be off by
 * some hundredths, and nothing tells by how much; and a traced run has in it what rarog does before
 * the program begins, which is some hundredths of a short one.
 */
#include "blow/function-times.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "blow/input.h"
#include "blow/whole-run.h"
#include "process/untraced.h"

#define MOST          8 /* pairs of a run without rarog and a traced one, with the first traced one */
#define LEAST         3      /* … that tell how far times may be off */
#define PART          0.1    /* of the budget */
#define MEDIAN        1.2533 /* how much further off a median is than a mean, of normal errors */
#define TIMEOUT_TIMES 10
#define TIMEOUT_LEAST 10000000000ull

enum { SELF, WAITED, EXCLUSIVE, TOTAL, KINDS };

/* A function in one traced run. */
struct seen {
	bool is_there;
	double ns[KINDS];
};

/* As many runs without rarog as traced ones, each with all functions. */
struct times {
	size_t n_functions;
	RAROG_VEC(double) runs;   /* what each took, … */
	RAROG_VEC(double) cpu;    /* … and of processors */
	RAROG_VEC(double) traced; /* of processors, all functions together */
	RAROG_VEC(struct seen) functions;
};

/* --- runs --- */

static struct seen see(const struct rarog_blow_function *f)
{
	return (struct seen){ true,
			      { [SELF] = (double)f->self_ns,
				[WAITED] = (double)f->waited_ns,
				[EXCLUSIVE] = (double)f->exclusive_ns,
				[TOTAL] = (double)f->total_ns } };
}

static int add_functions(struct times *times, const struct rarog_blow_corpus *wanted,
			 const struct rarog_blow_corpus *seen)
{
	double sum = 0;
	int r;

	for (size_t i = 0; i < seen->v.n; i++)
		sum += seen->v.v[i].is_mark ? 0 : (double)seen->v.v[i].self_ns;
	r = rarog_vec_push(&times->traced, sum);
	for (size_t i = 0; r == 0 && i < wanted->v.n; i++) {
		const struct rarog_blow_function *f = &wanted->v.v[i];
		const struct rarog_blow_place place = { f->path, f->address,
							f->is_mark ? f->name : NULL };

		f = rarog_blow_corpus_find(seen, &place);
		r = rarog_vec_push(&times->functions, f ? see(f) : (struct seen){ 0 });
	}
	return r < 0 ? rarog_oom() : 0;
}

/* Whatever it takes. */
static struct rarog_blow_choice all_of(const struct rarog_blow_choice *choice)
{
	return (struct rarog_blow_choice){ .by_self = choice->by_self,
					   .at = choice->at,
					   .regions = choice->regions,
					   .only_marks = choice->only_marks };
}

static int read_functions(const struct rarog_blow_task *task, struct times *times)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_blow_choice all = all_of(&task->options->choice);
	struct rarog_blow_corpus seen = { 0 };
	int r = rarog_profile_open(task->profile, &profile);

	if (r == 0)
		r = rarog_blow_corpus_choose(&seen, profile, &all);
	if (r == 0)
		r = add_functions(times, task->corpus, &seen);
	rarog_blow_corpus_release(&seen);
	return r;
}

/* -ECANCELED: it has ended otherwise than the first one. */
static int trace(const struct rarog_blow_task *task, int status, struct times *times)
{
	bool was_quiet = rarog_log_is_quiet();
	struct rarog_blow_outcome run = { 0 };
	int r;

	rarog_log_set_quiet(true); /* all was said of the first run */
	r = rarog_blow_trace(task, &run);
	rarog_log_set_quiet(was_quiet);
	rarog_stacks_release(&run.stacks);
	r = r < 0 ? r : rarog_blow_check_wanted(task->options);
	if (r == 0 && (run.timed_out || run.status != status))
		r = -ECANCELED;
	return r < 0 ? r : read_functions(task, times);
}

static int run_alone(const struct rarog_blow_task *task, int status, struct times *times)
{
	struct rarog_command_line *command = task->options->command;
	struct rarog_run_result run;
	int r;

	command->timeout_ns = task->timeout_ns;
	command->capture = NULL;
	r = rarog_run_untraced(command, &run);
	r = r < 0 ? r : rarog_blow_check_wanted(task->options);
	if (r == 0 && run.timed_out)
		return rarog_fail(-ETIMEDOUT, "%s: does not end in %s without Rarog",
				  command->argv[0], rarog_format_ns(task->timeout_ns).text);
	if (r == 0 && run.wait_status != status)
		r = -ECANCELED;
	if (r == 0 && (rarog_vec_push(&times->cpu, (double)rarog_run_cpu_ns(&run)) < 0 ||
		       rarog_vec_push(&times->runs, (double)rarog_untraced_wall(&run)) < 0))
		r = rarog_oom();
	return r;
}

static int run_pair(const struct rarog_blow_task *task, long input, int status, bool is_first,
		    struct times *times)
{
	int r;

	rarog_blow_input_rewind(input);
	r = run_alone(task, status, times);
	if (r < 0)
		return r;
	rarog_blow_input_rewind(input);
	r = is_first ? add_functions(times, task->corpus, task->corpus)
		     : trace(task, status, times);
	if (r < 0) /* there are as many of each */
		times->runs.n--, times->cpu.n--;
	return r;
}

/* How many pairs there is time for, if each is as long as twice the first traced run; one without
 * rarog there is in any case. */
static size_t pairs_of(const struct rarog_blow_options *options, uint64_t first_ns)
{
	double most = MOST;

	if (options->budget_runs)
		most = fmin(most, PART / 2 * (double)options->budget_runs);
	if (options->budget_ns)
		most = fmin(most, PART / 2 * (double)options->budget_ns / (double)(first_ns + 1));
	return most < LEAST ? 1 : (size_t)most;
}

static int run_pairs(const struct rarog_blow_task *first, long input, int status, uint64_t first_ns,
		     struct times *times)
{
	size_t n = pairs_of(first->options, first_ns);
	struct rarog_blow_task again = *first;
	uint64_t most_ns = TIMEOUT_LEAST + TIMEOUT_TIMES * first_ns;
	int r = 0;

	again.births = NULL; /* which threads there are was seen in the first one */
	if (again.timeout_ns == 0 || again.timeout_ns > most_ns)
		again.timeout_ns = most_ns;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = run_pair(&again, input, status, i == 0, times);
	if (r == -ECANCELED)
		rarog_warn("%s: ended otherwise in one of the runs that time its functions; no "
			   "more such runs are made",
			   first->options->command->argv[0]);
	return r == -ECANCELED ? 0 : r;
}

/* --- what they say --- */

/* Return: the median; @ret_error: of that, 95 %, as a part of it; 0: not known. */
static double median_of(size_t n, double values[], double *ret_error)
{
	double error = 0, median;

	if (n >= LEAST)
		error = gsl_cdf_tdist_Pinv(0.975, (double)n - 1) * MEDIAN *
			gsl_stats_sd(values, 1, n) / sqrt((double)n);
	median = gsl_stats_median(values, 1, n);
	*ret_error = median > 0 ? error / median : 0;
	return median;
}

static size_t column(const struct times *times, size_t function, int kind, double ret_values[MOST])
{
	size_t n = 0;

	for (size_t at = function; at < times->functions.n; at += times->n_functions)
		if (times->functions.v[at].is_there)
			ret_values[n++] = times->functions.v[at].ns[kind];
	return n;
}

/*
 * Of calls of some nanoseconds compensation leaves a part of what their probes take, so all
 * functions together would have more than the program takes of processors. Return: what times are
 * to be multiplied by; what is missing to 1 is how far they may be off.
 */
static double excess(const struct times *times)
{
	size_t from =
		times->traced.n > 1 ? 1 : 0; /* of the first run those that are chosen are known */
	double ignored, cpu = median_of(times->cpu.n, times->cpu.v, &ignored);
	double all = median_of(times->traced.n - from, times->traced.v + from, &ignored);

	return all > cpu ? cpu / all : 1;
}

static void stretch(struct rarog_blow_function *f, double by)
{
	uint64_t *const times[] = { &f->self_ns, &f->waited_ns, &f->exclusive_ns, &f->total_ns };

	for (size_t i = 0; i < RAROG_COUNT(times); i++)
		*times[i] = (uint64_t)(by * (double)*times[i]);
	f->self_error = hypot(f->self_error, 1 - by);
}

/* A line's time is that of its samples. */
static void take(const struct times *times, size_t function, double run_error,
		 struct rarog_blow_function *f)
{
	uint64_t *const into[KINDS] = { [SELF] = &f->self_ns,
					[WAITED] = &f->waited_ns,
					[EXCLUSIVE] = &f->exclusive_ns,
					[TOTAL] = &f->total_ns };
	double values[MOST], error = 0;

	for (int kind = KINDS; kind-- > 0;) {
		size_t n = column(times, function, kind, values);

		if (n >= LEAST)
			*into[kind] = (uint64_t)median_of(n, values, &error);
	}
	f->self_error = hypot(error, run_error);
}

int rarog_blow_function_times(const struct rarog_blow_task *task, long input, int status,
			      uint64_t first_ns)
{
	struct rarog_blow_corpus *corpus = task->corpus;
	struct times times = { .n_functions = corpus->v.n };
	int r = corpus->v.n > 0 ? run_pairs(task, input, status, first_ns, &times) : 0;
	double run_error = 0, by = 1;

	if (r == 0 && times.runs.n > 0) {
		corpus->traced_ns = (uint64_t)median_of(times.runs.n, times.runs.v, &run_error);
		by = excess(&times);
	}
	for (size_t i = 0; r == 0 && i < corpus->v.n; i++) {
		if (times.runs.n >= LEAST)
			take(&times, i, run_error, &corpus->v.v[i]);
		stretch(&corpus->v.v[i], by);
	}
	rarog_vec_release(&times.runs);
	rarog_vec_release(&times.cpu);
	rarog_vec_release(&times.traced);
	rarog_vec_release(&times.functions);
	return r;
}
