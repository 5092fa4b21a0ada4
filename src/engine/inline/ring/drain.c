/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread that empties the rings; how, is in drain-take.c.
 *
 * One lock guards everything of the drain; the thread holds it while it works, not while it sleeps.
 */
#include <pthread.h>

#include "engine/inline/ring/drain-state.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/delay.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/ring/kept.h"
#include "engine/inline/ring/owner.h"
#include "engine/inline/ring/processes.h"
#include "engine/inline/ring/requests.h"

#define SECOND_NS 1000000000l
#define NOISE_NS  SECOND_NS /* that noise goes on for without us */
#define PULSE_NS  (SECOND_NS / 4)

static const char *why_unasked(const struct rarog_image *image)
{
	return image->header.flags & RAROG_AREA_CALLS_FOR_GS
		       ? "calls after a seccomp filter was set, on a machine without FSGSBASE"
		       : "calls of threads that began after a seccomp filter was set";
}

static void forget_image(struct rarog_drain *d, struct rarog_image *image)
{
	struct rarog_image **at = &d->images;
	uint64_t left_out = rarog_image_strand(image, 0)->left_out;

	if (left_out)
		rarog_recorder_lose(d->recorder, "calls of more threads than can be followed",
				    left_out);
	if (image->control->unasked)
		rarog_recorder_lose(d->recorder, why_unasked(image), image->control->unasked);
	if (image->control->astray)
		rarog_recorder_doubt(d->recorder, RAROG_DOUBT_ASTRAY, image->control->astray);
	if (image->control->gone & RAROG_GONE_SILENT)
		rarog_recorder_lose(d->recorder,
				    "wait for rarog in vain: calls behind it are missing", 1);
	while (*at && *at != image)
		at = &(*at)->next;
	pthread_mutex_lock(&d->noise_lock);
	if (*at)
		*at = image->next;
	pthread_mutex_unlock(&d->noise_lock);
	/* children that were found only when all was closed are not measured any more */
	for (size_t i = 0; i < d->processes.n; i++)
		if (d->processes.v[i].image == image)
			d->processes.v[i].image = NULL;
	rarog_owner_remove(&d->owner, rarog_image_owned(image));
	image->next = d->done;
	d->done = image;
}

static void free_done(struct rarog_drain *d)
{
	while (d->done) {
		struct rarog_image *next = d->done->next;

		rarog_image_free(d->done);
		d->done = next;
	}
}

/* --- the threads --- */

/* Noise is made as long as we are there to end it. Where that was not so for a while what came of
 * it is not what was asked. Return: was it so? The noise lock is held. */
static bool allow_noise(const struct rarog_drain *d, const struct rarog_image *image)
{
	uint64_t *until = &image->control->noise_until, now = __rdtsc();
	uint64_t before = __atomic_load_n(until, __ATOMIC_RELAXED);

	if (!image->modules->plan->delays || d->is_quiet)
		return false;
	__atomic_store_n(until, now + rarog_delay_ticks(NOISE_NS), __ATOMIC_RELAXED);
	return now > before;
}

static void set_quiet(struct rarog_drain *d, struct rarog_image *image, bool is_quiet)
{
	uint64_t *until = &image->control->noise_until, now = __rdtsc();

	if (is_quiet)
		d->lapses += now > __atomic_exchange_n(until, 0, __ATOMIC_RELAXED);
	else
		__atomic_store_n(until, now + rarog_delay_ticks(NOISE_NS), __ATOMIC_RELAXED);
}

/* Not with the lock that is held while a library is looked at: a signal waits meanwhile. What is
 * not made is not noted, so a moment without noise falsifies nothing. */
void rarog_drain_quieten(struct rarog_drain *d, bool is_quiet)
{
	pthread_mutex_lock(&d->noise_lock);
	for (struct rarog_image *i = d->images; i && d->is_quiet != is_quiet; i = i->next)
		if (i->modules->plan->delays)
			set_quiet(d, i, is_quiet);
	d->is_quiet = is_quiet;
	pthread_mutex_unlock(&d->noise_lock);
}

/* The lock is held. */
static void beat(struct rarog_drain *d)
{
	pthread_mutex_lock(&d->noise_lock);
	for (struct rarog_image *i = d->images; i; i = i->next) {
		__atomic_fetch_add(&i->control->beat, 1, __ATOMIC_RELAXED);
		d->lapses += allow_noise(d, i);
	}
	pthread_mutex_unlock(&d->noise_lock);
}

/* From within the recorder, which may assemble for longer than agents wait for us. The lock is
 * held. */
static void read_and_beat(void *context)
{
	struct rarog_drain *d = context;

	if (d->switches)
		rarog_drain_keep(d, rarog_switches_read(d->switches));
	beat(d);
}

