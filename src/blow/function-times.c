/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What would be gained is a part of what a function takes of the run. One run alone may be off by
 * some hundredths, and nothing tells by how much.
 */
#include "blow/function-times.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "blow/input.h"
#include "blow/whole-run.h"

#define MOST   9      /* runs, with the first one */
#define LEAST  3      /* … that tell how far it may be off */
#define PART   0.1    /* of the budget */
#define MEDIAN 1.2533 /* how much further off a median is than a mean, of normal errors */

/* Of each run, of each function: which part of the run it takes. NAN: it is not in it. */
struct parts {
	size_t n_functions;
	RAROG_VEC(double) v;
};

static int add_parts(struct parts *parts, const struct rarog_blow_corpus *wanted,
		     const struct rarog_blow_corpus *seen)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < wanted->v.n; i++) {
		const struct rarog_blow_function *f = &wanted->v.v[i];
		const struct rarog_blow_place place = { f->path, f->address,
							f->is_mark ? f->name : NULL };

		f = rarog_blow_corpus_find(seen, &place);
		r = rarog_vec_push(&parts->v,
				   f ? (double)f->self_ns / (double)seen->traced_ns : NAN);
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

static int read_parts(const struct rarog_blow_task *task, uint64_t run_ns, struct parts *parts)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_blow_choice all = all_of(&task->options->choice);
	struct rarog_blow_corpus seen = { .traced_ns = run_ns };
	int r = rarog_profile_open(task->profile, &profile);

	if (r == 0)
		r = rarog_blow_corpus_choose(&seen, profile, &all);
	if (r == 0)
		r = add_parts(parts, task->corpus, &seen);
	rarog_blow_corpus_release(&seen);
	return r;
}

/* 1: it has ended otherwise. */
static int trace(const struct rarog_blow_task *task, long input, int status, struct parts *parts)
{
	bool was_quiet = rarog_log_is_quiet();
	struct rarog_blow_outcome run = { 0 };
	int r;

	rarog_blow_input_rewind(input);
	rarog_log_set_quiet(true); /* all was said of the first run */
	r = rarog_blow_trace(task, &run);
	rarog_log_set_quiet(was_quiet);
	rarog_stacks_release(&run.stacks);
	if (r == 0)
		r = rarog_blow_check_wanted(task->options);
	if (r == 0 && (run.timed_out || run.status != status || run.time_ns < 1))
		return 1;
	return r < 0 ? r : read_parts(task, (uint64_t)run.time_ns, parts);
}

static size_t runs_of(const struct rarog_blow_options *options)
{
	double most = PART * (double)options->budget_runs;

	return options->budget_runs && most < MOST ? (size_t)most : MOST;
}

static int trace_again(const struct rarog_blow_task *first, long input, int status,
		       struct parts *parts)
{
	struct rarog_blow_task again = *first;
	double most_ns = PART * (double)first->options->budget_ns, longest = 0, taken = 0;
	size_t n = runs_of(first->options);
	int r = add_parts(parts, first->corpus, first->corpus);

	again.births = NULL; /* which threads there are was seen in the first one */
	for (size_t i = 1; r == 0 && i < n && (most_ns == 0 || taken + longest <= most_ns); i++) {
		uint64_t start = rarog_now_ns();

		r = trace(&again, input, status, parts);
		longest = fmax(longest, (double)(rarog_now_ns() - start));
		taken += (double)(rarog_now_ns() - start);
	}
	return r < 0 ? r : 0;
}

static size_t column(const struct parts *parts, size_t function, double ret_values[MOST])
{
	size_t n = 0;

	for (size_t at = function; at < parts->v.n; at += parts->n_functions)
		if (!isnan(parts->v.v[at]))
			ret_values[n++] = parts->v.v[at];
	return n;
}

/* Without the others' time: that of what it calls, and what it waited for. */
static void set_self(struct rarog_blow_function *f, double ns)
{
	uint64_t beside_total = f->total_ns - f->self_ns, beside = f->exclusive_ns - f->self_ns;

	f->self_ns = (uint64_t)ns;
	f->exclusive_ns = f->self_ns + beside;
	f->total_ns = f->self_ns + beside_total;
}

static void take(struct rarog_blow_function *f, double traced_ns, size_t n, double values[])
{
	double error, part;

	if (n < LEAST || f->self_error > 0) /* a line's time is that of its samples */
		return;
	error = gsl_cdf_tdist_Pinv(0.975, (double)n - 1) * MEDIAN * gsl_stats_sd(values, 1, n) /
		sqrt((double)n);
	part = gsl_stats_median(values, 1, n);
	if (part <= 0)
		return;
	set_self(f, part * traced_ns);
	f->self_error = error / part;
}

int rarog_blow_function_times(const struct rarog_blow_task *task, long input, int status)
{
	struct rarog_blow_corpus *corpus = task->corpus;
	struct parts parts = { .n_functions = corpus->v.n };
	int r = corpus->v.n > 0 ? trace_again(task, input, status, &parts) : 0;

	for (size_t i = 0; r == 0 && i < corpus->v.n; i++) {
		double values[MOST];

		take(&corpus->v.v[i], (double)corpus->traced_ns, column(&parts, i, values), values);
	}
	rarog_vec_release(&parts.v);
	return r;
}
