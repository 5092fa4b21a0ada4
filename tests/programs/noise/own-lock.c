/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Main does all its work with a lock held that nobody else takes, and a thread of half the work takes another one, as
 * often: neither ever waits for a lock. What step() gains main owes, all of it: the run is as long as main's work.
 *
 * truth: held 1.00, step 0.00 as long as a call of it with its noise takes less than one of held; -DLOCKS=0: the same
 * program without locks; 2: both lock the same one for reading; 3: both take the same semaphore, of which there is
 * enough; 4: mutexes of C11
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#include "work.h"

#ifndef LOCKS
#define LOCKS 1
#endif

#define STEPS 500

#if LOCKS == 1
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
#define INIT()      0
#define TAKE(lock)  pthread_mutex_lock(&lock)
#define LEAVE(lock) pthread_mutex_unlock(&lock)
#elif LOCKS == 2
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
#define INIT()      0
#define TAKE(lock)  pthread_rwlock_rdlock(&both)
#define LEAVE(lock) pthread_rwlock_unlock(&both)
#elif LOCKS == 3
static sem_t both;
#define INIT()      sem_init(&both, 0, 2)
#define TAKE(lock)  sem_wait(&both)
#define LEAVE(lock) sem_post(&both)
#elif LOCKS == 4
static mtx_t left, right;
#define INIT()      (mtx_init(&left, mtx_plain) != thrd_success || mtx_init(&right, mtx_plain) != thrd_success)
#define TAKE(lock)  mtx_lock(&lock)
#define LEAVE(lock) mtx_unlock(&lock)
#else
#define INIT() 0
#define TAKE(lock)
#define LEAVE(lock)
#endif

static atomic_int begun, done;

FUNCTION void step(void) { WORK(50000); }

FUNCTION void held(void)
{
	TAKE(left);
	WORK(100000);
	LEAVE(left);
}

static void *be_beside(void *nothing)
{
	begun = 1;
	for (int i = 0; i < STEPS; i++) {
		TAKE(right);
		step();
		LEAVE(right);
	}
	done = 1;
	return nothing;
}

int main(void)
{
	pthread_t thread;

	if (INIT() != 0 || pthread_create(&thread, 0, be_beside, 0) != 0) return 2;
	while (!begun) sched_yield();
	for (int i = 0; i < STEPS; i++) held();
	while (!done) held();
	held();
	return pthread_join(thread, 0);
}
