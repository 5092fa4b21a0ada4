/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A timer fires 2 ms after late() was called. If the call is late by 100 ms the signal must come
 * while it is: handler and body are at least 50 ms apart then. Exit status 1: it was held up.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "work.h"

#define CALLS 3

static volatile double handled, begun;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_alarm(int signal)
{
	(void)signal;
	handled = now();
}

FUNCTION void late(void) { begun = now(); }

int main(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 2000 } };
	struct sigaction action = { .sa_handler = on_alarm };
	int held_up = 0;

	for (double start = now(); now() - start < 0.02;) WORK(1000); /* less would be too short a run */
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < CALLS; i++) {
		double start = now();

		handled = 0;
		setitimer(ITIMER_REAL, &soon, NULL);
		late();
		if (begun - start > 0.09 && (handled == 0 || begun - handled < 0.05)) held_up = 1;
		while (handled == 0) WORK(1000);
	}
	return held_up;
}
