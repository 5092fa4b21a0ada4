/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function's noise begins small and grows from round to round until its interval is
 * narrow, or noise is as much of the run as is allowed. A function leaves when it is known well
 * enough; the earliest are those that surely do not matter.
 */
#include "blow/blow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "blow/finding.h"
#include "blow/input.h"
#include "blow/log.h"
#include "blow/other-times.h"
#include "blow/session.h"
#include "blow/shrink.h"
#include "blow/timeout.h"
#include "blow/turns.h"
#include "blow/waits.h"
#include "engine/delay.h"
#include "profile/effects.h"
#include "store/machine.h"

#define FIRST_SHARE 0.01 /* slow: of the run is noise at first */
#define FIRST_PART  0.25 /* causal: by which a function is faster at first */
#define REPEATS     3    /* runs with noise, and without, after one that has ended otherwise */

/* --- rounds --- */

static bool is_over_budget(const struct rarog_blow_session *s)
{
	const struct rarog_blow_options *o = s->options;

	return (o->budget_ns && rarog_now_ns() - s->start_ns >= o->budget_ns) ||
	       (o->budget_runs && s->result->runs >= o->budget_runs);
}

static void tell(const struct rarog_blow_session *s)
{
	const struct rarog_blow_options *o = s->options;
	double share = o->budget_runs
			       ? (double)s->result->runs / (double)o->budget_runs
			       : (double)(rarog_now_ns() - s->start_ns) / (double)o->budget_ns;

	if (o->progress)
		o->progress(o->user, s->result->runs, share);
}

/* With a progress point, what the passages of a run without noise would have taken. NAN: there is
 * none in it, so it tells nothing. */
static double time_of(const struct rarog_blow_session *s, const struct rarog_blow_outcome *outcome)
{
	return outcome->time_ns * rarog_blow_scale(s->result, 0, outcome->passes);
}

static int note_run(const struct rarog_blow_session *s, struct rarog_blow_function *f,
		    double injected, double paused, const struct rarog_blow_outcome *outcome)
{
	double scale = rarog_blow_scale(s->result, 0, outcome->passes);
	const struct rarog_blow_run run = {
		.injected_ns = injected * scale,
		.time_ns = (outcome->time_ns - paused) * scale,
		.paused_ns = paused * scale,
		.number = s->result->runs,
		.delay_ns = injected > 0 || paused > 0 ? f->delay_ns : 0,
	};

	return rarog_vec_push(&f->runs, run) < 0 ? rarog_oom() : 0;
}

static void note_base(struct rarog_blow_result *result, double time_ns)
{
	double n = (double)result->shared++;

	result->base_ns = (result->base_ns * n + time_ns) / (n + 1);
}

/* A run that is compared with all functions' own ones is one for each that is open. */
static int share(struct rarog_blow_session *s, const struct rarog_blow_outcome *run)
{
	struct rarog_blow_corpus *corpus = &s->result->corpus;
	int r = 0;

	if (isnan(time_of(s, run)))
		return s->result->unpassed++, 0;
	note_base(s->result, time_of(s, run));
	for (size_t i = 0; r == 0 && i < corpus->v.n; i++) {
		struct rarog_blow_function *f = &corpus->v.v[i];
		double injected = s->options->mode->injected(f, false, run->gained_ns);

		if (f->state != RAROG_BLOW_OPEN)
			continue;
		if (injected > 0) {
			f->injected_ns = injected;
			f->asked_ns = (double)f->spent_calls * (double)f->delay_ns;
		}
		r = note_run(s, f, injected, 0, run);
	}
	return r;
}

static int repeat_without(struct rarog_blow_session *s);

/* With noise in all of them the program has ended otherwise: that is nobody's finding alone, and
 * may be chance. Such runs tell nothing of times; if most are so there is nothing to compare with.
 */
static int leave_out(struct rarog_blow_session *s, const struct rarog_blow_outcome *run)
{
	struct rarog_blow_result *result = s->result;
	int r = result->left_out == 0 && !s->options->attachment ? repeat_without(s) : 0;

	if (r < 0)
		return r;
	if (!rarog_blow_ends_otherwise(result,
				       run)) /* by what else it prints, which is no sign any more */
		return share(s, run);
	result->left_out++;
	if (result->left_out < REPEATS || result->left_out <= result->shared)
		return 0;
	return rarog_fail(-EIO,
			  "%s: ends otherwise with noise in all functions than without, in %llu of "
			  "%llu runs; see --strength, --timeout and rarog blow slow",
			  s->options->command->argv[0], (unsigned long long)result->left_out,
			  (unsigned long long)(result->left_out + result->shared));
}

