/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread that attaches must also look at the program and let it go, and is busy with that. So
 * the session is another thread: it asks for a window, and is told what came of it.
 */
#include "blow/live.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/ended.h"
#include "base/error.h"
#include "base/log.h"
#include "blow/live-counts.h"
#include "collect/collector.h"
#include "collect/drive.h"
#include "engine/delay.h"
#include "process/thread-shares.h"

#define IDLE_NS      300000         /* until it is looked again whether a window is wanted */
#define LEAST_PASSES 10             /* in a window, which is longer if need be … */
#define LONGEST      20             /* … but not more than so many times */
#define IDLE_MOST_NS 30000000000ull /* that a program may do nothing */
#define DELAY_MOST   0.05           /* of the time of threads, before it is said */

enum phase {
	IDLE,
	WANTED,
	OPEN, /* a window is */
	DONE,
	CLOSED, /* there will be no more */
};

struct rarog_blow_live {
	const struct rarog_blow_task *first; /* corpus, points, options */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum phase phase;
	const struct rarog_blow_task *task; /* of the window */
	struct rarog_blow_outcome outcome;
	uint64_t start_ns, idle_since_ns; /* of the window; of those without a passage, 0: none … */
	/* … and what had noise when they began, or just before. NULL: nothing */
	struct rarog_blow_function *idle_by, *own_before;
	uint64_t passes, passed_ns; /* in the window, when they were looked at last; when of those
				     * the last came */
	bool hangs;
	struct rarog_thread_shares shares,
		shares_now; /* of its threads: at the start; at the end */
	bool knows_worker;
	pid_t worker; /* of its threads, does the work; 0: they share it … */
	double delay; /* … and waited for processors for that part of the time at most */
	struct rarog_blow_counts counts;
	struct rarog_blow_readings begin, end;
	atomic_bool is_over;
	int result; /* of a window that failed, or of the session */
	char message[512];
	int (*play)(void *user);
	void *user;
};

/* --- windows --- */

/* What becomes of calls of @f in a window of @task: PLANNED is what is between windows, too. */
static struct rarog_place_change change_of(const struct rarog_blow_task *task,
					   const struct rarog_blow_function *f)
{
	struct rarog_plan_place place = { .action = RAROG_ACTION_COUNT };
	struct rarog_place_change change = {
		.module = f->path,
		.address = f->address,
		.action = RAROG_PLACE_PLANNED,
	};

	if (task->what != RAROG_BLOW_PLAIN)
		task->options->mode->act(f, f == task->own ? task->what : RAROG_BLOW_SHARED,
					 &place);
	if (place.action == RAROG_ACTION_DELAY)
		change.action = RAROG_PLACE_DELAYED;
	change.delay_ns = place.n;
	return change;
}

static int set_places(const struct rarog_blow_task *task, const struct rarog_engine *engine,
		      struct rarog_engine_run *run, bool is_end)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < task->corpus->v.n; i++) {
		struct rarog_place_change change = change_of(task, &task->corpus->v.v[i]);

		if (change.action == RAROG_PLACE_PLANNED)
			continue;
		if (is_end)
			change.action = RAROG_PLACE_PLANNED;
		r = rarog_engine_set_place(engine, run, &change);
	}
	return r;
}

static void note_functions(const struct rarog_blow_live *live, const struct rarog_blow_task *task)
{
	for (size_t i = 0; i < task->corpus->v.n; i++) {
		struct rarog_blow_function *f = &task->corpus->v.v[i];
		const struct rarog_blow_counted *from = &live->begin.v.v[i];
		const struct rarog_blow_counted *to = &live->end.v.v[i];
		const struct rarog_place_change change = change_of(task, f);

		f->spent_calls = to->calls - from->calls;
		f->spent_ns =
			change.action != RAROG_PLACE_DELAYED
				? 0
				: rarog_noise_spent_ns(task->options->kind,
						       rarog_delay_word(change.delay_ns),
						       to->amount - from->amount, f->spent_calls);
	}
}

static uint64_t passes_of(const struct rarog_blow_live *live, size_t point)
{
	size_t at = live->first->corpus->v.n + point;

	return live->end.v.v[at].calls - live->begin.v.v[at].calls;
}

/* As of runs: without what others had of its processor, where one thread does the work. It is the
 * same in all windows, so that they can be compared: the thread that did it when nothing was late.
 */
static double time_of(struct rarog_blow_live *live, uint64_t now)
{
	const struct rarog_thread_shares *before = &live->shares, *after = &live->shares_now;
	double delay = rarog_thread_shares_delay(before, after);

	/* a session that goes on has none that is plain */
	if (live->task->what == RAROG_BLOW_PLAIN || !live->knows_worker)
		live->worker = rarog_thread_shares_worker(before, after);
	live->knows_worker = true;
	live->outcome.starved = live->worker ? 0 : delay;
	if (live->outcome.starved > live->delay)
		live->delay = live->outcome.starved;
	return (double)rarog_thread_shares_own_ns(before, after, live->worker,
						  now - live->start_ns);
}

