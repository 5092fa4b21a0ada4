/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blow/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "blow/baseline.h"
#include "blow/function-times.h"
#include "blow/input.h"
#include "blow/line-times.h"
#include "blow/log.h"
#include "blow/other-times.h"
#include "blow/progress-point.h"
#include "blow/timeout.h"
#include "blow/whole-run.h"

void rarog_blow_session_release(struct rarog_blow_session *s)
{
	rarog_random_free(s->random);
	rarog_scratch_folder_remove(&s->scratch);
	rarog_blow_journal_close(s->journal);
	rarog_blow_creators_free(s->births.creators);
	rarog_vec_release(&s->births.v);
}

/* --- one run --- */

/* Of all runs, by their number; NULL: nothing is known of its threads. */
static int keep_times(struct rarog_blow_session *s, const double thread_ns[])
{
	struct rarog_blow_threads *threads = &s->result->threads;
	int r = 0;

	while (r == 0 && s->result->times.n < s->result->runs * threads->v.n)
		r = rarog_vec_push(&s->result->times, NAN);
	for (size_t i = 0; r == 0 && i < threads->v.n; i++) {
		r = rarog_vec_push(&s->result->times, thread_ns ? thread_ns[i] : NAN);
		threads->v.v[i].matched += thread_ns && !isnan(thread_ns[i]);
		threads->v.v[i].unmatched += thread_ns && isnan(thread_ns[i]);
	}
	return r < 0 ? rarog_oom() : 0;
}

int rarog_blow_session_run(struct rarog_blow_session *s, enum rarog_blow_what what,
			   struct rarog_blow_function *own, struct rarog_blow_outcome *ret_outcome)
{
	const struct rarog_blow_task task = {
		.options = s->options,
		.corpus = &s->result->corpus,
		.points = &s->result->points,
		.threads = &s->result->threads,
		.births = &s->births,
		.what = what,
		.own = own,
		.timeout_ns = rarog_blow_timeout(s->options, s->result, s->least_ns, own),
		.profile = s->profile,
		.output = s->options->compares_output ? s->output : NULL,
	};
	uint64_t start_ns = rarog_now_ns();
	int r = s->journal ? rarog_blow_journal_run(s->journal, &task, ret_outcome) : 0;

	s->result->runs++;
	ret_outcome->thread_ns = r > 0 ? ret_outcome->thread_ns : NULL;
	if (r != 0) {
		s->result->resumed++;
	} else {
		r = rarog_blow_whole_run(s->live, s->input, &task, &s->result->spoilt, ret_outcome);
		ret_outcome->taken_ns = rarog_now_ns() - start_ns;
		/* a program that hangs is not the one that is gone on with */
		if (r == 0 && s->journal && !ret_outcome->hung_by)
			r = rarog_blow_journal_put_run(s->journal, &task, ret_outcome);
	}
	ret_outcome->what = what;
	if (r >= 0)
		rarog_blow_log_run(&task, ret_outcome, s->result, rarog_now_ns() - s->start_ns);
	s->result->starved += (ret_outcome->starved - s->result->starved) / (double)s->result->runs;
	if (r >= 0)
		r = keep_times(s, ret_outcome->thread_ns);
	if (r >= 0)
		r = rarog_blow_keep_record(s->result, ret_outcome->time_ns, ret_outcome->passes);
	free(ret_outcome->thread_ns);
	return r < 0 ? r : 0;
}

/* --- the traced run --- */

static bool is_auto(const struct rarog_blow_options *options)
{
	return options->points.n == 1 &&
	       strcmp(options->points.v[0], RAROG_BLOW_PROGRESS_AUTO) == 0;
}

static int choose_point(struct rarog_blow_session *s, struct rarog_profile *profile)
{
	rarog_cleanup(rarog_freep) char *name = NULL;
	uint64_t passes = 0;
	int r = rarog_blow_progress_choose(profile, &name);

	if (r == 0 && name)
		r = rarog_blow_count_passes(s->profile, name, &passes);
	if (r == 0 && name)
		return rarog_blow_points_add(&s->result->points, name, passes);
	if (r == 0 && s->options->attachment)
		return rarog_fail(
			-ENODATA,
			"%s: no function is called again and again for most of the time; name one "
			"by --progress, and give the program work meanwhile",
			s->options->command->argv[0]);
	if (r == 0)
		rarog_warn("%s: no function is called again and again for most of the time, so the "
			   "whole run is measured",
			   s->options->command->argv[0]);
	return r;
}

static int trace_once(struct rarog_blow_session *s)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_blow_task task = {
		.options = s->options,
		.corpus = &s->result->corpus,
		.points = &s->result->points,
		.births = &s->births,
		.timeout_ns = s->options->attachment ? 0 : rarog_blow_first_timeout(s->options),
		.profile = s->profile,
		.output = s->options->compares_output ? s->output : NULL,
	};
	uint64_t start_ns = rarog_now_ns(), first_ns;
	struct rarog_blow_outcome run = { 0 };
	int r = rarog_blow_trace(&task, &run);

	first_ns = rarog_now_ns() - start_ns;
	rarog_stacks_release(&run.stacks);
	r = r < 0 ? r : rarog_blow_check_wanted(s->options);
	r = r < 0 ? r : rarog_blow_check_baseline(s->options, s->result, &run);
	if (r == 0)
		r = rarog_profile_open(s->profile, &profile);
	if (r < 0)
		return r;
	s->result->status = run.status;
	s->result->output = run.output;
	s->result->corpus.traced_ns = (uint64_t)run.time_ns;
	s->result->corpus.starved = run.starved;
	if (is_auto(s->options))
		r = choose_point(s, profile);
	if (r == 0)
		r = rarog_blow_corpus_choose(&s->result->corpus, profile, &s->options->choice);
	if (r == 0 && !s->options->attachment)
		r = rarog_blow_threads_trace(&s->result->threads, profile, &s->result->corpus);
	if (r == 0 && !s->options->attachment)
		rarog_blow_threads_created(&s->result->threads, &s->births);
	if (r == 0 && s->options->mode->is_gain && !s->options->attachment &&
	    !s->options->only_functions)
		r = rarog_blow_function_times(&task, s->input, s->result->status, first_ns);
	if (r == 0 && s->options->mode->is_gain && !s->options->attachment)
		r = rarog_blow_line_times(&task, s->input, s->result->status);
	return r < 0 ? r : rarog_blow_corpus_check(&s->result->corpus, &s->options->choice);
}

int rarog_blow_session_begin(struct rarog_blow_session *s)
{
	int r = s->options->journal && !s->options->only_functions
			? rarog_blow_journal_open(s->options->journal, s->options, &s->journal)
			: 0;

	for (size_t i = 0; r == 0 && i < s->options->points.n && !is_auto(s->options); i++)
		r = rarog_blow_points_add(&s->result->points, s->options->points.v[i], 0);
	if (r == 0 && s->journal)
		r = rarog_blow_journal_functions(s->journal, s->result);
	if (r != 0)
		return r < 0 ? r : 0;
	r = trace_once(s);
	return r == 0 && s->journal ? rarog_blow_journal_put_functions(s->journal, s->result) : r;
}
