/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads that do the same, of which first() creates one and second() the other. Which comes first depends on the
 * run: on whether its id is odd. */
#include <pthread.h>
#include <unistd.h>

#include "work.h"

FUNCTION void step(void) { WORK(160000); }

static void *worker(void *unused)
{
	for (int i = 0; i < 200; i++) step();
	return unused;
}

FUNCTION pthread_t first(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	return thread;
}

FUNCTION pthread_t second(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	work_sink++;
	return thread;
}

int main(void)
{
	pthread_t threads[2];

	if (getpid() % 2) {
		threads[0] = first();
		threads[1] = second();
	} else {
		threads[1] = second();
		threads[0] = first();
	}
	for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
	return 0;
}
