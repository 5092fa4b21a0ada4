/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads with the same work, each in a function of its own: the slower one is waited for, so
 * whatever slows one slows the run, although a faster one would bring nothing.
 *
 * truth: left_step 1.00, right_step 1.00
 */
#include <pthread.h>

#include "work.h"

#define STEPS 1000

FUNCTION void left_step(void) { WORK(100000); }

FUNCTION void right_step(void) { WORK(100000); }

static void *be_left(void *nothing)
{
	for (int i = 0; i < STEPS; i++) left_step();
	return nothing;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, 0, be_left, 0) != 0) return 2;
	for (int i = 0; i < STEPS; i++) right_step();
	return pthread_join(thread, 0);
}