static int read_shares(const struct rarog_blow_live *live, struct rarog_thread_shares *shares)
{
	return rarog_thread_shares_read(live->first->options->attachment->pid, shares);
}

static void note_outcome(struct rarog_blow_live *live, uint64_t now)
{
	live->outcome = (struct rarog_blow_outcome){
		.is_spoilt = live->end.lapses > live->begin.lapses,
	};
	live->outcome.time_ns = time_of(live, now);
	for (size_t i = 0; i < live->first->points->v.n; i++)
		live->outcome.passes[i] = passes_of(live, i);
	note_functions(live, live->task);
}

/* Has it done nothing for most of a window that is long already? */
static bool has_stopped(const struct rarog_blow_live *live, uint64_t now)
{
	return live->passes < LEAST_PASSES && now - live->passed_ns > (now - live->start_ns) / 2;
}

/* A window in which nothing was done says nothing: another takes its place. */
static bool has_patience(struct rarog_blow_live *live, uint64_t now)
{
	if (live->passes > 0) {
		live->idle_since_ns = has_stopped(live, now) ? live->passed_ns : 0;
		live->idle_by = live->task->own;
		return false;
	}
	if (live->idle_since_ns == 0) {
		live->idle_since_ns = live->start_ns;
		live->idle_by = live->task->own ? live->task->own : live->own_before;
	}
	return now - live->idle_since_ns < IDLE_MOST_NS;
}

/* It did something until there was noise, and nothing ever since: that is told once, of where its
 * threads stand now. A spoilt window is made anew, so what it says would be lost. */
static void look_for_hang(struct rarog_blow_live *live)
{
	if (live->passes > 0 || !live->idle_by || live->hangs || live->outcome.is_spoilt)
		return;
	live->hangs = live->outcome.timed_out = true;
	live->outcome.hung_by = live->idle_by;
	if (rarog_stacks_read(live->first->options->attachment->pid, &live->outcome.stacks) < 0)
		rarog_error_clear();
}

/* Only the first point is what a window is measured by; another may be rare. */
static int check_passes(const struct rarog_blow_live *live)
{
	if (live->passes > 0 || live->outcome.timed_out || live->outcome.is_spoilt)
		return 0;
	return rarog_fail(-ENODATA,
			  "%s is not passed any more; give the program work while it is measured",
			  live->first->points->v.v[0].name);
}

static void look_at_passes(struct rarog_blow_live *live, uint64_t now)
{
	uint64_t passes = passes_of(live, 0);

	if (passes != live->passes)
		live->passed_ns = now;
	live->passes = passes;
}

/* Return: ns until it is to be looked again. */
static long go_on(struct rarog_blow_live *live, const struct rarog_engine *engine,
		  struct rarog_engine_run *run)
{
	uint64_t window_ns = live->task->options->window_ns;
	uint64_t now, spent;
	int r;

	now = rarog_now_ns();
	spent = now - live->start_ns;
	if (spent < window_ns)
		return (long)(window_ns - spent);
	r = rarog_blow_counts_read(&live->counts, engine, run, &live->end);
	look_at_passes(live, now);
	if (r == 0 && passes_of(live, 0) < LEAST_PASSES && spent < LONGEST * window_ns)
		return (long)window_ns;
	if (r == 0)
		r = read_shares(live, &live->shares_now);
	if (r == 0)
		r = set_places(live->task, engine, run, true);
	if (r == 0 && has_patience(live, now)) {
		live->phase = WANTED;
		return IDLE_NS;
	}
	if (r == 0) {
		note_outcome(live, now);
		look_for_hang(live);
		r = check_passes(live);
	}
	live->own_before = live->task->own;
	live->result = r;
	live->phase = DONE;
	pthread_cond_broadcast(&live->changed);
	return IDLE_NS;
}

static long open_window(struct rarog_blow_live *live, const struct rarog_engine *engine,
			struct rarog_engine_run *run)
{
	int r = rarog_blow_counts_read(&live->counts, engine, run, &live->begin);

	if (r == 0)
		r = set_places(live->task, engine, run, false);
	if (r == 0)
		r = read_shares(live, &live->shares);
	live->start_ns = live->passed_ns = rarog_now_ns();
	live->passes = 0;
	live->phase = OPEN;
	if (r == 0)
		return (long)live->task->options->window_ns;
	live->result = r;
	live->phase = DONE;
	pthread_cond_broadcast(&live->changed);
	return IDLE_NS;
}

/* Messages are a thread's own. */
static void keep_message(struct rarog_blow_live *live)
{
	if (live->result < 0)
		snprintf(live->message, sizeof(live->message), "%s", rarog_error_message());
}

static long steer(void *steerer, const struct rarog_engine *engine, struct rarog_engine_run *run)
{
	struct rarog_blow_live *live = steerer;
	long ns = IDLE_NS;

	pthread_mutex_lock(&live->lock);
	if (live->phase == WANTED)
		ns = open_window(live, engine, run);
	else if (live->phase == OPEN)
		ns = go_on(live, engine, run);
	if (live->phase == DONE)
		keep_message(live);
	pthread_mutex_unlock(&live->lock);
	return ns;
}

