/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread does small things for as long as main takes its steps, and one more at the end: what
 * step() gains it owes, all of it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "work.h"

#define STEPS 500

static atomic_int begun, done;

FUNCTION void step(void) { WORK(100000); }

FUNCTION void tick(void) { WORK(1000); }

static void *be_beside(void *nothing)
{
	tick();
	begun = 1;
	while (!done) tick();
	tick();
	return nothing;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, 0, be_beside, 0) != 0) return 2;
	while (!begun) sched_yield();
	for (int i = 0; i < STEPS; i++) step();
	done = 1;
	return pthread_join(thread, 0);
}
