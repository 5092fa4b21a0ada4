/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent looks through stacks, strands and the saved-return table, and waits for rarog: far more
 * instructions than can be made in steps, and at any moment that we choose a busy thread may be
 * there again. So it is told to wait where it comes out.
 */
#include "engine/inline/attach/agent-await.h"
#include "engine/inline/code/known-areas.h"

#include <errno.h>

#include "base/error.h"
#include "engine/inline/code/agent-settle.h"
#include "process/task.h"
#include "process/thread.h"

#define MOMENTS_MOST    20 /* some 20 ms altogether */
#define SETTLE_LEAST_NS 20000
#define SETTLE_MOST_NS  1280000

/* A thread that reads meanwhile finds itself, if it is there before and after. */
void rarog_agents_hold(struct rarog_control *control, size_t n, const uint32_t tids[],
		       const uint64_t pointers[])
{
	for (size_t i = 0; i < n; i++) {
		__atomic_store_n(&control->held_by[i], tids[i], __ATOMIC_RELEASE);
		__atomic_store_n(&control->held_at[i], pointers[i], __ATOMIC_RELEASE);
	}
	__atomic_store_n(&control->held, n, __ATOMIC_RELEASE);
}

static bool is_in_agent(const struct rarog_image *image, const struct rarog_thread *thread,
			uint64_t *ret_at)
{
	return rarog_known_code_at(image, thread->regs.rip, ret_at) == RAROG_CODE_AGENT;
}

/* Is it out of the agent, or could be brought out? One of the agent's functions returns to another
 * as it would out of all of them. */
static bool is_out(const struct rarog_image *image, struct rarog_thread *thread)
{
	uint64_t at;

	return !is_in_agent(image, thread, &at) ||
	       (rarog_agent_settle(thread->tid, at, &thread->regs) &&
		!is_in_agent(image, thread, &at));
}

/* Not beyond a signal: its handler would run here and now. */
static int run_to_end(const struct rarog_image *image, struct rarog_thread *thread)
{
	long ns = SETTLE_LEAST_NS;
	int r = 0;

	for (int i = 0;
	     r == 0 && !rarog_thread_signal(thread) && !is_out(image, thread) && i < MOMENTS_MOST;
	     i++) {
		r = rarog_thread_run(thread, ns);
		ns = ns < SETTLE_MOST_NS ? 2 * ns : ns;
	}
	return r;
}

static int end(struct rarog_image *image, struct rarog_thread *thread)
{
	const uint64_t pointer = thread->regs.fs_base;
	struct rarog_task task;
	uint32_t tid;
	int r;

	if (rarog_task_read(thread->tid, &task) < 0)
		return 0; /* if it has ended that will be seen */
	tid = (uint32_t)task.inner_tid;
	rarog_agents_hold(image->control, 1, &tid, &pointer);
	r = run_to_end(image, thread);
	rarog_agents_hold(image->control, 0, NULL, NULL);
	return r;
}

long rarog_agents_end(struct rarog_image *image, struct rarog_threads *threads)
{
	uint64_t at;
	long n = 0;

	for (size_t i = threads->v.n; i-- > 0;) {
		struct rarog_thread *thread = &threads->v.v[i];
		int r = is_in_agent(image, thread, &at) ? end(image, thread) : 0;

		if (r == -ESRCH)
			rarog_threads_forget(threads, i);
		else if (r < 0)
			return rarog_fail(r, "a thread does not stop");
		else
			n += is_in_agent(image, thread, &at);
	}
	return n;
}
