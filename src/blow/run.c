/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All runs but the traced one have the same probes, in the functions that were chosen, so what
 * these cost is in all of them alike.
 */
#include "blow/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "blow/holders.h"
#include "blow/waits.h"
#include "collect/collector.h"
#include "collect/drive.h"
#include "process/thread-shares.h"
#include "process/untraced.h"

struct state {
	const struct rarog_blow_task *task;
	struct rarog_blow_threads threads; /* of this run */
	double gained_ns, paused_ns;
	bool is_spoilt;
};

bool rarog_blow_is_meant(const char *name, const char *place, bool is_mark)
{
	const char *colon = is_mark ? strchr(place, ':') : NULL;

	return strcmp(name, place) == 0 || (colon && strcmp(name, colon + 1) == 0);
}

static bool counts_progress(const struct rarog_blow_points *points, const char *name, bool is_mark)
{
	for (size_t i = 0; i < points->v.n; i++)
		if (rarog_blow_is_meant(points->v.v[i].name, name, is_mark))
			return true;
	return false;
}

static void decide_place(const struct state *s, const struct rarog_place_set *set,
			 struct rarog_plan_place *place, const char *name)
{
	const struct rarog_blow_mode *mode = s->task->options->mode;
	const struct rarog_blow_place which = { set->path, place->address, place->mark };
	const struct rarog_blow_function *f = rarog_blow_corpus_find(s->task->corpus, &which);
	unsigned settle =
		mode->is_virtual && !place->mark ? rarog_blow_settles(set->path, name) : 0;
	bool is_progress = counts_progress(s->task->points, name, place->mark);
	bool is_start =
		rarog_blow_threads_place(s->task->threads, s->task->corpus, &which) != SIZE_MAX;

	place->action = is_progress || is_start ? RAROG_ACTION_COUNT : RAROG_ACTION_OFF;
	place->n = 0;
	if (settle && !f) {
		place->action = RAROG_ACTION_SETTLE;
		place->n = settle;
	} else if (f && s->task->what != RAROG_BLOW_PLAIN) {
		mode->act(f, f == s->task->own ? s->task->what : RAROG_BLOW_SHARED, place);
	}
	place->reason = place->action == RAROG_ACTION_OFF ? "not chosen" : NULL;
}

static int decide(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	const struct state *s = user;
	const struct rarog_function *functions;

	rarog_binary_functions(binary, &functions);
	for (size_t i = 0; i < set->v.n; i++) {
		struct rarog_plan_place *place = &set->v.v[i];

		decide_place(s, set, place,
			     place->mark ? place->mark : functions[place->index].name);
	}
	return 0;
}

/* A thread that there is no memory for is not found again. */
static void note_thread(struct state *s, const struct rarog_delayed_calls *calls)
{
	const struct rarog_blow_place which = { calls->path, calls->address, calls->mark };
	size_t place = rarog_blow_threads_place(s->task->threads, s->task->corpus, &which);

	if (place != SIZE_MAX &&
	    rarog_blow_threads_note(&s->threads, calls->tid, place, calls->calls) < 0)
		rarog_error_clear();
}

/* By the engine's thread; the run is over before anything here is read. */
static void take(void *user, const struct rarog_delayed_calls *calls)
{
	struct state *s = user;
	const struct rarog_blow_place which = { calls->path, calls->address, calls->mark };
	struct rarog_blow_function *f = rarog_blow_corpus_find(s->task->corpus, &which);

	if (s->threads.n_places > 0)
		note_thread(s, calls);
	if (calls->gained_ns > s->gained_ns)
		s->gained_ns = calls->gained_ns;
	s->paused_ns += calls->late_ns;
	s->is_spoilt |= calls->lapses > 0;
	if (!f)
		return;
	f->spent_ns += calls->late_ns;
	f->spent_calls += calls->calls;
}

static void see_hang(void *user, pid_t pid)
{
	if (rarog_stacks_read(pid, user) < 0)
		rarog_error_clear();
}

/* FNV-1a. What cannot be read is as good as nothing printed. */
static uint64_t digest_of(const char *path)
{
	rarog_cleanup(rarog_fclosep) FILE *file = path ? fopen(path, "re") : NULL;
	uint64_t digest = 0xcbf29ce484222325;
	int byte;

	while (file && (byte = getc_unlocked(file)) != EOF)
		digest = (digest ^ (uint64_t)byte) * 0x100000001b3;
	return file ? digest : 0;
}

