/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patient SECOND: a round is long_step(), then half_step(); meanwhile another thread has SECOND percent of that in
 * other_step(), and both wait for each other; 0: there is none. Ends at SIGTERM, with status 7, and says "unharmed" if
 * each had as many steps as there were rounds, and none of them took 100 ms of processor time.
 *
 * truth: speed-up of long_step 0.70, half_step 0.30, other_step 0.00 where SECOND is below 100; at 100 0.00 for all
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "work.h"

#define UNIT       2000 /* turns in a percent */
#define LONGEST_NS 100000000

static volatile sig_atomic_t is_over;
static volatile long last_round = -1;
static unsigned second;
static pthread_barrier_t barrier;

/* Of a thread. */
struct account {
	long steps;
	uint64_t longest_ns;
};

FUNCTION void long_step(void) { WORK(70 * UNIT); }

FUNCTION void half_step(void) { WORK(30 * UNIT); }

FUNCTION void other_step(void) { WORK(second * UNIT); }

static void take(int signal)
{
	(void)signal;
	is_over = 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void step(struct account *account, void (*work)(void))
{
	uint64_t start = now(), took;

	work();
	account->steps++;
	took = now() - start;
	if (took > account->longest_ns) account->longest_ns = took;
}

FUNCTION void be_done(void) { pthread_barrier_wait(&barrier); }

static void *be_other(void *account)
{
	for (long i = 0; i != last_round; i++) {
		step(account, other_step);
		step(account, be_done);
	}
	return NULL;
}

FUNCTION void round_of(struct account *account)
{
	step(account, long_step);
	step(account, half_step);
	if (second > 0) step(account, be_done);
}

int main(int argc, char **argv)
{
	struct account mine = { 0 }, others = { 0 };
	pthread_t thread;
	long rounds = 0;

	second = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	signal(SIGTERM, take);
	pthread_barrier_init(&barrier, NULL, 2);
	if (second > 0 && pthread_create(&thread, NULL, be_other, &others) != 0) return 2;
	puts("started");
	fflush(stdout);
	while (last_round < 0) {
		if (is_over) last_round = rounds + 1; /* both see that: it is said before they meet */
		round_of(&mine);
		rounds++;
	}
	if (second > 0) pthread_join(thread, NULL);
	if (mine.steps != (second > 0 ? 3 : 2) * rounds || others.steps != (second > 0 ? 2 : 0) * rounds)
		printf("%ld and %ld steps in %ld rounds\n", mine.steps, others.steps, rounds);
	else if (mine.longest_ns > LONGEST_NS || others.longest_ns > LONGEST_NS)
		printf("a step took %.1f and %.1f ms\n", (double)mine.longest_ns / 1e6,
		       (double)others.longest_ns / 1e6);
	else
		puts("unharmed");
	return 7;
}