static int shared_run(struct rarog_blow_session *s)
{
	const struct rarog_blow_mode *mode = s->options->mode;
	bool has_noise = mode->is_gain && !mode->is_virtual;
	struct rarog_blow_outcome run = { 0 };
	int r = rarog_blow_session_run(s, RAROG_BLOW_SHARED, NULL, &run);

	if (r == 0 && run.hung_by) {
		run.hung_by->state = RAROG_BLOW_FAILED;
		return rarog_blow_finding_note(s->result, run.hung_by, &run);
	}
	rarog_stacks_release(&run.stacks);
	if (r == 0 && !has_noise)
		r = rarog_blow_finding_check(s->options, s->result, &run);
	if (r < 0)
		return r;
	return rarog_blow_ends_otherwise(s->result, &run) ? leave_out(s, &run) : share(s, &run);
}

/* As the thesis has it: how much slower the run became, by how much slower the function did. */
static void note_influence(struct rarog_blow_function *f, double time_ns, double base_ns)
{
	f->influence = rarog_influence(time_ns, base_ns, f->injected_ns, (double)f->total_ns);
	f->influences += f->influence;
}

/* Less than the least would take as long. */
static void choose_noise(const struct rarog_blow_session *s, struct rarog_blow_function *f)
{
	s->options->mode->choose(s->options, f);
	if (f->delay_ns > 0 && f->delay_ns < s->least_ns)
		f->delay_ns = s->least_ns;
}

static int note_own(struct rarog_blow_session *s, struct rarog_blow_function *f,
		    const struct rarog_blow_outcome *run)
{
	const struct rarog_blow_mode *mode = s->options->mode;
	double injected = mode->injected(f, true, run->gained_ns);

	if (isnan(time_of(s, run)))
		return s->result->unpassed++, 0;
	if (injected > 0) {
		f->injected_ns = injected;
		f->asked_ns = (double)f->spent_calls * (double)f->delay_ns;
	}
	f->paused_ns = run->paused_ns;
	if (mode->is_virtual)
		f->spans_ns += run->gained_ns * rarog_blow_scale(s->result, 0, run->passes) *
			       (double)f->self_ns / ((double)f->delay_ns * (double)f->calls);
	else
		note_influence(f, time_of(s, run), s->result->base_ns);
	f->n_runs++;
	return note_run(s, f, injected, 0, run);
}

/* What was gained was lost as well: all threads paused for it. */
static int note_control(struct rarog_blow_session *s, struct rarog_blow_function *f,
			const struct rarog_blow_outcome *run)
{
	if (isnan(time_of(s, run)))
		return s->result->unpassed++, 0;
	note_base(s->result,
		  time_of(s, run) - run->gained_ns * rarog_blow_scale(s->result, 0, run->passes));
	f->n_controls++;
	return note_run(s, f, 0, run->gained_ns, run);
}

static int own_run(struct rarog_blow_session *s, struct rarog_blow_function *f,
		   enum rarog_blow_what what);

/* Does the program do without noise what it did in the traced run? */
static int repeat_without(struct rarog_blow_session *s)
{
	int r = 0;

	for (int i = 0; r == 0 && i < REPEATS && !is_over_budget(s); i++) {
		struct rarog_blow_outcome run = { 0 };

		r = rarog_blow_session_run(s, RAROG_BLOW_PLAIN, NULL, &run);
		rarog_stacks_release(&run.stacks);
		if (r == 0)
			r = rarog_blow_finding_check(s->options, s->result, &run);
	}
	return r;
}

/* Once may be chance: @run is a finding if the program ends alike without noise, and the function
 * gets no more noise when that was seen twice. A window is not made anew: the program hangs. */
static int see_other_end(struct rarog_blow_session *s, struct rarog_blow_function *f,
			 struct rarog_blow_outcome *run)
{
	bool may_repeat = !s->options->attachment && !rarog_blow_finding_seen(s->result, f);
	enum rarog_blow_what what =
		run->what == RAROG_BLOW_CONTROL ? RAROG_BLOW_CONTROL : RAROG_BLOW_OWN;
	int r = may_repeat ? repeat_without(s) : 0;

	if (r < 0 || !rarog_blow_ends_otherwise(s->result, run)) {
		rarog_stacks_release(&run->stacks);
		return r;
	}
	r = rarog_blow_finding_note(s->result, f, run);
	if (!may_repeat)
		f->state = RAROG_BLOW_FAILED;
	for (int i = 0; r == 0 && may_repeat && i < REPEATS && f->state == RAROG_BLOW_OPEN &&
			!is_over_budget(s);
	     i++)
		r = own_run(s, f, what);
	return r;
}

/* @what: OWN or CONTROL */
static int own_run(struct rarog_blow_session *s, struct rarog_blow_function *f,
		   enum rarog_blow_what what)
{
	struct rarog_blow_outcome run = { 0 };
	int r;

