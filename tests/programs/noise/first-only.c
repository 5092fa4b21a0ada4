/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first run has a thread, helper(), that later ones do not have; all have two of worker(), of 100 and 300 steps. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "work.h"

FUNCTION void step(void) { WORK(80000); }

FUNCTION void assist(void) { WORK(80000); }

static void *worker(void *steps)
{
	for (long i = 0; i < (long)steps; i++) step();
	return NULL;
}

static void *helper(void *nothing)
{
	for (int i = 0; i < 200; i++) assist();
	return nothing;
}

int main(void)
{
	pthread_t threads[3];
	int flag = open("flag", O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	pthread_create(&threads[0], NULL, worker, (void *)100);
	pthread_create(&threads[1], NULL, worker, (void *)300);
	if (flag >= 0) pthread_create(&threads[2], NULL, helper, NULL);
	for (int i = 0; i < 2 + (flag >= 0); i++) pthread_join(threads[i], NULL);
	return 0;
}