/* Also if nobody has waited for it yet. */
static bool has_ended(pid_t pid)
{
	rarog_cleanup(rarog_closep) int process = rarog_ended_open(pid);

	return process == -ESRCH || (process >= 0 && rarog_ended(process));
}

int rarog_blow_live_run(struct rarog_blow_live *live, const struct rarog_blow_task *task,
			struct rarog_blow_outcome *ret_outcome)
{
	bool is_closed;
	int r;

	pthread_mutex_lock(&live->lock);
	live->task = task;
	live->result = 0;
	if (live->phase == IDLE)
		live->phase = WANTED;
	while (live->phase == WANTED || live->phase == OPEN)
		pthread_cond_wait(&live->changed, &live->lock);
	is_closed = live->phase == CLOSED;
	if (!is_closed)
		live->phase = IDLE;
	r = live->result;
	*ret_outcome = live->outcome;
	pthread_mutex_unlock(&live->lock);
	if (is_closed && !has_ended(task->options->attachment->pid))
		return -ECANCELED;
	if (is_closed)
		return rarog_fail(-ESRCH, "%s: has ended while it was measured",
				  task->options->command->argv[0]);
	return r < 0 ? rarog_fail(r, "%s", live->message) : 0;
}

/* --- the session --- */

static void *run_session(void *user)
{
	struct rarog_blow_live *live = user;
	int r = live->play(live->user);

	pthread_mutex_lock(&live->lock);
	live->result = r;
	keep_message(live);
	live->is_over = true;
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

/* Signals are for the thread that watches. */
static int begin_thread(struct rarog_blow_live *live, pthread_t *ret_thread)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(ret_thread, NULL, run_session, live);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r == 0 ? 0 : rarog_fail(-r, "cannot begin a thread: %s", strerror(r));
}

static void end_thread(struct rarog_blow_live *live, pthread_t thread)
{
	pthread_mutex_lock(&live->lock);
	live->phase = CLOSED;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
	pthread_join(thread, NULL);
}

static int make_plan(struct rarog_blow_live *live, struct rarog_plan *plan)
{
	struct rarog_plan_options what = live->first->options->what;
	int r;

	what.within = what.not_below = NULL; /* these chose the functions */
	r = rarog_plan_make(&what, plan);
	plan->collector = rarog_collectors[0].name;
	plan->detail = RAROG_DETAIL_SUMMARY;
	plan->delays = plan->switches = true;
	rarog_blow_counts_plan(&live->counts, plan);
	return r;
}

static int watch(struct rarog_blow_live *live, struct rarog_plan *plan)
{
	const struct rarog_blow_options *options = live->first->options;
	struct rarog_attachment attachment = *options->attachment;
	const struct rarog_trace_options trace = {
		.plan = plan,
		.command = options->command,
		.attachment = &attachment,
		.output = live->first->profile,
		.steer = steer,
		.steerer = live,
	};
	struct rarog_collected collected = { 0 };
	pthread_t thread;
	int session, r = begin_thread(live, &thread);

	if (r < 0)
		return r;
	attachment.duration_ns = 0;
	attachment.is_over = &live->is_over;
	r = rarog_drive(options->engine, &trace, &collected);
	end_thread(live, thread);
	session = live->result;
	if (r == 0 && session < 0 && session != -ECANCELED)
		return rarog_fail(session, "%s", live->message);
	return r;
}

/* Which of the threads that share the work another waits for is not known. */
static void say_delay(const struct rarog_blow_live *live)
{
	if (live->delay > DELAY_MOST)
		rarog_warn(
			"%s: its threads waited for a processor for up to %.0f %% of the time in "
			"which they could run, and share the work: estimates are too high by as "
			"much if others had it, which intervals allow for; measure while "
			"processors are free",
			live->first->options->command->argv[0], 100 * live->delay);
}

static int make_readings(struct rarog_blow_live *live)
{
	int r = rarog_blow_counts_init(&live->counts, live->first);

	r = r < 0 ? r : rarog_blow_readings_init(&live->counts, &live->begin);
	return r < 0 ? r : rarog_blow_readings_init(&live->counts, &live->end);
}

static void release(struct rarog_blow_live *live)
{
	rarog_vec_release(&live->shares.v);
	rarog_vec_release(&live->shares_now.v);
	rarog_blow_readings_release(&live->begin);
	rarog_blow_readings_release(&live->end);
	rarog_blow_counts_release(&live->counts);
	pthread_mutex_destroy(&live->lock);
	pthread_cond_destroy(&live->changed);
}

int rarog_blow_live_play(const struct rarog_blow_task *task, int (*play)(void *user), void *user,
			 struct rarog_blow_live **ret_live)
{
	struct rarog_blow_live live = {
		.first = task,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.play = play,
		.user = user,
	};
	struct rarog_plan plan = { 0 };
	int r = make_readings(&live);

	*ret_live = &live;
	if (r == 0)
		r = make_plan(&live, &plan);
	if (r == 0)
		r = watch(&live, &plan);
	if (r == 0)
		say_delay(&live);
	rarog_plan_release(&plan);
	release(&live);
	*ret_live = NULL;
	return r;
}
