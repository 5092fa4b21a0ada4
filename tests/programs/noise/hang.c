/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hangs if and only if more than LATE_NS (5 ms) pass between the test and the wait: the signal, which is sent
 * without the mutex, comes in between and is lost. ROUNDS of that.
 */
#include <pthread.h>
#include <time.h>

#include "work.h"

#ifndef LATE_NS
#define LATE_NS 5000000
#endif

#ifndef ROUNDS
#define ROUNDS 50
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int is_ready;
static struct timespec tested;

FUNCTION void prepare(void) { WORK(500000); }

static int late(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (now.tv_sec - tested.tv_sec) * 1000000000 + now.tv_nsec - tested.tv_nsec > LATE_NS;
}

/* What lies between test and wait. */
FUNCTION void between(void) { WORK(20000); }

static void *send_signal(void *nothing)
{
	pthread_mutex_lock(&mutex);
	is_ready = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return nothing;
}

/* If it is late it waits for what nobody sends, and keeps the mutex. */
FUNCTION void wait_for_it(void)
{
	static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	while (!is_ready) {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &tested);
		between();
		if (late()) {
			pthread_mutex_lock(&other);
			pthread_cond_wait(&never, &other);
		}
		pthread_cond_wait(&changed, &mutex);
	}
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;

		prepare();
		pthread_mutex_lock(&mutex);
		is_ready = 0;
		if (pthread_create(&thread, 0, send_signal, 0) != 0) return 2;
		wait_for_it();
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, 0);
	}
	return 0;
}
