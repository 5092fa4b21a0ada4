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
#include "blow/input.h"
#include "blow/whole-run.h"
#include "process/untraced.h"

#define MOST          8 /* pairs of a run without rarog and a traced one, with the first traced one */
#define LEAST         3      /* … that tell how far times may be off */
#define PART          0.1    /* of the budget */
#define MEDIAN        1.2533 /* how much further off a median is than a mean, of normal errors */
#define TIMEOUT_TIMES 10
#define TIMEOUT_LEAST 10000000000ull

/* What each run took, and of each traced one each function. NAN: it is not in it. */
struct times {
	size_t n_functions;
	RAROG_VEC(double) runs;
	RAROG_VEC(double) functions;
};

/* --- runs --- */

static int add_functions(struct times *times, const struct rarog_blow_corpus *wanted,
			 const struct rarog_blow_corpus *seen)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < wanted->v.n; i++) {
		const struct rarog_blow_function *f = &wanted->v.v[i];
		const struct rarog_blow_place place = { f->path, f->address,
							f->is_mark ? f->name : NULL };

		f = rarog_blow_corpus_find(seen, &place);
		r = rarog_vec_push(&times->functions, f ? (double)f->self_ns : NAN);
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
	command->hangs = NULL;
	r = rarog_run_untraced(command, &run);
	if (r == 0 && (run.timed_out || run.wait_status != status))
		r = -ECANCELED;
	if (r == 0 && rarog_vec_push(&times->runs, (double)rarog_untraced_wall(&run)) < 0)
		r = rarog_oom();
	return r;
}

static int run_pair(const struct rarog_blow_task *task, long input, int status, bool is_first,
		    struct times *times)
{
	int r;

	rarog_blow_input_rewind(input);
	r = run_alone(task, status, times);
	if (r == 0 && is_first)
		return add_functions(times, task->corpus, task->corpus);
	rarog_blow_input_rewind(input);
	r = r < 0 ? r : rarog_blow_check_wanted(task->options);
	return r < 0 ? r : trace(task, status, times);
}

/* How many pairs there is time for, if each is as long as twice the first traced run. */
static size_t pairs_of(const struct rarog_blow_options *options, uint64_t first_ns)
{
	double most = MOST;

	if (options->budget_runs)
		most = fmin(most, PART / 2 * (double)options->budget_runs);
	if (options->budget_ns)
		most = fmin(most, PART / 2 * (double)options->budget_ns / (double)(first_ns + 1));
	return most < LEAST ? 0 : (size_t)most;
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
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = run_pair(&again, input, status, i == 0, times);
		if (r == 0)
			r = rarog_blow_check_wanted(first->options);
	}
	if (r == -ECANCELED)
		rarog_warn("%s: ended otherwise in one of the runs that time its functions; what "
			   "was seen until then is taken",
			   first->options->command->argv[0]);
	return r == -ECANCELED ? 0 : r;
}

/* --- what they say --- */

/* Return: the median; @ret_error: of that, 95 %, as a part of it. */
static double median_of(size_t n, double values[], double *ret_error)
{
	double error = gsl_cdf_tdist_Pinv(0.975, (double)n - 1) * MEDIAN *
		       gsl_stats_sd(values, 1, n) / sqrt((double)n);
	double median = gsl_stats_median(values, 1, n);

	*ret_error = median > 0 ? error / median : 0;
	return median;
}

static size_t column(const struct times *times, size_t function, double ret_values[MOST])
{
	size_t n = 0;

	for (size_t at = function; at < times->functions.n; at += times->n_functions)
		if (!isnan(times->functions.v[at]))
			ret_values[n++] = times->functions.v[at];
	return n;
}

static void stretch(uint64_t *ns, double by)
{
	*ns = (uint64_t)((double)*ns * by);
}

/* A line's time is that of its samples. */
static void take(struct rarog_blow_function *f, double run_error, size_t n, double values[])
{
	double ns, error, by;

	if (n < LEAST || f->self_ns == 0 || f->self_error > 0)
		return;
	ns = median_of(n, values, &error);
	by = ns / (double)f->self_ns;
	stretch(&f->self_ns, by);
	stretch(&f->waited_ns, by);
	stretch(&f->exclusive_ns, by);
	stretch(&f->total_ns, by);
	f->self_error = hypot(error, run_error);
}

int rarog_blow_function_times(const struct rarog_blow_task *task, long input, int status,
			      uint64_t first_ns)
{
	struct rarog_blow_corpus *corpus = task->corpus;
	struct times times = { .n_functions = corpus->v.n };
	int r = corpus->v.n > 0 ? run_pairs(task, input, status, first_ns, &times) : 0;
	double values[MOST], run_error;

	if (r == 0 && times.runs.n >= LEAST) {
		corpus->traced_ns = (uint64_t)median_of(times.runs.n, times.runs.v, &run_error);
		for (size_t i = 0; i < corpus->v.n; i++)
			take(&corpus->v.v[i], run_error, column(&times, i, values), values);
	}
	rarog_vec_release(&times.runs);
	rarog_vec_release(&times.functions);
	return r;
}
