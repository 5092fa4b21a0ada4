/* SPDX-License-Identifier: MIT */
/* Programs only: a thread is given counters of its own when it begins, whoever creates it. */
#include "runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int c11_create_function(thrd_t *, thrd_start_t, void *);

static void *begin(void *argument)
{
	struct rarog_runtime_thread *thread = argument;

	rarog_runtime_begin(thread);
	return thread->function(thread->argument);
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *id,
							  const pthread_attr_t *attributes,
							  void *(*function)(void *), void *argument)
{
	static create_function *create;
	struct rarog_runtime_thread *thread;
	int r;

	if (!create)
		create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
	if (!create)
		return EAGAIN;
	thread = rarog_runtime_claim();
	if (!thread)
		return create(id, attributes, function, argument);
	thread->function = function;
	thread->argument = argument;
	r = create(id, attributes, begin, thread);
	if (r != 0)
		rarog_runtime_give_up(thread);
	return r;
}

static int c11_begin(void *argument)
{
	struct rarog_runtime_thread *thread = argument;

	rarog_runtime_begin(thread);
	return thread->c11_function(thread->argument);
}

__attribute__((visibility("default"))) int thrd_create(thrd_t *id, thrd_start_t function,
						       void *argument)
{
	static c11_create_function *create;
	struct rarog_runtime_thread *thread;
	int r;

	if (!create)
		create = (c11_create_function *)dlsym(RTLD_NEXT, "thrd_create");
	if (!create)
		return thrd_error;
	thread = rarog_runtime_claim();
	if (!thread)
		return create(id, function, argument);
	thread->c11_function = function;
	thread->argument = argument;
	r = create(id, c11_begin, thread);
	if (r != thrd_success)
		rarog_runtime_give_up(thread);
	return r;
}
