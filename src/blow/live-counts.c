/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What counts is told thread by thread: of those that live when it is asked for, of others when
 * they end. The sum of both is what has been counted so far.
 */
#include "blow/live-counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "blow/waits.h"
#include "engine/engine.h"

static size_t n_counted(const struct rarog_blow_counts *counts)
{
	return counts->task->corpus->v.n + counts->task->points->v.n;
}

/* --- which places --- */

static int add_progress(struct rarog_blow_counts *counts, const struct rarog_blow_place *place,
			size_t point)
{
	struct rarog_blow_progress_place own = {
		.place = { strdup(place->path), place->address,
			   place->mark ? strdup(place->mark) : NULL },
		.point = point,
	};

	if (own.place.path && (own.place.mark || !place->mark) &&
	    rarog_vec_push(&counts->places, own) == 0)
		return 0;
	free((char *)(uintptr_t)own.place.path);
	free((char *)(uintptr_t)own.place.mark);
	return rarog_oom();
}

/* As between windows with noise. */
static void set_action(const struct rarog_blow_counts *counts, struct rarog_plan_place *place,
		       const struct rarog_blow_function *f, const char *name, bool counts_passes)
{
	const struct rarog_blow_mode *mode = counts->task->options->mode;
	unsigned settle = mode->is_virtual && !place->mark ? rarog_blow_settles(name) : 0;

	place->action = f || counts_passes ? RAROG_ACTION_COUNT : RAROG_ACTION_OFF;
	place->n = 0;
	if (mode->is_virtual && f) {
		mode->act(f, false, place);
	} else if (settle) {
		place->action = RAROG_ACTION_SETTLE;
		place->n = settle;
	}
	place->reason = place->action == RAROG_ACTION_OFF ? "not chosen" : NULL;
}

static int decide_place(struct rarog_blow_counts *counts, const char *path,
			struct rarog_plan_place *place, const char *name)
{
	const struct rarog_blow_place which = { path, place->address, place->mark };
	const struct rarog_blow_points *points = counts->task->points;
	bool counts_passes = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < points->v.n; i++)
		if (rarog_blow_is_meant(points->v.v[i].name, name, place->mark)) {
			counts_passes = true;
			r = add_progress(counts, &which, i);
		}
	set_action(counts, place, rarog_blow_corpus_find(counts->task->corpus, &which), name,
		   counts_passes);
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

/* Return: is it a place at which threads only pass, if it is one of progress and no other? */
static bool add_passes(const struct rarog_blow_counts *counts, struct rarog_blow_readings *to,
		       const struct rarog_delayed_calls *calls)
{
	const struct rarog_blow_place which = { calls->path, calls->address, calls->mark };
	size_t first = counts->task->corpus->v.n;
	bool any = false;

	for (size_t i = 0; i < counts->places.n; i++)
		if (is_same(&counts->places.v[i].place, calls)) {
			to->v.v[first + counts->places.v[i].point].calls += calls->calls;
			any = true;
		}
	return any && !rarog_blow_corpus_find(counts->task->corpus, &which);
}

/* Return: did it call a place at which it may pause? */
static bool add_up(const struct rarog_blow_counts *counts, struct rarog_blow_readings *to,
		   const struct rarog_delayed_calls *calls)
{
	const struct rarog_blow_place which = { calls->path, calls->address, calls->mark };
	const struct rarog_blow_corpus *corpus = counts->task->corpus;
	const struct rarog_blow_function *f = rarog_blow_corpus_find(corpus, &which);

	if (f) {
		to->v.v[f - corpus->v.v].calls += calls->calls;
		to->v.v[f - corpus->v.v].amount += calls->amount;
	}
	to->paused_ns += calls->late_ns;
	to->gained_ns = calls->gained_ns > to->gained_ns ? calls->gained_ns : to->gained_ns;
	to->lapses = calls->lapses > to->lapses ? calls->lapses : to->lapses;
	to->behind = calls->behind > to->behind ? calls->behind : to->behind;
	return !add_passes(counts, to, calls);
}

/* By the engine's thread: a thread of the program has ended. */
static void take_ended(void *user, const struct rarog_delayed_calls *calls)
{
	struct rarog_blow_counts *counts = user;

	pthread_mutex_lock(&counts->lock);
	(void)add_up(counts, &counts->ended, calls);
	counts->n_ended++;
	pthread_mutex_unlock(&counts->lock);
}

