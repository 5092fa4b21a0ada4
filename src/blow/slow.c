/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All runs have the same probes, in the functions that are still in the corpus, so what these cost
 * is in T0. A function's noise begins small and grows from round to round until its interval is
 * narrow, or noise is as much of the run as is allowed. A function leaves when it is known well
 * enough; the earliest are those that surely do not matter.
 */
#include "blow/slow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "collect/collector.h"
#include "collect/drive.h"
#include "engine/delay.h"
#include "plan/place-set.h"
#include "process/scratch-folder.h"
#include "process/untraced.h"
#include "store/machine.h"

#define FIRST_SHARE   0.01 /* of the run is noise at first */
#define LEAST_RUNS    4    /* with noise, before a function may leave */
#define LEAST_BASE    1e7  /* ns; shorter programs are only start and end */
#define TIMEOUT_LEAST 10000000000ull
#define TIMEOUT_TIMES 10

struct session {
	const struct rarog_blow_options *options;
	struct rarog_blow_result *result;
	struct rarog_random *random;
	struct rarog_scratch_folder scratch;
	char profile[PATH_MAX + 16];
	uint64_t start_ns;
	double round_controls[64];
	size_t n_round_controls;
	/* of the run that is being made */
	struct rarog_blow_function *noisy; /* NULL: none */
	double injected_ns;
	uint64_t calls;
};

static void session_release(struct session *s)
{
	rarog_random_free(s->random);
	rarog_scratch_folder_remove(&s->scratch);
}

/* --- one run --- */

static int decide(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	const struct session *s = user;

	(void)binary;
	for (size_t i = 0; i < set->v.n; i++) {
		struct rarog_plan_place *place = &set->v.v[i];
		const struct rarog_blow_function *f =
			place->kind == RAROG_AT_FUNCTION
				? rarog_blow_corpus_find(&s->result->corpus, set->path,
							 place->address)
				: NULL;

		place->action = RAROG_ACTION_OFF;
		place->reason = "not chosen";
		if (!f)
			continue;
		place->action = f == s->noisy ? RAROG_ACTION_DELAY : RAROG_ACTION_COUNT;
		place->reason = NULL;
		place->n = f == s->noisy ? (uint32_t)f->delay_ns : 0;
	}
	return 0;
}

/* By the engine's thread; the run is over before anything here is read. */
static void take(void *user, const struct rarog_delayed_calls *calls)
{
	struct session *s = user;

	if (!s->noisy ||
	    s->noisy != rarog_blow_corpus_find(&s->result->corpus, calls->path, calls->address))
		return;
	s->injected_ns += calls->late_ns;
	s->calls += calls->calls;
}

/* All noise in one thread would be the worst. */
static uint64_t timeout_of(const struct session *s)
{
	double noise = s->noisy ? (double)s->noisy->calls * (double)s->noisy->delay_ns : 0;

	if (s->options->timeout_ns)
		return s->options->timeout_ns;
	return s->result->base_ns > 0
		       ? TIMEOUT_LEAST + (uint64_t)(TIMEOUT_TIMES * (s->result->base_ns + noise))
		       : 0;
}

static int drive(struct session *s, struct rarog_plan *plan, struct rarog_run_result *ret_run)
{
	struct rarog_trace_options trace = {
		.plan = plan,
		.command = s->options->command,
		.output = s->profile,
	};
	struct rarog_collected collected = { 0 };
	int r;

	s->options->command->timeout_ns = timeout_of(s);
	s->options->command->knows_delay = true;
	r = rarog_drive(s->options->engine, &trace, &collected);
	*ret_run = collected.run;
	return r;
}

static int run_once(struct session *s, struct rarog_blow_function *noisy,
		    struct rarog_run_result *ret_run)
{
	struct rarog_plan plan = { 0 };
	int r = rarog_plan_make(&s->options->what, &plan);

	s->noisy = noisy;
	s->injected_ns = 0;
	s->calls = 0;
	plan.collector = rarog_collectors[0].name;
	plan.detail = RAROG_DETAIL_SUMMARY;
	plan.delays = true;
	plan.judge = (struct rarog_place_judge){ decide, s };
	plan.delayed = (struct rarog_delay_account){ take, s };
	if (r == 0)
		r = drive(s, &plan, ret_run);
	rarog_plan_release(&plan);
	s->result->runs++;
	return r;
}

