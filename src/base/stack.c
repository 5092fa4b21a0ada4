/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The limit of stacks is inherited, and must be handed on to the program as it is, so it cannot be
 * raised here. But a stack may be any memory: we go on on one of our own.
 */
#include <pthread.h>

#include "base/stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define STACK_SIZE ((size_t)8 << 20)
#define STACK_LESS ((size_t)2 << 20) /* is too small */

struct call {
	ucontext_t caller, own;
	int (*work)(void *context);
	void *context;
	int result;
};

static bool is_small(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_LESS;
}

static void enlarge_threads(void)
{
	pthread_attr_t attributes;

	if (pthread_attr_init(&attributes) != 0)
		return;
	if (pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0)
		pthread_setattr_default_np(&attributes);
	pthread_attr_destroy(&attributes);
}

/* makecontext() hands over ints only: a pointer is two. */
static void enter(unsigned high, unsigned low)
{
	struct call *call = (struct call *)((uintptr_t)high << 32 | low);

	call->result = call->work(call->context);
}

static void call_on(struct call *call, void *stack)
{
	uintptr_t address = (uintptr_t)call;

	getcontext(&call->own);
	call->own.uc_stack.ss_sp = stack;
	call->own.uc_stack.ss_size = STACK_SIZE;
	call->own.uc_link = &call->caller;
	makecontext(&call->own, (void (*)(void))(void *)enter, 2, (unsigned)(address >> 32),
		    (unsigned)address);
	swapcontext(&call->caller, &call->own);
}

int rarog_stack_run(int (*work)(void *context), void *context)
{
	struct call call = { .work = work, .context = context };
	void *stack = MAP_FAILED;

	if (is_small()) {
		enlarge_threads();
		stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	}
	if (stack == MAP_FAILED)
		return work(context);
	call_on(&call, stack);
	munmap(stack, STACK_SIZE);
	return call.result;
}