struct reading {
	const struct rarog_blow_counts *counts;
	struct rarog_blow_readings *to;
	int result;
};

/* Those of a thread come one after another. */
static int add_pausing(struct rarog_blow_readings *to, uint32_t tid, uint64_t calls)
{
	struct rarog_blow_pausing *last = to->pausing.n ? &to->pausing.v[to->pausing.n - 1] : NULL;

	if (!last || last->tid != tid)
		return rarog_vec_push(&to->pausing, (struct rarog_blow_pausing){ tid, calls });
	last->calls += calls;
	return 0;
}

static void take_living(void *user, const struct rarog_delayed_calls *calls)
{
	struct reading *reading = user;

	if (add_up(reading->counts, reading->to, calls) && reading->result == 0)
		reading->result = add_pausing(reading->to, calls->tid, calls->calls);
}

uint64_t rarog_blow_readings_calls(const struct rarog_blow_readings *readings, uint32_t tid)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < readings->pausing.n; i++)
		if (readings->pausing.v[i].tid == tid)
			calls += readings->pausing.v[i].calls;
	return calls;
}

static uint64_t take_those_that_ended(struct rarog_blow_counts *counts,
				      struct rarog_blow_readings *to)
{
	const struct rarog_blow_readings *ended = &counts->ended;
	uint64_t n_ended;

	pthread_mutex_lock(&counts->lock);
	memcpy(to->v.v, ended->v.v, to->v.n * sizeof(*to->v.v));
	to->lapses = ended->lapses;
	to->behind = ended->behind;
	to->gained_ns = ended->gained_ns;
	to->paused_ns = ended->paused_ns;
	n_ended = counts->n_ended;
	pthread_mutex_unlock(&counts->lock);
	return n_ended;
}

/* Anew, if a thread has ended meanwhile, which would be in both sums. */
int rarog_blow_counts_read(struct rarog_blow_counts *counts, const struct rarog_engine *engine,
			   struct rarog_engine_run *run, struct rarog_blow_readings *to)
{
	struct reading reading = { counts, to, 0 };
	const struct rarog_delay_account account = { take_living, &reading };
	uint64_t before, after = 0;
	int r;

	do {
		before = take_those_that_ended(counts, to);
		to->pausing.n = 0;
		r = rarog_engine_tell_counts(engine, run, &account);
		pthread_mutex_lock(&counts->lock);
		after = counts->n_ended;
		pthread_mutex_unlock(&counts->lock);
	} while (r == 0 && before != after);
	return r == 0 && reading.result < 0 ? rarog_oom() : r;
}

int rarog_blow_readings_init(const struct rarog_blow_counts *counts,
			     struct rarog_blow_readings *readings)
{
	const struct rarog_blow_counted none = { 0 };
	int r = 0;

	*readings = (struct rarog_blow_readings){ 0 };
	for (size_t i = 0; r == 0 && i < n_counted(counts); i++)
		r = rarog_vec_push(&readings->v, none);
	return r < 0 ? rarog_oom() : 0;
}

void rarog_blow_readings_release(struct rarog_blow_readings *readings)
{
	rarog_vec_release(&readings->v);
	rarog_vec_release(&readings->pausing);
}

/* --- all of it --- */

int rarog_blow_counts_init(struct rarog_blow_counts *counts, const struct rarog_blow_task *task)
{
	*counts = (struct rarog_blow_counts){ .task = task, .lock = PTHREAD_MUTEX_INITIALIZER };
	return rarog_blow_readings_init(counts, &counts->ended);
}

void rarog_blow_counts_plan(struct rarog_blow_counts *counts, struct rarog_plan *plan)
{
	/* where threads wait, and wake others */
	plan->libraries |= counts->task->options->mode->is_virtual;
	plan->judge = (struct rarog_place_judge){ decide, counts };
	plan->delayed = (struct rarog_delay_account){ take_ended, counts };
}

void rarog_blow_counts_release(struct rarog_blow_counts *counts)
{
	for (size_t i = 0; i < counts->places.n; i++) {
		free((char *)(uintptr_t)counts->places.v[i].place.path);
		free((char *)(uintptr_t)counts->places.v[i].place.mark);
	}
	rarog_vec_release(&counts->places);
	rarog_blow_readings_release(&counts->ended);
	pthread_mutex_destroy(&counts->lock);
}