/* --- the traced run --- */

static int check_baseline(const struct rarog_run_result *run, const char *program)
{
	if (run->timed_out)
		return rarog_fail(-ETIMEDOUT, "%s: does not end by itself in time; see --timeout",
				  program);
	if (WIFSIGNALED(run->wait_status))
		return rarog_fail(-EIO, "%s: ends by signal %d without any noise; mend it first",
				  program, WTERMSIG(run->wait_status));
	if ((double)run->wall_ns < LEAST_BASE)
		return rarog_fail(
			-ERANGE,
			"%s: is over after %.2g ms, which is too short; give it more to do",
			program, (double)run->wall_ns / 1e6);
	return 0;
}

static int trace_once(struct session *s)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	struct rarog_run_result run = { 0 };
	struct rarog_plan plan = { 0 };
	int r = rarog_plan_make(&s->options->what, &plan);

	plan.collector = rarog_collectors[0].name;
	plan.detail = RAROG_DETAIL_SUMMARY;
	if (r == 0)
		r = drive(s, &plan, &run);
	rarog_plan_release(&plan);
	if (r == 0)
		r = check_baseline(&run, s->options->command->argv[0]);
	if (r == 0)
		r = rarog_profile_open(s->profile, &profile);
	if (r < 0)
		return r;
	s->result->status = run.wait_status;
	s->result->corpus.traced_ns = run.wall_ns;
	return rarog_blow_corpus_choose(&s->result->corpus, profile, &s->options->choice);
}

/* --- rounds --- */

static bool is_over_budget(const struct session *s)
{
	const struct rarog_blow_options *o = s->options;

	return (o->budget_ns && rarog_now_ns() - s->start_ns >= o->budget_ns) ||
	       (o->budget_runs && s->result->runs >= o->budget_runs);
}

static void tell(const struct session *s)
{
	const struct rarog_blow_options *o = s->options;
	double share = o->budget_runs
			       ? (double)s->result->runs / (double)o->budget_runs
			       : (double)(rarog_now_ns() - s->start_ns) / (double)o->budget_ns;

	if (o->progress)
		o->progress(o->user, s->result->runs, share);
}

/* Without what others had of the processor, where that is known: of what one thread does. */
static double time_of(const struct rarog_run_result *run)
{
	return (double)rarog_untraced_wall(run);
}

static int control(struct session *s)
{
	struct rarog_run_result run = { 0 };
	int r = run_once(s, NULL, &run);
	double n = (double)s->result->controls;

	if (r < 0)
		return r;
	s->result->base_ns = (s->result->base_ns * n + time_of(&run)) / (n + 1);
	s->result->controls++;
	if (s->n_round_controls < RAROG_COUNT(s->round_controls))
		s->round_controls[s->n_round_controls++] = time_of(&run);
	return 0;
}

/* As the thesis has it: how much slower the run became, by how much slower the function did. */
static void note_influence(struct rarog_blow_function *f, double time_ns, double base_ns)
{
	double degraded = 1 + f->injected_ns / (double)(f->total_ns + 1);

	f->influence = time_ns / base_ns / degraded;
	f->influences += f->influence;
}

static int found(struct session *s, struct rarog_blow_function *f,
		 const struct rarog_run_result *run)
{
	const struct rarog_blow_finding finding = {
		.function = (size_t)(f - s->result->corpus.v.v),
		.delay_ns = f->delay_ns,
		.status = run->wait_status,
		.timed_out = run->timed_out,
	};

	f->state = RAROG_BLOW_FAILED;
	return rarog_vec_push(&s->result->findings, finding) < 0 ? rarog_oom() : 0;
}

static void choose_delay(const struct rarog_blow_options *o, struct rarog_blow_function *f)
{
	double ns = f->target_ns / (double)f->calls;

	ns = fmin(fmax(ns, (double)o->least_ns), (double)o->most_ns);
	f->delay_ns = (uint64_t)(ns + 0.5);
}

