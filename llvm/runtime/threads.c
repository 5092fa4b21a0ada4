/* SPDX-License-Identifier: MIT */
/*
 * Programs only: a thread is given counters of its own when it begins, whatever creates it. With a
 * dynamic linker the program's pthread_create is everybody's; without one (RAROG_WRAPS) the static
 * linker is told to take this one instead of libc's (--wrap).
 */
#include "runtime.h"

#include <asm/prctl.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int c11_create_function(thrd_t *, thrd_start_t, void *);

#ifdef RAROG_WRAPS
#define OURS(name)   __wrap_##name
#define THEIRS(name) __real_##name
extern create_function __wrap_pthread_create, __real_pthread_create;
extern c11_create_function __wrap_thrd_create, __real_thrd_create;
#else
#define OURS(name)   rarog_runtime_##name
#define THEIRS(name) dlsym(RTLD_NEXT, #name)
static create_function rarog_runtime_pthread_create;
static c11_create_function rarog_runtime_thrd_create;
/* Weak: a program's own, or a sanitizer's, goes before ours. */
__attribute__((
	weak,
	alias("rarog_runtime_pthread_create"))) extern __typeof__(pthread_create) pthread_create;
__attribute__((weak,
	       alias("rarog_runtime_thrd_create"))) extern __typeof__(thrd_create) thrd_create;
#endif

/* The instruction where the kernel allows it: no filter of system calls can forbid it. */
static bool move_gs(uint64_t distance)
{
	if (!rarog_runtime_fsgsbase())
		return syscall(SYS_arch_prctl, ARCH_SET_GS, distance) == 0;
	__asm__ volatile("wrgsbase %0" : : "r"(distance));
	return true;
}

/* Before the program's file (a library's constructor creates a thread), or without an area. */
static struct rarog_runtime_thread *claim(void)
{
	struct rarog_runtime_thread *thread = rarog_runtime_claim(true);

	if (!thread)
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
	return thread;
}

static void count_apart(struct rarog_runtime_thread *thread)
{
	int saved = errno;

	if (move_gs(thread->distance)) {
		rarog_runtime_begin(thread);
	} else {
		rarog_runtime_give_up(thread);
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
	}
	errno = saved;
}

/* --- clean-ups --- */

/* As glibc and musl lay it out: routine, argument, and what they need. */
struct cleanup {
	uint64_t words[4];
};

typedef void push_function(struct cleanup *, void (*)(void *), void *);
typedef void pop_function(struct cleanup *, int);

#ifdef RAROG_WRAPS
extern push_function _pthread_cleanup_push;
extern pop_function _pthread_cleanup_pop;
static push_function *const push_cleanup = _pthread_cleanup_push;
static pop_function *const pop_cleanup = _pthread_cleanup_pop;

static void find_cleanups(void)
{
}
#else
static push_function *push_cleanup;
static pop_function *pop_cleanup;

/* Not by the loader, which would look for them in each process that has no threads, too. */
static void find_cleanups(void)
{
	if (!push_cleanup)
		push_cleanup = (push_function *)dlsym(RTLD_DEFAULT, "_pthread_cleanup_push");
	if (!pop_cleanup)
		pop_cleanup = (pop_function *)dlsym(RTLD_DEFAULT, "_pthread_cleanup_pop");
}
#endif

/* The last, after all of the program's: a thread that has called pthread_exit() is through with
 * them. Of one that was cancelled nothing is known. */
static void end_clean(void *nothing)
{
	(void)nothing;
	if (rarog_runtime_owner && (*rarog_runtime_owner & RAROG_COUNTER_LEAVES))
		__rarog_note(RAROG_COUNTER_ENDS_THREAD);
}

/* Its clean-ups' end will be known. */
static void watch(struct rarog_runtime_thread *thread, struct cleanup *cleanup)
{
	if (!push_cleanup || !pop_cleanup)
		return;
	push_cleanup(cleanup, end_clean, NULL);
	thread->is_watched = true;
}

static void watch_no_more(struct cleanup *cleanup)
{
	if (push_cleanup && pop_cleanup)
		pop_cleanup(cleanup, 0);
	__rarog_note(RAROG_COUNTER_ENDS_THREAD);
}

/* --- threads --- */

static void *begin(void *argument)
{
	struct rarog_runtime_thread *thread = argument;
	struct cleanup cleanup;
	void *result;

	count_apart(thread);
	watch(thread, &cleanup);
	result = thread->function(thread->argument);
	watch_no_more(&cleanup);
	return result;
}

int OURS(pthread_create)(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *),
			 void *argument)
{
	static create_function *create;
	struct rarog_runtime_thread *thread;
	int r;

	if (!create)
		create = (create_function *)THEIRS(pthread_create);
	if (!create)
		return EAGAIN;
	thread = claim();
	if (!thread)
		return create(id, attributes, function, argument);
	thread->function = function;
	thread->argument = argument;
	find_cleanups();
	r = create(id, attributes, begin, thread);
	if (r != 0)
		rarog_runtime_give_up(thread);
	return r;
}

static int c11_begin(void *argument)
{
	struct rarog_runtime_thread *thread = argument;
	struct cleanup cleanup;
	int result;

	count_apart(thread);
	watch(thread, &cleanup);
	result = thread->c11_function(thread->argument);
	watch_no_more(&cleanup);
	return result;
}

int OURS(thrd_create)(thrd_t *id, thrd_start_t function, void *argument)
{
	static c11_create_function *create;
	struct rarog_runtime_thread *thread;
	int r;

	if (!create)
		create = (c11_create_function *)THEIRS(thrd_create);
	if (!create)
		return thrd_error;
	thread = claim();
	if (!thread)
		return create(id, function, argument);
	thread->c11_function = function;
	thread->argument = argument;
	find_cleanups();
	r = create(id, c11_begin, thread);
	if (r != thrd_success)
		rarog_runtime_give_up(thread);
	return r;
}

__attribute__((constructor(101))) static void see_threads(void)
{
	rarog_runtime_see_threads();
}

#ifndef RAROG_WRAPS
/* --exclude-libs or a version script may hide ours from libraries, or there is another one:
 * such threads count in area 0. */
__attribute__((constructor(101))) static void look_who_creates(void)
{
	if (dlsym(RTLD_DEFAULT, "pthread_create") != (void *)rarog_runtime_pthread_create ||
	    dlsym(RTLD_DEFAULT, "thrd_create") != (void *)rarog_runtime_thrd_create)
		rarog_runtime_note(RAROG_COUNTER_IS_SHARED);
}
#endif
