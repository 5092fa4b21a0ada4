/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three programs with a planted inefficiency: wasteful() does 3 tenths of its work for nothing, and with -DMENDED does
 * not. -DCASE=1: one thread; 2: of two threads the longer one; 3: in a lock that two threads want all the time
 */
#include <pthread.h>

#include "work.h"

#ifdef MENDED
#define WASTE(turns) WORK((turns) / 10 * 7)
#else
#define WASTE(turns) WORK(turns)
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;

FUNCTION void wasteful(void) { WASTE(60000); }

FUNCTION void needed(void) { WORK(40000); }

FUNCTION void beside(void) { WORK(40000); }

/* Before all else that the thread does there. */
static void take(int me)
{
	pthread_mutex_lock(&mutex);
	while (turn != me) pthread_cond_wait(&passed, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void give(int other)
{
	pthread_mutex_lock(&mutex);
	turn = other;
	pthread_cond_signal(&passed);
	pthread_mutex_unlock(&mutex);
}

static void serial(void)
{
	for (int i = 0; i < 1000; i++) {
		wasteful();
		needed();
	}
}

static void *shorter(void *nothing)
{
	for (int i = 0; i < 1000; i++) beside();
	return nothing;
}

static void *in_turn(void *me)
{
	for (int i = 0; i < 500; i++) {
		take(me != 0);
		wasteful();
		needed();
		give(me == 0);
		beside();
	}
	return 0;
}

int main(void)
{
	pthread_t thread;

	if (CASE > 1 && pthread_create(&thread, 0, CASE == 2 ? shorter : in_turn, &turn) != 0) return 2;
	if (CASE == 3)
		in_turn(0);
	else
		serial();
	return CASE > 1 ? pthread_join(thread, 0) : 0;
}
