/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Main does nothing but wait for a thread, again and again: whatever step() gains while main waits
 * is owed by nobody. -DC11: by the threads of C11; -DOPENMP: at a barrier of OpenMP, of a thread that goes on.
 */
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include "sleeps.h"
#include "work.h"

#define THREADS 20
#define STEPS   50

FUNCTION void step(void) { WORK(50000); }

FUNCTION void joined(void) { WORK(50000); }

static void *take_steps(void *nothing)
{
	while (!main_sleeps()) usleep(100);
	for (int i = 0; i < STEPS; i++) step();
	return nothing;
}

#ifdef C11
static int take_steps_11(void *nothing) { return take_steps(nothing) != nothing; }

static int wait_once(void)
{
	thrd_t thread;

	return thrd_create(&thread, take_steps_11, 0) == thrd_success && thrd_join(thread, 0) == thrd_success;
}
#else
static int wait_once(void)
{
	pthread_t thread;

	return pthread_create(&thread, 0, take_steps, 0) == 0 && pthread_join(thread, 0) == 0;
}
#endif

#ifdef OPENMP
int omp_get_thread_num(void);

int main(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < THREADS; i++) {
		if (omp_get_thread_num() > 0) take_steps(0);
#pragma omp barrier
		if (omp_get_thread_num() == 0) joined();
	}
	return THREADS > 0 || wait_once() ? 0 : 2;
}
#else
int main(void)
{
	for (int i = 0; i < THREADS; i++) {
		if (!wait_once()) return 2;
		joined();
	}
	return 0;
}
#endif