static int experiment(struct session *s, struct rarog_blow_function *f)
{
	struct rarog_run_result run = { 0 };
	int r;

	choose_delay(s->options, f);
	r = run_once(s, f, &run);
	if (r < 0)
		return r;
	if (run.timed_out || run.wait_status != s->result->status)
		return found(s, f, &run);
	f->injected_ns = s->injected_ns;
	f->asked_ns = (double)s->calls * (double)f->delay_ns;
	note_influence(f, time_of(&run), s->result->base_ns);
	f->n_runs++;
	return rarog_vec_push(&f->runs, (struct rarog_blow_run){ f->injected_ns, time_of(&run) }) <
			       0
		       ? rarog_oom()
		       : 0;
}

static int estimate(struct session *s, struct rarog_blow_function *f)
{
	const struct rarog_blow_options *o = s->options;
	double most = o->most_share * s->result->base_ns;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->n_round_controls; i++)
		r = rarog_vec_push(&f->runs, (struct rarog_blow_run){ 0, s->round_controls[i] });
	if (r < 0)
		return rarog_oom();
	r = rarog_blow_estimate(f->runs.n, f->runs.v, s->random, &f->estimate);
	f->has_estimate = f->has_estimate || r == 0;
	f->target_ns = fmin(f->target_ns * o->growth, most);
	if (r < 0 || f->n_runs < LEAST_RUNS)
		return r == -EDOM ? 0 : r;
	if (f->estimate.high < o->small && f->estimate.low > -o->surely)
		f->state = RAROG_BLOW_SMALL;
	else if (f->estimate.high - f->estimate.low < o->narrow)
		f->state = RAROG_BLOW_NARROW;
	return 0;
}

/* Numbers of functions, and SIZE_MAX for controls: as many as make the least of all errors. */
struct order {
	RAROG_VEC(double) v;
};

static int draw_order(struct session *s, struct order *order)
{
	size_t open = 0;
	int r = 0;

	order->v.n = 0;
	for (size_t i = 0; r == 0 && i < s->result->corpus.v.n; i++)
		if (s->result->corpus.v.v[i].state == RAROG_BLOW_OPEN) {
			open++;
			r = rarog_vec_push(&order->v, (double)i);
		}
	for (size_t i = 0; r == 0 && open > 0 && i < (size_t)ceil(sqrt((double)open)); i++)
		r = rarog_vec_push(&order->v, -1);
	if (r < 0)
		return rarog_oom();
	rarog_random_shuffle(s->random, order->v.n, order->v.v);
	return 0;
}

static int play_round(struct session *s, const struct order *order)
{
	struct rarog_blow_corpus *corpus = &s->result->corpus;
	int r = 0;

	s->n_round_controls = 0;
	for (size_t i = 0; r == 0 && i < order->v.n && !is_over_budget(s); i++) {
		double which = order->v.v[i];

		r = which < 0 ? control(s) : experiment(s, &corpus->v.v[(size_t)which]);
		tell(s);
	}
	for (size_t i = 0; r == 0 && i < corpus->v.n; i++)
		if (corpus->v.v[i].state == RAROG_BLOW_OPEN)
			r = estimate(s, &corpus->v.v[i]);
	s->result->rounds++;
	return r;
}

static int play(struct session *s)
{
	struct order order = { 0 };
	int r = control(s); /* how long it takes; where noise begins */

	for (size_t i = 0; i < s->result->corpus.v.n; i++)
		s->result->corpus.v.v[i].target_ns = FIRST_SHARE * s->result->base_ns;
	while (r == 0 && !is_over_budget(s)) {
		r = draw_order(s, &order);
		if (order.v.n == 0)
			break;
		r = r < 0 ? r : play_round(s, &order);
	}
	rarog_vec_release(&order.v);
	return r;
}

int rarog_blow_slow(const struct rarog_blow_options *options, struct rarog_blow_result *ret_result)
{
	rarog_cleanup(session_release) struct session s = {
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
	if (r == 0)
		r = trace_once(&s);
	if (r == 0)
		r = play(&s);
	ret_result->taken_ns = rarog_now_ns() - s.start_ns;
	return r;
}

void rarog_blow_result_release(struct rarog_blow_result *result)
{
	rarog_blow_corpus_release(&result->corpus);
	rarog_vec_release(&result->findings);
}