	choose_noise(s, f);
	r = rarog_blow_session_run(s, what, f, &run);
	if (r < 0)
		return rarog_stacks_release(&run.stacks), r;
	if (rarog_blow_ends_otherwise(s->result, &run))
		return see_other_end(s, run.hung_by ? run.hung_by : f, &run);
	return what == RAROG_BLOW_OWN ? note_own(s, f, &run) : note_control(s, f, &run);
}

static void grow(const struct rarog_blow_session *s, struct rarog_blow_function *f)
{
	const struct rarog_blow_options *o = s->options;

	f->target_ns = fmin(f->target_ns * o->growth, o->most_share * s->result->base_ns);
	f->part = fmin(o->sampling > 0 ? f->part + o->sampling : f->part * o->growth, 1);
}

static int estimate(struct rarog_blow_session *s, struct rarog_blow_function *f)
{
	const struct rarog_blow_options *o = s->options;
	struct rarog_blow_spells spells = { 0 };
	int r = rarog_blow_find_spells(s->result, f, 0, &spells);

	if (r == 0)
		r = rarog_blow_estimate(f->runs.n, f->runs.v, &spells, s->random, &f->estimate);
	rarog_vec_release(&spells.v);
	if (r < 0)
		return r == -EDOM ? 0 : r;
	rarog_blow_estimate_starve(&f->estimate, s->result->starved);
	o->mode->answer(f, s->result->corpus.traced_ns);
	f->has_estimate = rarog_blow_is_possible(o->mode, &f->answer);
	f->is_impossible = !f->has_estimate;
	return 0;
}

/* Numbers of functions for their own runs; of runs to compare with, SHARED if all functions have
 * them, else -1 and less: of function -1 - n. */
#define SHARED INFINITY

struct order {
	RAROG_VEC(double) v;
};

/* Shared runs are as many as make the least of all errors. */
static int draw_order(struct rarog_blow_session *s, struct order *order)
{
	bool is_virtual = s->options->mode->is_virtual;
	size_t open = 0;
	int r = 0;

	order->v.n = 0;
	for (size_t i = 0; r == 0 && i < s->result->corpus.v.n; i++) {
		if (s->result->corpus.v.v[i].state != RAROG_BLOW_OPEN)
			continue;
		open++;
		r = rarog_vec_push(&order->v, (double)i);
		if (r == 0 && is_virtual)
			r = rarog_vec_push(&order->v, -1 - (double)i);
	}
	for (size_t i = 0; r == 0 && !is_virtual && i < (size_t)ceil(sqrt((double)open)); i++)
		r = rarog_vec_push(&order->v, SHARED);
	if (r < 0)
		return rarog_oom();
	rarog_random_shuffle(s->random, order->v.n, order->v.v);
	return 0;
}

static int play_run(struct rarog_blow_session *s, double which)
{
	bool is_control = which < 0;
	struct rarog_blow_function *f;

	if (which == SHARED)
		return shared_run(s);
	f = &s->result->corpus.v.v[(size_t)(is_control ? -1 - which : which)];
	if (f->state != RAROG_BLOW_OPEN) /* a run of this round has ended otherwise */
		return 0;
	return own_run(s, f, is_control ? RAROG_BLOW_CONTROL : RAROG_BLOW_OWN);
}

static int play_round(struct rarog_blow_session *s, const struct order *order)
{
	struct rarog_blow_corpus *corpus = &s->result->corpus;
	int r = 0;

	for (size_t i = 0; r == 0 && i < order->v.n && !is_over_budget(s); i++) {
		r = play_run(s, order->v.v[i]);
		tell(s);
	}
	for (size_t i = 0; r == 0 && i < corpus->v.n; i++)
		if (corpus->v.v[i].state == RAROG_BLOW_OPEN)
			r = estimate(s, &corpus->v.v[i]);
	s->result->rounds++;
	if (r == 0)
		r = rarog_blow_shrink(s->options, s->result);
	for (size_t i = 0; r == 0 && i < corpus->v.n; i++)
		if (corpus->v.v[i].state == RAROG_BLOW_OPEN)
			grow(s, &corpus->v.v[i]);
	rarog_blow_log_round(s->options, s->result, rarog_now_ns() - s->start_ns);
	return r;
}

static int plain_run(struct rarog_blow_session *s)
{
	struct rarog_blow_outcome run = { 0 };
	int r = rarog_blow_session_run(s, RAROG_BLOW_PLAIN, NULL, &run);

	rarog_stacks_release(&run.stacks);
	if (r == 0)
		r = rarog_blow_finding_check(s->options, s->result, &run);
	s->result->plain_ns = time_of(s, &run);
	if (r == 0 && isnan(s->result->plain_ns))
		r = rarog_fail(-ENODATA,
			       "--progress=%s: is not passed in each run; name a point that is",
			       s->result->points.v.v[0].name);
	s->taken_ns = run.taken_ns;
	return r;
}

