/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads, of which one has half of the other's work and is waited for at the end.
 *
 * truth: long_step 1.00, short_step 0.00 as long as noise is less than half of the run
 */
#include <pthread.h>

#include "work.h"

#define STEPS 1000

FUNCTION void long_step(void) { WORK(100000); }

FUNCTION void short_step(void) { WORK(50000); }

static void *be_short(void *nothing)
{
	for (int i = 0; i < STEPS; i++) short_step();
	return nothing;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, 0, be_short, 0) != 0) return 2;
	for (int i = 0; i < STEPS; i++) long_step();
	return pthread_join(thread, 0);
}
