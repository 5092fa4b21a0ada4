/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Main does all its work with a lock held that nobody else takes, and a thread of half the work takes another one, as
 * often: neither ever waits for a lock. What step() gains main owes, all of it: the run is as long as main's work.
 *
 * truth: held 1.00, step 0.00 as long as a call of it with its noise takes less than one of held; -DLOCKS=0: the same
 * program without locks
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "work.h"

#ifndef LOCKS
#define LOCKS 1
#endif

#define STEPS 500

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun, done;

FUNCTION void step(void) { WORK(50000); }

FUNCTION void held(void)
{
	if (LOCKS) pthread_mutex_lock(&left);
	WORK(100000);
	if (LOCKS) pthread_mutex_unlock(&left);
}

static void *be_beside(void *nothing)
{
	begun = 1;
	for (int i = 0; i < STEPS; i++) {
		if (LOCKS) pthread_mutex_lock(&right);
		step();
		if (LOCKS) pthread_mutex_unlock(&right);
	}
	done = 1;
	return nothing;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, 0, be_beside, 0) != 0) return 2;
	while (!begun) sched_yield();
	for (int i = 0; i < STEPS; i++) held();
	while (!done) held();
	held();
	return pthread_join(thread, 0);
}