/* It stood still while rarog put probes into a library: that is none of its time. */
static struct rarog_run_result moving(const struct rarog_collected *collected)
{
	struct rarog_run_result run = collected->run;

	run.wall_ns -= collected->prepared_ns < run.wall_ns ? collected->prepared_ns : 0;
	return run;
}

/* Noise that gives the processor away has in it what others then do with it: so has the run. */
static double time_of(const struct rarog_blow_options *options, const struct rarog_run_result *run)
{
	bool gives_away = !options->mode->is_gain && (options->kind == RAROG_NOISE_SLEEP ||
						      options->kind == RAROG_NOISE_YIELD);

	return (double)(gives_away || options->attachment ? run->wall_ns
							  : rarog_untraced_wall(run));
}

static int drive(const struct rarog_blow_task *task, struct rarog_plan *plan,
		 struct rarog_blow_outcome *ret_outcome)
{
	struct rarog_command_line *command = task->options->command;
	struct rarog_trace_options trace = {
		.plan = plan,
		.command = command,
		.output = task->profile,
		.compensate = plan->orders_clock,
		.attachment = task->options->attachment,
	};
	struct rarog_collected collected = { 0 };
	struct rarog_thread_stacks stacks = { 0 };
	struct rarog_run_result run;
	int r;

	if (task->births && task->births->creators) {
		task->births->v.n = 0;
		plan->births = (struct rarog_birth_account){ rarog_blow_birth_note, task->births };
	}
	command->timeout_ns = task->timeout_ns;
	command->knows_delay = true;
	command->capture = task->output;
	command->hangs = see_hang;
	command->user = &stacks;
	r = rarog_drive(task->options->engine, &trace, &collected);
	command->hangs = NULL;
	command->user = NULL;
	run = moving(&collected);
	*ret_outcome = (struct rarog_blow_outcome){
		.time_ns = time_of(task->options, &run),
		.wall_ns = (double)run.wall_ns,
		.status = task->options->attachment ? 0 : collected.run.wait_status,
		.timed_out = collected.run.timed_out,
		.stacks = stacks,
		.output = digest_of(task->output),
	};
	return r;
}

/* What there is to say about the places was said of the traced run. */
static int drive_quietly(const struct rarog_blow_task *task, struct rarog_plan *plan,
			 struct rarog_blow_outcome *ret_outcome)
{
	bool was_quiet = rarog_log_is_quiet();
	int r;

	rarog_log_set_quiet(true);
	r = drive(task, plan, ret_outcome);
	rarog_log_set_quiet(was_quiet);
	return r;
}

int rarog_blow_count_passes(const char *path, const char *name, uint64_t *ret_n)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	int r = rarog_profile_open(path, &profile);
	long n = r < 0 ? r : rarog_profile_summaries(profile, &summaries);
	long n_locations = n < 0 ? n : rarog_profile_locations(profile, &locations);

	if (n_locations < 0)
		return (int)n_locations;
	*ret_n = 0;
	for (long i = 0; i < n; i++) {
		const struct rarog_summary *one = &summaries[i];

		if (one->strand == RAROG_NONE && one->location < (uint32_t)n_locations &&
		    rarog_blow_is_meant(name, locations[one->location].name,
					locations[one->location].kind != RAROG_LOCATION_FUNCTION))
			*ret_n += one->count;
	}
	return 0;
}

static int see_progress(const struct rarog_blow_task *task, struct rarog_blow_outcome *outcome)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < task->points->v.n; i++)
		r = rarog_blow_count_passes(task->profile, task->points->v.v[i].name,
					    &outcome->passes[i]);
	return r;
}

/* How long each thread of the traced run was there in this one. */
static int find_threads(struct state *s, struct rarog_blow_outcome *outcome)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_blow_threads *traced = s->task->threads;
	size_t of[RAROG_BLOW_THREADS_MOST] = { 0 };
	int r = rarog_profile_open(s->task->profile, &profile);

	if (r == 0)
		r = rarog_blow_threads_times(&s->threads, profile);
	if (r == 0 && s->task->births)
		rarog_blow_threads_created(&s->threads, s->task->births);
	if (r == 0)
		r = rarog_blow_threads_match(traced, &s->threads, of);
	if (r < 0)
		return r;
	outcome->thread_ns = malloc((traced->v.n + 1) * sizeof(double));
	if (!outcome->thread_ns)
		return rarog_oom();
	for (size_t i = 0; i < traced->v.n; i++)
		outcome->thread_ns[i] =
			of[i] == SIZE_MAX ? NAN : (double)s->threads.v.v[of[i]].time_ns;
	return 0;
}

