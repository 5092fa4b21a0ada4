/* SPDX-License-Identifier: GPL-3.0-or-later */
/* round_done() each time that two threads are both ready: one has done long_step(), the other short_step(), a third of
 * it. For two minutes.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "work.h"

static pthread_barrier_t both;
static volatile int rounds;

FUNCTION void long_step(void) { WORK(300000); }

FUNCTION void short_step(void) { WORK(100000); }

FUNCTION void round_done(void) { rounds++; }

static void *other(void *unused)
{
	for (;;) {
		short_step();
		pthread_barrier_wait(&both);
	}
	return unused;
}

int main(void)
{
	time_t end = time(NULL) + 120;
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	puts("started");
	fflush(stdout);
	while (time(NULL) < end) {
		long_step();
		pthread_barrier_wait(&both);
		round_done();
	}
	return 0;
}