/* Even the least of this kind of noise, unless so much was asked. */
static bool is_too_much(const struct rarog_blow_session *s, const struct rarog_blow_function *f)
{
	return s->options->least_ns < s->least_ns &&
	       (double)f->calls * (double)s->least_ns >
		       s->options->most_share * s->result->plain_ns;
}

/* How long it takes; where noise begins. */
static int begin(struct rarog_blow_session *s)
{
	struct rarog_blow_corpus *corpus = &s->result->corpus;
	int r = plain_run(s);

	s->result->base_ns = s->result->plain_ns;
	s->least_ns = s->options->mode->noise ? 0 : rarog_noise_least_ns(s->options->kind);
	for (size_t i = 0; i < corpus->v.n; i++) {
		struct rarog_blow_function *f = &corpus->v.v[i];

		f->target_ns = FIRST_SHARE * s->result->plain_ns;
		f->part = s->options->sampling > 0 ? s->options->sampling : FIRST_PART;
		choose_noise(s, f);
		if (f->delay_ns == 0 || is_too_much(s, f))
			f->state = RAROG_BLOW_SHORT;
	}
	for (size_t i = 0; r == 0 && i < corpus->v.n; i++)
		r = rarog_blow_check_timeout(s->options, s->result, s->least_ns, &corpus->v.v[i]);
	if (r == 0)
		rarog_blow_take_turns(s->options, s->result, s->taken_ns);
	return r;
}

static int play(struct rarog_blow_session *s)
{
	struct order order = { 0 };
	int r = begin(s);

	while (r == 0 && !is_over_budget(s)) {
		r = draw_order(s, &order);
		if (r == 0 && order.v.n > 0)
			r = play_round(s, &order);
		else if (!rarog_blow_next_turn(s->options, s->result, s->taken_ns))
			break;
	}
	rarog_vec_release(&order.v);
	return r;
}

static bool has_estimates(const struct rarog_blow_session *s)
{
	for (size_t i = 0; i < s->result->corpus.v.n; i++)
		if (s->result->corpus.v.v[i].has_estimate)
			return true;
	return false;
}

/* A program that has ended, or does something else once, takes nothing away from what is known. */
static int play_session(void *user)
{
	struct rarog_blow_session *s = user;
	int r = play(s);

	if ((r != -ESRCH && r != -ENODATA && r != -EIO) ||
	    (!has_estimates(s) && s->result->findings.n == 0))
		return r;
	rarog_warn("%s; what was measured until then is shown", rarog_error_message());
	return 0;
}

/* --- all of it --- */

static int play_live(struct rarog_blow_session *s)
{
	const struct rarog_blow_task task = {
		.options = s->options,
		.corpus = &s->result->corpus,
		.points = &s->result->points,
		.threads = &s->result->threads,
		.profile = s->profile,
	};

	return rarog_blow_live_play(&task, play_session, s, &s->live);
}

int rarog_blow(const struct rarog_blow_options *options, struct rarog_blow_result *ret_result)
{
	rarog_cleanup(rarog_blow_session_release) struct rarog_blow_session s = {
		.options = options,
		.result = ret_result,
		.random = rarog_random_new(options->seed),
		.start_ns = rarog_now_ns(),
	};
	struct rarog_conditions before;
	int r = s.random ? rarog_scratch_folder_make("blow", &s.scratch) : rarog_oom();

	*ret_result = (struct rarog_blow_result){ 0 };
	rarog_conditions_read(&before);
	ret_result->load = before.load;
	snprintf(s.profile, sizeof(s.profile), "%s/run.rarog", s.scratch.path);
	snprintf(s.output, sizeof(s.output), "%s/output", s.scratch.path);
	if (r == 0) {
		if (options->mode->is_virtual)
			rarog_blow_waits_warn(options->command->argv[0]);
		if (!options->attachment)
			r = rarog_blow_creators_read(options->command->argv[0], &s.births.creators);
		s.input = options->attachment ? 0 : rarog_blow_input_begin();
		ret_result->input = s.input;
		r = s.input < 0 ? (int)s.input : r < 0 ? r : rarog_blow_session_begin(&s);
	}
	if (r == 0 && !options->only_functions)
		r = options->attachment ? play_live(&s) : play_session(&s);
	if (r == 0)
		r = rarog_blow_estimate_others(options, s.random, ret_result);
	ret_result->taken_ns = rarog_now_ns() - s.start_ns;
	return r;
}