/* A library may be looked at for longer than that, too, and nothing else is done meanwhile. A
 * thread that is asked for a system call then, and does not make it, holds up the others no longer
 * than before. */
static void *pulse(void *argument)
{
	struct rarog_drain *d = argument;
	struct timespec next;

	pthread_mutex_lock(&d->lock);
	while (!d->stop) {
		if (__atomic_load_n(&d->is_looking, __ATOMIC_SEQ_CST) &&
		    !__atomic_load_n(&d->is_calling, __ATOMIC_SEQ_CST))
			beat(d);
		clock_gettime(CLOCK_MONOTONIC, &next);
		next.tv_nsec += PULSE_NS;
		next.tv_sec += next.tv_nsec / SECOND_NS;
		next.tv_nsec %= SECOND_NS;
		pthread_cond_timedwait(&d->stopping, &d->lock, &next);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static bool work(struct rarog_drain *d)
{
	bool any = false;

	read_and_beat(d);
	for (struct rarog_image *i = d->images; i; i = i->next) {
		any |= rarog_drain_take(d, i);
		rarog_drain_give_more(i);
	}
	rarog_drain_keep(d, rarog_thinning_look(d));
	rarog_drain_sweep(d);
	rarog_requests_sweep(d);
	rarog_drain_look(d);
	return any;
}

#define ROUNDS_BUSY 100 /* without anything to do, until we sleep longer */

/* Nothing to do: sleep for a moment, or until a library is loaded. Agents do not say that chunks
 * run low, so the drain looks: a ring of 8 MiB is full after 10 ms at the earliest. */
static void doze(struct rarog_drain *d)
{
	const struct timespec moment = {
		.tv_nsec = d->rounds_idle++ < ROUNDS_BUSY ? 1000000 : 5000000,
	};
	struct rarog_control *c = NULL;
	uint32_t filled = 0;

	pthread_mutex_lock(&d->lock);
	if (d->images && !d->images->next) {
		c = d->images->control;
		filled = __atomic_load_n(&c->filled, __ATOMIC_SEQ_CST);
		__atomic_store_n(&c->sleeping, 1, __ATOMIC_SEQ_CST);
		if (work(d) || d->stop || rarog_requests_are_there(d))
			filled--; /* do not sleep */
	}
	pthread_mutex_unlock(&d->lock);
	if (c) {
		rarog_drain_futex(&c->filled, FUTEX_WAIT, filled, &moment);
		__atomic_store_n(&c->sleeping, 0, __ATOMIC_SEQ_CST);
	} else {
		nanosleep(&moment, NULL);
	}
}

static void *run(void *argument)
{
	struct rarog_drain *d = argument;
	bool stop = false, any;

	while (!stop) {
		pthread_mutex_lock(&d->lock);
		free_done(d);
		any = work(d);
		stop = d->stop;
		pthread_mutex_unlock(&d->lock);
		any |= rarog_requests_answer(d);
		if (any)
			d->rounds_idle = 0;
		else if (!stop)
			doze(d);
	}
	return NULL;
}

/* --- for the tracer --- */

static void stop_threads(struct rarog_drain *d, bool has_pulse)
{
	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_signal(&d->stopping);
	pthread_mutex_unlock(&d->lock);
	if (has_pulse)
		pthread_join(d->pulse, NULL);
	pthread_join(d->thread, NULL);
}

/* Return: 0, or an errno. */
static int start_threads(struct rarog_drain *d)
{
	sigset_t all, old;
	int r;

	sigfillset(&all); /* signals are the tracer's business */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&d->thread, NULL, run, d);
	if (r == 0) {
		r = pthread_create(&d->pulse, NULL, pulse, d);
		if (r != 0)
			stop_threads(d, false);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

static void init_locks(struct rarog_drain *d)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->noise_lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&d->stopping, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void destroy_locks(struct rarog_drain *d)
{
	pthread_cond_destroy(&d->stopping);
	pthread_mutex_destroy(&d->lock);
	pthread_mutex_destroy(&d->noise_lock);
}

int rarog_drain_new(struct rarog_recorder *recorder, pthread_mutex_t *lock,
		    struct rarog_thinning *thinning, struct rarog_drain **ret_drain)
{
	struct rarog_drain *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return rarog_oom();
	d->recorder = recorder;
	d->thinning = thinning;
	d->install_lock = lock;
	init_locks(d);
	rarog_owner_begin(&d->owner, rarog_image_owner_distance);
	rarog_recorder_set_pulse(recorder, read_and_beat, d);
	r = start_threads(d);
	if (r != 0) {
		rarog_recorder_set_pulse(recorder, NULL, NULL);
		rarog_owner_end(&d->owner);
		destroy_locks(d);
		free(d);
		return rarog_fail(-r, "cannot start a thread: %s", strerror(r));
	}
	*ret_drain = d;
	return 0;
}

void rarog_drain_switches(struct rarog_drain *d, struct rarog_switches *take_switches)
{
	pthread_mutex_lock(&d->lock);
	d->switches = take_switches;
	pthread_mutex_unlock(&d->lock);
}

void rarog_drain_image(struct rarog_drain *d, struct rarog_image *image)
{
	pthread_mutex_lock(&d->lock);
	image->strands = calloc(RAROG_STRANDS, sizeof(*image->strands));
	if (!image->strands)
		abort();
	pthread_mutex_lock(&d->noise_lock);
	image->next = d->images;
	d->images = image;
	allow_noise(d, image);
	pthread_mutex_unlock(&d->noise_lock);
	rarog_owner_add(&d->owner, rarog_image_owned(image));
	pthread_mutex_unlock(&d->lock);
}

int rarog_drain_process(struct rarog_drain *d, pid_t pid, struct rarog_image *image, uint32_t index)
{
	struct rarog_drained process = {
		.pid = pid,
		.inner = rarog_process_inner(pid),
		.index = index,
		.image = image,
	};
	struct rarog_drained *p;
	int r = 0;

	pthread_mutex_lock(&d->lock);
	p = rarog_processes_find(&d->processes, pid);
	if (p)
		process.ran_ns = p->ran_ns;
	else
		rarog_thinning_met(d->thinning, &process);
	if (p)
		*p = process;
	else
		r = rarog_vec_push(&d->processes, process);
	pthread_mutex_unlock(&d->lock);
	return r;
}

struct rarog_image *rarog_drain_image_of(struct rarog_drain *d, pid_t pid)
{
	struct rarog_drained *p;
	struct rarog_image *image;

	pthread_mutex_lock(&d->lock);
	p = rarog_processes_find(&d->processes, pid);
	image = p ? p->image : NULL;
	pthread_mutex_unlock(&d->lock);
	return image;
}

static void write_gates(void *drain, const struct rarog_gate_change *change)
{
	struct rarog_drain *d = drain;

	for (struct rarog_image *image = d->images; image; image = image->next)
		rarog_known_set_gates(image, change);
}

int rarog_drain_change_gates(struct rarog_drain *d, struct rarog_modules *modules,
			     const struct rarog_place_change *change)
{
	int r;

	pthread_mutex_lock(&d->lock);
	r = rarog_gates_change(modules, change, write_gates, d);
	pthread_mutex_unlock(&d->lock);
	return r;
}

/* After the last process none is left that we know of; children that we were not told of may be
 * (--no-follow), and go on unmeasured. What is taken here is @p's, so @p is still known. */
static void end_process(struct rarog_drain *d, const struct rarog_drained *p, uint64_t ticks)
{
	if (rarog_processes_other(&d->processes, p, true))
		return;
	if (rarog_processes_other(&d->processes, p, false)) {
		rarog_drain_end_of(d, p->image, p->inner, ticks);
		rarog_kept_sweep(p->image, p->pid);
		return;
	}
	__atomic_fetch_or(&p->image->control->gone, RAROG_GONE_CLOSED, __ATOMIC_SEQ_CST);
	rarog_drain_close_all(d, p->image, ticks);
	forget_image(d, p->image);
}

void rarog_drain_process_gone(struct rarog_drain *d, pid_t pid, uint64_t ticks)
{
	struct rarog_drained *p, process;

	pthread_mutex_lock(&d->lock);
	p = rarog_processes_find(&d->processes, pid);
	if (p)
		rarog_thinning_gone(d->thinning, p);
	process = p ? *p : (struct rarog_drained){ 0 };
	if (process.image) {
		rarog_drain_take(d, process.image);
		end_process(d, &process, ticks);
	}
	p = rarog_processes_find(&d->processes, pid); /* the list may have grown meanwhile */
	if (p)
		*p = d->processes.v[--d->processes.n];
	if (d->answered == pid)
		__atomic_store_n(&d->answered_is_gone, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&d->lock);
}

int rarog_drain_stop(struct rarog_drain *d)
{
	int r;

	stop_threads(d, true);
	while (d->images) {
		__atomic_fetch_or(&d->images->control->gone, RAROG_GONE_CLOSED, __ATOMIC_SEQ_CST);
		rarog_drain_close_all(d, d->images, __rdtsc());
		forget_image(d, d->images);
	}
	rarog_recorder_set_pulse(d->recorder, NULL, NULL);
	rarog_owner_end(&d->owner);
	free_done(d);
	rarog_switches_free(d->switches);
	rarog_vec_release(&d->processes);
	destroy_locks(d);
	r = d->result;
	if (r < 0)
		rarog_fail(r, "%s", d->message);
	free(d);
	return r;
}
