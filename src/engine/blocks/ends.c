/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the program counts its own file tells of its threads, whatever libraries say of them. If
 * it executed itself, or its number was used again, each of its files has to tell.
 */
#include "engine/blocks/ends.h"

#include <string.h>

#include "base/error.h"

static bool is_whole(uint32_t state)
{
	return state == RAROG_COUNTER_WAITS || state == RAROG_COUNTER_ENDED;
}

/* In this file: a child that a thread forked counted elsewhere for a moment. */
static uint32_t most_of(const struct rarog_counters *counters, uint32_t id)
{
	uint32_t state = RAROG_COUNTER_RUNS;

	for (size_t i = 0; i < counters->n_threads; i++)
		if (counters->threads[i].id == id && counters->threads[i].state > state)
			state = counters->threads[i].state;
	return state;
}

/* A thread that waits or has ended in one library's call has no call open elsewhere. In a
 * handler it is, wherever that is known. A thread that has closed a library may go on. */
static int add_thread(struct rarog_process_end *end, const struct rarog_counters_thread *thread,
		      bool is_own, bool has_closed)
{
	struct rarog_thread_end new = { .id = thread->id };
	size_t i = 0;
	uint32_t *state;

	while (i < end->threads.n && end->threads.v[i].id != thread->id)
		i++;
	if (i == end->threads.n && rarog_vec_push(&end->threads, new) < 0)
		return rarog_oom();
	state = has_closed ? &end->threads.v[i].closed : &end->threads.v[i].state;
	end->threads.v[i].is_own |= is_own;
	if (thread->state > *state)
		*state = thread->state;
	return 0;
}

/* Each of its threads for itself, by a system call: with the last the process ends. */
static bool have_threads_ended(const struct rarog_counters *counters)
{
	for (size_t i = 0; i < counters->n_threads; i++)
		if (most_of(counters, counters->threads[i].id) < RAROG_COUNTER_ENDED)
			return false;
	return counters->n_threads > 0;
}

int rarog_process_end_add(struct rarog_process_end *end, const struct rarog_counters *counters)
{
	bool is_own = strcmp(counters->binary, counters->program) == 0;
	const struct rarog_counters_thread *thread = counters->threads;
	int r = 0;

	end->n_files++;
	end->n_ended += counters->ended_by != 0;
	end->n_own += is_own;
	end->n_own_ended += is_own && (counters->ended_by != 0 || have_threads_ended(counters));
	end->is_cut |= counters->has_jumped || counters->lost_ends;
	for (size_t i = 0; r == 0 && i < counters->n_threads; i++, thread++) {
		end->is_cut |= is_own && !is_whole(most_of(counters, thread->id));
		r = add_thread(end, thread, is_own,
			       counters->is_closed && thread->id == counters->ended_by);
	}
	return r;
}

/* A library's statement as it was closed only counts where no program tells more. */
static bool is_thread_whole(const struct rarog_process_end *end, size_t i)
{
	const struct rarog_thread_end *thread = &end->threads.v[i];

	if (thread->is_own) /* see is_cut */
		return true;
	if (end->n_own == 0 && thread->closed > thread->state)
		return is_whole(thread->closed);
	return is_whole(thread->state);
}

bool rarog_process_end_is_whole(const struct rarog_process_end *end)
{
	bool is_said =
		end->n_own > 0 ? end->n_own_ended == end->n_own : end->n_ended == end->n_files;
	bool is_whole = is_said && !end->is_cut;

	for (size_t i = 0; i < end->threads.n; i++)
		is_whole = is_whole && is_thread_whole(end, i);
	return end->is_running || is_whole;
}

void rarog_process_end_release(struct rarog_process_end *end)
{
	rarog_vec_release(&end->threads);
}