/* While a program that runs is attached to nobody says of which calls it was that others had the
 * processor; of all its threads the kernel does. */
static int drive_attached(const struct rarog_blow_task *task, struct rarog_plan *plan,
			  struct rarog_blow_outcome *outcome)
{
	struct rarog_thread_shares before = { 0 }, after = { 0 };
	pid_t pid = task->options->attachment->pid;
	int r = rarog_thread_shares_read(pid, &before);

	r = r < 0 ? r : drive(task, plan, outcome);
	r = r < 0 ? r : rarog_thread_shares_read(pid, &after);
	outcome->starved = rarog_thread_shares_delay(&before, &after);
	rarog_vec_release(&before.v);
	rarog_vec_release(&after.v);
	return r;
}

int rarog_blow_trace(const struct rarog_blow_task *task, struct rarog_blow_outcome *ret_outcome)
{
	struct rarog_plan_options what = task->options->what;
	struct rarog_plan plan = { 0 };
	int r;

	/* Shares are parts of a run without probes. */
	what.compensate = task->options->mode->is_gain && !task->options->attachment;
	r = rarog_plan_make(&what, &plan);
	plan.collector = rarog_collectors[0].name;
	plan.detail = RAROG_DETAIL_SUMMARY;
	plan.judge = (struct rarog_place_judge){ rarog_blow_leave_holders, NULL };
	if (r == 0 && task->options->attachment)
		r = drive_attached(task, &plan, ret_outcome);
	else if (r == 0)
		r = drive(task, &plan, ret_outcome);
	rarog_plan_release(&plan);
	return r < 0 ? r : see_progress(task, ret_outcome);
}

/* What passes before the first probe is the start of a process, and rarog's work: while libraries
 * are loaded the program waits for it, again and again. Others had the processor in all of it
 * alike, as far as is known. */
static int leave_start_out(const struct rarog_blow_task *task, struct rarog_blow_outcome *outcome)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	const struct rarog_strand *strands;
	uint64_t first = UINT64_MAX, last = 0;
	int r = rarog_profile_open(task->profile, &profile);
	long n = r < 0 ? r : rarog_profile_strands(profile, &strands);
	double span = 0;

	for (long i = 0; i < n; i++) {
		first = strands[i].start_ticks < first ? strands[i].start_ticks : first;
		last = strands[i].end_ticks > last ? strands[i].end_ticks : last;
	}
	if (n > 0 && last > first)
		span = (double)rarog_clock_ns(rarog_profile_clock(profile), last - first);
	if (span > 0 && span < outcome->wall_ns)
		outcome->time_ns *= span / outcome->wall_ns;
	return n < 0 ? (int)n : 0;
}

int rarog_blow_run(const struct rarog_blow_task *task, struct rarog_blow_outcome *ret_outcome)
{
	struct rarog_plan_options what = task->options->what;
	struct state state = { .task = task };
	struct rarog_plan plan = { 0 };
	int r;

	what.within = what.not_below = NULL; /* these chose the functions */
	r = rarog_plan_make(&what, &plan);

	for (size_t i = 0; i < task->corpus->v.n; i++) {
		task->corpus->v.v[i].spent_ns = 0;
		task->corpus->v.v[i].spent_calls = 0;
	}
	plan.collector = rarog_collectors[0].name;
	plan.detail = RAROG_DETAIL_SUMMARY;
	plan.delays = true;
	plan.noise = (uint8_t)task->options->kind;
	/* where threads wait, and wake others */
	plan.libraries |= task->options->mode->is_virtual;
	plan.judge = (struct rarog_place_judge){ decide, &state };
	plan.delayed = (struct rarog_delay_account){ take, &state };
	if (task->threads->v.n > 1)
		state.threads.n_places = task->threads->n_places;
	if (r == 0)
		r = drive_quietly(task, &plan, ret_outcome);
	if (r == 0 && plan.libraries && !ret_outcome->timed_out)
		r = leave_start_out(task, ret_outcome);
	rarog_plan_release(&plan);
	if (r == 0 && state.threads.n_places > 0 && !ret_outcome->timed_out)
		r = find_threads(&state, ret_outcome);
	rarog_blow_threads_release(&state.threads);
	ret_outcome->gained_ns = state.gained_ns;
	ret_outcome->paused_ns = state.paused_ns;
	ret_outcome->is_spoilt = state.is_spoilt;
	return r < 0 ? r : see_progress(task, ret_outcome);
}
