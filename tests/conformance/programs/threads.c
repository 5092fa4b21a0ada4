/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads. usage: threads busy|short|exit|cancel|main-exits|detached [N]
 *
 * busy: 4 at once; short: 10 (or N) times 20; exit: pthread_exit out of nested
 * frames with cleanup handlers; cancel: the same by cancellation; main-exits: main leaves by
 * pthread_exit while others still work; detached: the process ends while a thread is in a call.
 */
#include "expect.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

TRACED unsigned leaf(unsigned x)
{
	CALLED();
	return x * 2654435761u + 1;
}

TRACED void *worker(void *argument)
{
	unsigned n = (unsigned)(uintptr_t)argument, x = 1;

	BEGINS();
	CALLED();
	for (unsigned i = 0; i < n; i++)
		x = CALL(leaf, x);
	return (void *)(uintptr_t)x;
}

TRACED void cleanup(void *argument)
{
	CALLED();
	*(unsigned *)argument += 1;
	CALL(leaf, 1);
}

TRACED void leaves(unsigned depth, unsigned *cleaned)
{
	CALLED();
	pthread_cleanup_push(cleanup, cleaned);
	if (depth)
		DO(leaves, depth - 1, cleaned);
	else
		pthread_exit(cleaned);
	pthread_cleanup_pop(0);
}

TRACED void *exits(void *argument)
{
	BEGINS();
	CALLED();
	DO(leaves, 20, argument);
	return NULL;
}

static sem_t deep;

TRACED void waits(unsigned depth, unsigned *cleaned)
{
	CALLED();
	pthread_cleanup_push(cleanup, cleaned);
	if (depth)
		DO(waits, depth - 1, cleaned);
	sem_post(&deep);
	for (;;)
		pause(); /* a cancellation point */
	pthread_cleanup_pop(0);
}

TRACED void *cancelled(void *argument)
{
	BEGINS();
	CALLED();
	DO(waits, 20, argument);
	return NULL;
}

static void start_all(unsigned n, unsigned calls)
{
	pthread_t thread[20];
	unsigned sum = 0;
	void *result;

	for (unsigned i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, worker, (void *)(uintptr_t)calls);
	for (unsigned i = 0; i < n; i++) {
		pthread_join(thread[i], &result);
		sum += (unsigned)(uintptr_t)result;
	}
	printf("%u\n", sum);
}

static void end_one(void *(*run)(void *), int cancel)
{
	pthread_t thread;
	unsigned cleaned = 0;
	void *result;

	pthread_create(&thread, NULL, run, &cleaned);
	if (cancel) {
		while (sem_wait(&deep))
			;
		pthread_cancel(thread);
	}
	pthread_join(thread, &result);
	printf("%u %d\n", cleaned, result == PTHREAD_CANCELED);
}

TRACED void *last(void *argument)
{
	pthread_join(*(pthread_t *)argument, NULL);
	printf("%u\n", (unsigned)(uintptr_t)CALL(worker, (void *)1000));
	expect_print();
	return NULL;
}

TRACED void *forever(void *argument)
{
	(void)argument;
	CALL(leaf, 0);
	sem_post(&deep);
	pause();
	return NULL;
}

static void main_exits(void)
{
	static pthread_t self;
	pthread_t thread;

	self = pthread_self();
	pthread_create(&thread, NULL, last, &self);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "busy";
	pthread_t thread;

	if (!strcmp(mode, "busy"))
		start_all(4, 100000);
	else if (!strcmp(mode, "short"))
		for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 10); i++)
			start_all(20, 50);
	else if (!strcmp(mode, "exit"))
		end_one(exits, 0);
	else if (!strcmp(mode, "cancel"))
		end_one(cancelled, 1);
	else if (!strcmp(mode, "main-exits"))
		main_exits();
	else {
		pthread_create(&thread, NULL, forever, NULL);
		sem_wait(&deep);
	}
	expect_print();
	return 0;
}
