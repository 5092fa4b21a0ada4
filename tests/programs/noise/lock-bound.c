/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads take turns in a lock, which is held for longer than what they do outside: it is never
 * free, and what happens outside is hidden behind the other's turn.
 *
 * truth: inside about 1.00 (a thread that waits longer may wake up more slowly), outside 0.00 as
 * long as a call of it with its noise takes less than one of inside
 */
#include <pthread.h>

#include "work.h"

#define TURNS 500

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

FUNCTION void inside(void) { WORK(100000); }

FUNCTION void outside(void) { WORK(20000); }

/* In strict alternation: a mutex alone is not fair. */
static void *take_turns(void *which)
{
	int me = which != 0;

	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&lock);
		while (turn != me) pthread_cond_wait(&changed, &lock);
		inside();
		turn = !me;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
		outside();
	}
	return 0;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, 0, take_turns, &turn) != 0) return 2;
	take_turns(0);
	return pthread_join(thread, 0);
}
