/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Main does nothing but wait for a thread, again and again: whatever step() gains while main waits
 * is owed by nobody.
 */
#include <pthread.h>
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

int main(void)
{
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, 0, take_steps, 0) != 0 || pthread_join(thread, 0) != 0) return 2;
		joined();
	}
	return 0;
}
