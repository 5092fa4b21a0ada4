/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What counts is told thread by thread: of those that live when it is asked for, of others when
 * they end. The sum of both is what has been counted so far.
 */
#include "blow/live-counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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
static void set_action(struct rarog_plan_place *place, bool is_counted)
{
	place->action = is_counted ? RAROG_ACTION_COUNT : RAROG_ACTION_OFF;
	place->n = 0;
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
	set_action(place, counts_passes || rarog_blow_corpus_find(counts->task->corpus, &which));
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

static void add_up(const struct rarog_blow_counts *counts, struct rarog_blow_readings *to,
		   const struct rarog_delayed_calls *calls)
{
	const struct rarog_blow_place which = { calls->path, calls->address, calls->mark };
	const struct rarog_blow_corpus *corpus = counts->task->corpus;
	const struct rarog_blow_function *f = rarog_blow_corpus_find(corpus, &which);

	if (f) {
		to->v.v[f - corpus->v.v].calls += calls->calls;
		to->v.v[f - corpus->v.v].amount += calls->amount;
	}
	for (size_t i = 0; i < counts->places.n; i++)
		if (is_same(&counts->places.v[i].place, calls))
			to->v.v[corpus->v.n + counts->places.v[i].point].calls += calls->calls;
	to->lapses = calls->lapses > to->lapses ? calls->lapses : to->lapses;
}

/* By the engine's thread: a thread of the program has ended. */
static void take_ended(void *user, const struct rarog_delayed_calls *calls)
{
	struct rarog_blow_counts *counts = user;

	pthread_mutex_lock(&counts->lock);
	add_up(counts, &counts->ended, calls);
	counts->n_ended++;
	pthread_mutex_unlock(&counts->lock);
}

struct reading {
	const struct rarog_blow_counts *counts;
	struct rarog_blow_readings *to;
};

static void take_living(void *user, const struct rarog_delayed_calls *calls)
{
	const struct reading *reading = user;

	add_up(reading->counts, reading->to, calls);
}

static uint64_t take_those_that_ended(struct rarog_blow_counts *counts,
				      struct rarog_blow_readings *to)
{
	const struct rarog_blow_readings *ended = &counts->ended;
	uint64_t n_ended;

	pthread_mutex_lock(&counts->lock);
	memcpy(to->v.v, ended->v.v, to->v.n * sizeof(*to->v.v));
	to->lapses = ended->lapses;
	n_ended = counts->n_ended;
	pthread_mutex_unlock(&counts->lock);
	return n_ended;
}

/* Anew, if a thread has ended meanwhile, which would be in both sums. */
int rarog_blow_counts_read(struct rarog_blow_counts *counts, const struct rarog_engine *engine,
			   struct rarog_engine_run *run, struct rarog_blow_readings *to)
{
	struct reading reading = { counts, to };
	const struct rarog_delay_account account = { take_living, &reading };
	uint64_t before, after = 0;
	int r;

	do {
		before = take_those_that_ended(counts, to);
		r = rarog_engine_tell_counts(engine, run, &account);
		pthread_mutex_lock(&counts->lock);
		after = counts->n_ended;
		pthread_mutex_unlock(&counts->lock);
	} while (r == 0 && before != after);
	return r;
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
}

/* --- all of it --- */

int rarog_blow_counts_init(struct rarog_blow_counts *counts, const struct rarog_blow_task *task)
{
	*counts = (struct rarog_blow_counts){ .task = task, .lock = PTHREAD_MUTEX_INITIALIZER };
	return rarog_blow_readings_init(counts, &counts->ended);
}

void rarog_blow_counts_plan(struct rarog_blow_counts *counts, struct rarog_plan *plan)
{
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
