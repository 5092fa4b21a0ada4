/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Main does nothing but wait for a thread, again and again: whatever step() gains while main waits
 * is owed by nobody. -DC11: by the threads of C11; -DCOND: on a condition, then for the thread's end; -DONCE: until
 * what the thread does once is done, likewise; -DOPENMP: at a barrier of OpenMP, of a thread that goes on.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <threads.h>
#include <unistd.h>

#include "sleeps.h"
#include "work.h"

#define THREADS 20
#define STEPS   50

#ifdef C11
#define LOCK(m)       mtx_lock(m)
#define UNLOCK(m)     mtx_unlock(m)
#define WAIT(c, m)    cnd_wait(c, m)
#define SIGNAL(c)     cnd_signal(c)
#define DO_ONCE(o, f) call_once(o, f)
#define INIT(m, c)    (mtx_init(m, mtx_plain) == thrd_success && cnd_init(c) == thrd_success)
#define JOIN(t)       (thrd_join(t, 0) == thrd_success)
#define CREATE(t, f)  (thrd_create(t, f, 0) == thrd_success)
typedef mtx_t mutex;
typedef cnd_t condition;
typedef once_flag flag;
typedef thrd_t thread;
typedef int end;
#else
#define LOCK(m)       pthread_mutex_lock(m)
#define UNLOCK(m)     pthread_mutex_unlock(m)
#define WAIT(c, m)    pthread_cond_wait(c, m)
#define SIGNAL(c)     pthread_cond_signal(c)
#define DO_ONCE(o, f) pthread_once(o, f)
#define INIT(m, c)    (pthread_mutex_init(m, 0) == 0 && pthread_cond_init(c, 0) == 0)
#define JOIN(t)       (pthread_join(t, 0) == 0)
#define CREATE(t, f)  (pthread_create(t, 0, f, 0) == 0)
typedef pthread_mutex_t mutex;
typedef pthread_cond_t condition;
typedef pthread_once_t flag;
typedef pthread_t thread;
typedef void *end;
#endif

static atomic_int begun;

FUNCTION void step(void) { WORK(50000); }

FUNCTION void joined(void) { WORK(50000); }

static void take_steps(void)
{
	begun++;
	while (!main_sleeps()) usleep(100);
	for (int i = 0; i < STEPS; i++) step();
}

#if defined(COND)
static mutex lock;
static condition changed;
static int done;

static end run(void *nothing)
{
	take_steps();
	LOCK(&lock);
	done++;
	SIGNAL(&changed);
	UNLOCK(&lock);
	(void)nothing;
	return 0;
}

static void wait_for(int i)
{
	LOCK(&lock);
	while (done <= i) WAIT(&changed, &lock);
	UNLOCK(&lock);
	joined();
}

static int begin(void) { return INIT(&lock, &changed); }
#elif defined(ONCE)
static flag flags[THREADS]; /* all zero: as both are initialised */

static end run(void *nothing)
{
	DO_ONCE(&flags[begun], take_steps);
	(void)nothing;
	return 0;
}

static void nothing_more(void) {}

static void wait_for(int i)
{
	while (begun <= i) sched_yield();
	DO_ONCE(&flags[i], nothing_more);
	joined();
}

static int begin(void) { return 1; }
#else
static end run(void *nothing)
{
	take_steps();
	(void)nothing;
	return 0;
}

static void wait_for(int i) { (void)i; }

static int begin(void) { return 1; }
#endif

#ifdef OPENMP
int omp_get_thread_num(void);

int main(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < THREADS; i++) {
		if (omp_get_thread_num() > 0) run(0);
#pragma omp barrier
		if (omp_get_thread_num() == 0) joined();
	}
	return 0;
}
#else
int main(void)
{
	if (!begin()) return 2;
	for (int i = 0; i < THREADS; i++) {
		thread one;

		if (!CREATE(&one, run)) return 2;
		wait_for(i);
		if (!JOIN(one)) return 2;
		joined();
	}
	return 0;
}
#endif
