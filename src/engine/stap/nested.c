/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/stap/nested.h"

#include <stdlib.h>

#include <uthash.h>

#include "base/error.h"
#include "base/vec.h"

#define STACK_TOP  (1ull << 47)
#define STACK_STEP 16 /* between the places that stand for those that are not told */

struct rarog_stap_thread {
	uint32_t tid, process;
	RAROG_VEC(uint32_t) open; /* functions */
	UT_hash_handle hh;
};

static struct rarog_stap_thread *find(const struct rarog_stap_nested *nested, uint32_t tid)
{
	struct rarog_stap_thread *thread;

	HASH_FIND(hh, nested->threads, &tid, sizeof(tid), thread);
	return thread;
}

int rarog_stap_nested_add(struct rarog_stap_nested *nested, uint32_t tid, uint32_t process)
{
	struct rarog_stap_thread *thread = find(nested, tid);

	if (thread)
		return 0;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return rarog_oom();
	thread->tid = tid;
	thread->process = process;
	HASH_ADD(hh, nested->threads, tid, sizeof(thread->tid), thread);
	return 0;
}

static void forget(struct rarog_stap_nested *nested, struct rarog_stap_thread *thread)
{
	HASH_DEL(nested->threads, thread);
	rarog_vec_release(&thread->open);
	free(thread);
}

void rarog_stap_nested_forget(struct rarog_stap_nested *nested, uint32_t tid)
{
	struct rarog_stap_thread *thread = find(nested, tid);

	if (thread)
		forget(nested, thread);
}

void rarog_stap_nested_release(struct rarog_stap_nested *nested)
{
	struct rarog_stap_thread *thread, *next;

	HASH_ITER(hh, nested->threads, thread, next)
	forget(nested, thread);
}

uint32_t rarog_stap_nested_process(const struct rarog_stap_nested *nested, uint32_t tid)
{
	const struct rarog_stap_thread *thread = find(nested, tid);

	return thread ? thread->process : tid;
}

int rarog_stap_nested_open(struct rarog_stap_nested *nested, struct rarog_probed_event *event)
{
	int r = rarog_stap_nested_add(nested, event->tid, event->process);
	struct rarog_stap_thread *thread = r < 0 ? NULL : find(nested, event->tid);

	if (!thread)
		return r;
	if (rarog_vec_push(&thread->open, event->number) < 0)
		return rarog_oom();
	event->place = STACK_TOP - thread->open.n * STACK_STEP;
	return 1;
}

int rarog_stap_nested_close(struct rarog_stap_nested *nested, struct rarog_probed_event *event)
{
	struct rarog_stap_thread *thread = find(nested, event->tid);
	size_t n = thread ? thread->open.n : 0;

	while (n > 0 && thread->open.v[n - 1] != event->number)
		n--;
	if (n == 0)
		return 0;
	event->place = STACK_TOP - n * STACK_STEP;
	thread->open.n = n - 1;
	return 1;
}
