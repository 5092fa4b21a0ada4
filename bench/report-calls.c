/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls for the page of ten million: three threads, four levels. Each round has 15 calls; a
 * thousandth of the rounds is a thousand times longer, so that there is something to look for.
 *
 * usage: report-calls ROUNDS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static volatile long total;

__attribute__((noinline)) static void leaf(int i)
{
	total += i;
}

__attribute__((noinline)) static void inner(int i)
{
	leaf(i);
	if (i % 3 == 0)
		leaf(i + 1);
}

__attribute__((noinline)) static void outer(int i)
{
	for (int k = 0; k < 6; k++)
		inner(i + k);
	for (volatile int wait = 0; i % 1000 == 0 && wait < 20000; wait++)
		;
}

static void *work(void *arg)
{
	for (int i = 0; i < (int)(intptr_t)arg; i++)
		outer(i);
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	pthread_t threads[3];

	for (size_t i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)(intptr_t)(rounds / 3)) != 0)
			return 1;
	for (size_t i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
