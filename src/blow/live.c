/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whoever attaches must also be who looks at the program and lets it go, and is busy with that. So
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

/* What counts: the functions of the corpus, then points of progress. */
struct counted {
	uint64_t calls, amount;
};

struct readings {
	RAROG_VEC(struct counted) v;
	uint64_t lapses; /* of noise */
};

/* A place of a point: several functions may be called as it is. */
struct progress_place {
	struct rarog_blow_place place; /* owned */
	size_t point;
};

struct rarog_blow_live {
	const struct rarog_blow_task *first; /* corpus, points, options */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum phase phase;
	const struct rarog_blow_task *task; /* of the window */
	struct rarog_blow_outcome outcome;
	uint64_t start_ns, idle_since_ns; /* of the window; of those without a passage, 0: none */
	struct rarog_thread_shares shares,
		shares_now; /* of its threads: at the start; at the end */
	pid_t worker;       /* of its threads, does the work; 0: they share it … */
	double delay;       /* … and waited for processors for that part of the time at most */
	struct readings ended, begin, end; /* ended: of threads that have ended; its own lock … */
	pthread_mutex_t ended_lock;
	uint64_t n_ended;
	RAROG_VEC(struct progress_place) places;
	atomic_bool is_over;
	int result; /* of a window that failed, or of the session */
	char message[512];
	int (*play)(void *user);
	void *user;
};

static size_t n_counted(const struct rarog_blow_live *live)
{
	return live->first->corpus->v.n + live->first->points->v.n;
}

/* --- which places --- */

static int add_progress(struct rarog_blow_live *live, const struct rarog_blow_place *place,
			size_t point)
{
	struct progress_place own = {
		.place = { strdup(place->path), place->address,
			   place->mark ? strdup(place->mark) : NULL },
		.point = point,
	};

	if (own.place.path && (own.place.mark || !place->mark) &&
	    rarog_vec_push(&live->places, own) == 0)
		return 0;
	free((char *)(uintptr_t)own.place.path);
	free((char *)(uintptr_t)own.place.mark);
	return rarog_oom();
}

static int decide_place(struct rarog_blow_live *live, const char *path,
			struct rarog_plan_place *place, const char *name)
{
	const struct rarog_blow_place which = { path, place->address, place->mark };
	const struct rarog_blow_points *points = live->first->points;
	bool counts = rarog_blow_corpus_find(live->first->corpus, &which) != NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < points->v.n; i++)
		if (rarog_blow_is_meant(points->v.v[i].name, name, place->mark)) {
			counts = true;
			r = add_progress(live, &which, i);
		}
	place->action = counts ? RAROG_ACTION_COUNT : RAROG_ACTION_OFF;
	place->reason = counts ? NULL : "not chosen";
	place->n = 0;
	return r;
}

static int decide(void *user, struct rarog_binary *binary, struct rarog_place_set *set)
{
	const struct rarog_function *functions;
	int r = 0;

	rarog_binary_functions(binary, &functions);
	for (size_t i = 0; r == 0 && i < set->v.n; i++) {
		struct rarog_plan_place *place = &set->v.v[i];

		r = decide_place(user, set->path, place,
				 place->mark ? place->mark : functions[place->index].name);
	}
	return r;
}

/* --- readings --- */

static bool is_same(const struct rarog_blow_place *a, const struct rarog_delayed_calls *b)
{
	if (strcmp(a->path, b->path) != 0 || (a->mark != NULL) != (b->mark != NULL))
		return false;
	return a->mark ? strcmp(a->mark, b->mark) == 0 : a->address == b->address;
}

static void add_up(const struct rarog_blow_live *live, struct readings *to,
		   const struct rarog_delayed_calls *calls)
{
	const struct rarog_blow_place which = { calls->path, calls->address, calls->mark };
	const struct rarog_blow_corpus *corpus = live->first->corpus;
	const struct rarog_blow_function *f = rarog_blow_corpus_find(corpus, &which);

	if (f) {
		to->v.v[f - corpus->v.v].calls += calls->calls;
		to->v.v[f - corpus->v.v].amount += calls->amount;
	}
	for (size_t i = 0; i < live->places.n; i++)
		if (is_same(&live->places.v[i].place, calls))
			to->v.v[corpus->v.n + live->places.v[i].point].calls += calls->calls;
	to->lapses = calls->lapses > to->lapses ? calls->lapses : to->lapses;
}

