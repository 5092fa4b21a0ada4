/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/ends.h"

#include <string.h>

#include "base/error.h"

static struct rarog_thread_end *find(const struct rarog_process_end *end, uint32_t id)
{
	for (size_t i = 0; i < end->threads.n; i++)
		if (end->threads.v[i].id == id)
			return &end->threads.v[i];
	return NULL;
}

#define NOT_SAID UINT32_MAX

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* What is known of both, if they are two of one number. */
static uint32_t least(uint32_t a, uint32_t b)
{
	if (a == NOT_SAID || b == NOT_SAID)
		return a == NOT_SAID ? b : a;
	if (a == RAROG_COUNTER_CUT || b == RAROG_COUNTER_CUT)
		return RAROG_COUNTER_CUT;
	return a < b ? a : b;
}

/* In this file: a child that a thread forked counted elsewhere for a moment. */
static uint32_t most_of(const struct rarog_counters *counters, uint32_t id)
{
	uint32_t state = RAROG_COUNTER_RUNS;

	for (size_t i = 0; i < counters->n_threads; i++)
		if (counters->threads[i].id == id)
			state = most(state, counters->threads[i].state);
	return state;
}

/* A thread that waits or has ended in one binary's call is in the midst of nothing elsewhere. In a
 * handler it is, wherever that is known. Who has closed a library may go on. */
static int add_thread(struct rarog_process_end *end, const struct rarog_counters_thread *thread,
		      uint32_t own, bool has_closed)
{
	struct rarog_thread_end *known = find(end, thread->id);
	struct rarog_thread_end new = {
		.id = thread->id,
		.state = has_closed ? RAROG_COUNTER_RUNS : thread->state,
		.own = own,
		.closed = has_closed ? thread->state : RAROG_COUNTER_RUNS,
	};

	if (!known)
		return rarog_vec_push(&end->threads, new) < 0 ? rarog_oom() : 0;
	known->state = most(known->state, new.state);
	known->own = least(known->own, new.own);
	known->closed = most(known->closed, new.closed);
	return 0;
}

/* Has the handler of SIGABRT returned to abort()? It is blocked till then. */
static bool has_aborted(const struct rarog_process_end *end)
{
	return end->is_aborted && end->aborted_by != 0;
}

/* Where the program tells, what libraries that were closed say is not needed. If it executed
 * itself, or its number was used again, a thread's number may stand for several, and which of the
 * libraries are whose is not known. */
static uint32_t state_of(const struct rarog_process_end *end, size_t i)
{
	const struct rarog_thread_end *thread = &end->threads.v[i];

	if (has_aborted(end) && thread->id == end->aborted_by)
		return RAROG_COUNTER_ENDED;
	if (end->n_own > 1 && thread->own != NOT_SAID)
		return thread->own;
	return end->n_own > 0 ? thread->state : most(thread->state, thread->closed);
}

int rarog_process_end_add(struct rarog_process_end *end, const struct rarog_counters *counters)
{
	bool is_own = strcmp(counters->binary, counters->program) == 0;
	const struct rarog_counters_thread *thread = counters->threads;
	int r = 0;

	end->n_files++;
	end->n_ended += counters->ended_by != 0;
	end->n_called += counters->ended_by != 0 && !counters->is_closed;
	end->n_own += is_own;
	end->n_own_ended += is_own && counters->ended_by != 0;
	end->aborted_by = counters->aborted_by ? counters->aborted_by : end->aborted_by;
	end->has_jumped |= counters->has_jumped;
	end->lost_ends |= counters->lost_ends;
	for (size_t i = 0; r == 0 && i < counters->n_threads; i++, thread++)
		r = add_thread(end, thread, is_own ? most_of(counters, thread->id) : NOT_SAID,
			       counters->is_closed && !is_own && thread->id == counters->ended_by);
	return r;
}

/* Each for itself, by a system call: with the last the process ends. */
static bool have_threads_ended(const struct rarog_process_end *end)
{
	for (size_t i = 0; i < end->threads.n; i++)
		if (state_of(end, i) < RAROG_COUNTER_ENDED)
			return false;
	return end->threads.n > 0;
}

/* Of a library the program tells, or another way round, but not where files are of several
 * programs, one after the other in one process. */
static bool is_said(const struct rarog_process_end *end)
{
	if (has_aborted(end))
		return true;
	if (end->n_own == 1)
		return end->n_own_ended > 0 || end->n_called > 0 || have_threads_ended(end);
	return end->n_own > 0 ? end->n_own_ended == end->n_own : end->n_ended == end->n_files;
}

static bool has_thread(const struct rarog_process_end *end, uint32_t state)
{
	for (size_t i = 0; i < end->threads.n; i++)
		if (state_of(end, i) == state)
			return true;
	return false;
}

enum rarog_end rarog_process_end_judge(const struct rarog_process_end *end)
{
	if (end->is_running)
		return RAROG_END_WHOLE;
	if (!is_said(end))
		return RAROG_END_UNSAID;
	if (end->has_jumped || has_thread(end, RAROG_COUNTER_CUT))
		return RAROG_END_HANDLER;
	return end->lost_ends || has_thread(end, RAROG_COUNTER_RUNS) ? RAROG_END_THREADS
								     : RAROG_END_WHOLE;
}

void rarog_process_end_release(struct rarog_process_end *end)
{
	rarog_vec_release(&end->threads);
}