/* By the engine's thread: a thread of the program has ended. */
static void take_ended(void *user, const struct rarog_delayed_calls *calls)
{
	struct rarog_blow_live *live = user;

	pthread_mutex_lock(&live->ended_lock);
	add_up(live, &live->ended, calls);
	live->n_ended++;
	pthread_mutex_unlock(&live->ended_lock);
}

struct reading {
	const struct rarog_blow_live *live;
	struct readings *to;
};

static void take_living(void *user, const struct rarog_delayed_calls *calls)
{
	const struct reading *reading = user;

	add_up(reading->live, reading->to, calls);
}

static uint64_t take_those_that_ended(struct rarog_blow_live *live, struct readings *to)
{
	uint64_t n;

	pthread_mutex_lock(&live->ended_lock);
	memcpy(to->v.v, live->ended.v.v, n_counted(live) * sizeof(*to->v.v));
	to->lapses = live->ended.lapses;
	n = live->n_ended;
	pthread_mutex_unlock(&live->ended_lock);
	return n;
}

/* Anew, if a thread has ended meanwhile, which would be in both sums. */
static int read_counts(struct rarog_blow_live *live, const struct rarog_engine *engine,
		       struct rarog_engine_run *run, struct readings *to)
{
	struct reading reading = { live, to };
	const struct rarog_delay_account account = { take_living, &reading };
	uint64_t before, after = 0;
	int r;

	do {
		before = take_those_that_ended(live, to);
		r = rarog_engine_tell_counts(engine, run, &account);
		pthread_mutex_lock(&live->ended_lock);
		after = live->n_ended;
		pthread_mutex_unlock(&live->ended_lock);
	} while (r == 0 && before != after);
	return r;
}

/* --- windows --- */

static int set_place(const struct rarog_engine *engine, struct rarog_engine_run *run,
		     const struct rarog_blow_function *f, uint64_t delay_ns)
{
	const struct rarog_place_change change = {
		.module = f->path,
		.address = f->address,
		.action = delay_ns > 0 ? RAROG_PLACE_DELAYED : RAROG_PLACE_COUNTED,
		.delay_ns = delay_ns,
	};

	return rarog_engine_set_place(engine, run, &change);
}

static uint64_t delay_of(const struct rarog_blow_task *task, const struct rarog_blow_function *f)
{
	struct rarog_plan_place place = { .action = RAROG_ACTION_COUNT };

	if (task->what != RAROG_BLOW_PLAIN)
		task->options->mode->act(f, f == task->own, &place);
	return place.action == RAROG_ACTION_DELAY ? place.n : 0;
}

static int set_places(const struct rarog_blow_task *task, const struct rarog_engine *engine,
		      struct rarog_engine_run *run, bool is_end)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < task->corpus->v.n; i++) {
		const struct rarog_blow_function *f = &task->corpus->v.v[i];
		uint64_t delay_ns = delay_of(task, f);

		if (delay_ns > 0)
			r = set_place(engine, run, f, is_end ? 0 : delay_ns);
	}
	return r;
}

static void note_functions(const struct rarog_blow_live *live, const struct rarog_blow_task *task)
{
	for (size_t i = 0; i < task->corpus->v.n; i++) {
		struct rarog_blow_function *f = &task->corpus->v.v[i];
		const struct counted *from = &live->begin.v.v[i], *to = &live->end.v.v[i];
		uint64_t delay_ns = delay_of(task, f);

		f->spent_calls = to->calls - from->calls;
		f->spent_ns = delay_ns == 0 ? 0
					    : rarog_noise_spent_ns(task->options->kind,
								   rarog_delay_word(delay_ns),
								   to->amount - from->amount,
								   f->spent_calls);
	}
}

static uint64_t passes_of(const struct rarog_blow_live *live, size_t point)
{
	size_t at = live->first->corpus->v.n + point;

	return live->end.v.v[at].calls - live->begin.v.v[at].calls;
}

/* As of runs: without what others had of its processor, where one thread does the work. It is the
 * same in all windows, so that they can be compared: who did when nothing was late. */
static double time_of(struct rarog_blow_live *live, uint64_t now)
{
	const struct rarog_thread_shares *before = &live->shares, *after = &live->shares_now;
	double delay = rarog_thread_shares_delay(before, after);

	if (live->task->what == RAROG_BLOW_PLAIN)
		live->worker = rarog_thread_shares_worker(before, after);
	if (!live->worker && delay > live->delay)
		live->delay = delay;
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
		.time_ns = time_of(live, now),
		.is_spoilt = live->end.lapses > live->begin.lapses,
	};
	for (size_t i = 0; i < live->first->points->v.n; i++)
		live->outcome.passes[i] = passes_of(live, i);
	note_functions(live, live->task);
}

/* Only the first point is what a window is measured by; another may be rare. */
static int check_passes(const struct rarog_blow_live *live)
{
	if (passes_of(live, 0) > 0)
		return 0;
	return rarog_fail(-ENODATA,
			  "%s is not passed any more; give the program work while it is measured",
			  live->first->points->v.v[0].name);
}

/* A window in which nothing was done says nothing: another takes its place. */
static bool has_patience(struct rarog_blow_live *live, uint64_t now)
{
	if (passes_of(live, 0) > 0) {
		live->idle_since_ns = 0;
		return false;
	}
	if (live->idle_since_ns == 0)
		live->idle_since_ns = live->start_ns;
	return now - live->idle_since_ns < IDLE_MOST_NS;
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
	r = read_counts(live, engine, run, &live->end);
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
	if (r == 0)
		note_outcome(live, now);
	if (r == 0)
		r = check_passes(live);
	live->result = r;
	live->phase = DONE;
	pthread_cond_broadcast(&live->changed);
	return IDLE_NS;
}

static long open_window(struct rarog_blow_live *live, const struct rarog_engine *engine,
			struct rarog_engine_run *run)
{
	int r = read_counts(live, engine, run, &live->begin);

	if (r == 0)
		r = set_places(live->task, engine, run, false);
	if (r == 0)
		r = read_shares(live, &live->shares);
	live->start_ns = rarog_now_ns();
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

/* Signals are for who watches. */
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
	plan->judge = (struct rarog_place_judge){ decide, live };
	plan->delayed = (struct rarog_delay_account){ take_ended, live };
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
			"much if others had it; measure while processors are free",
			live->first->options->command->argv[0], 100 * live->delay);
}

static int make_readings(struct rarog_blow_live *live)
{
	const struct counted none = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_counted(live); i++) {
		r = rarog_vec_push(&live->ended.v, none);
		r = r < 0 ? r : rarog_vec_push(&live->begin.v, none);
		r = r < 0 ? r : rarog_vec_push(&live->end.v, none);
	}
	return r < 0 ? rarog_oom() : 0;
}

static void release(struct rarog_blow_live *live)
{
	for (size_t i = 0; i < live->places.n; i++) {
		free((char *)(uintptr_t)live->places.v[i].place.path);
		free((char *)(uintptr_t)live->places.v[i].place.mark);
	}
	rarog_vec_release(&live->places);
	rarog_vec_release(&live->shares.v);
	rarog_vec_release(&live->shares_now.v);
	rarog_vec_release(&live->ended.v);
	rarog_vec_release(&live->begin.v);
	rarog_vec_release(&live->end.v);
	pthread_mutex_destroy(&live->lock);
	pthread_mutex_destroy(&live->ended_lock);
	pthread_cond_destroy(&live->changed);
}

int rarog_blow_live_play(const struct rarog_blow_task *task, int (*play)(void *user), void *user,
			 struct rarog_blow_live **ret_live)
{
	struct rarog_blow_live live = {
		.first = task,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.ended_lock = PTHREAD_MUTEX_INITIALIZER,
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
