/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coroutines that go on in other threads, while a timer's handler calls wherever it comes. The
 * threads end in between, and others begin: what was kept for a coroutine's handlers in one of them
 * must not go with it.
 */
#include "expect.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define COROUTINES 8
#define THREADS    4
#define ROUNDS     40
#define PAUSE_US   120000 /* longer than until it is seen that threads have ended */

static ucontext_t context[COROUTINES], thread_context[THREADS];
static ucontext_t *resumer[COROUTINES];
static char stack[COROUTINES][1 << 17];
static unsigned sums[COROUTINES];
static unsigned long leaves, nodes, handled;

TRACED void handler_leaf(void)
{
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void handler(int number)
{
	(void)number;
	handler_leaf();
	BARRIER();
}

TRACED unsigned leaf(unsigned x)
{
	__atomic_fetch_add(&leaves, 1, __ATOMIC_RELAXED);
	return x * 2654435761u + 1;
}

TRACED unsigned node(unsigned x)
{
	__atomic_fetch_add(&nodes, 1, __ATOMIC_RELAXED);
	x = leaf(x);
	BARRIER();
	return leaf(x) + 1;
}

static void coroutine(int who)
{
	for (;;) {
		for (unsigned i = 0; i < 10000; i++)
			sums[who] = node(sums[who] + i);
		swapcontext(&context[who], resumer[who]);
	}
}

static void tick(timer_t *ret_timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	const struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };

	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, ret_timer) != 0)
		exit(77);
	timer_settime(*ret_timer, 0, &often, NULL);
}

struct shift {
	int thread, first;
};

static void *work(void *argument)
{
	const struct shift *shift = argument;
	ucontext_t *own = &thread_context[shift->thread];
	timer_t timer;

	tick(&timer);
	for (int i = 0; i < COROUTINES / THREADS; i++) {
		int who = (shift->first + i) % COROUTINES;

		resumer[who] = own;
		swapcontext(own, &context[who]);
	}
	timer_delete(timer);
	return NULL;
}

static void run_round(int round)
{
	pthread_t threads[THREADS];
	struct shift shifts[THREADS];

	for (int i = 0; i < THREADS; i++) {
		shifts[i] = (struct shift){ i, round + i * (COROUTINES / THREADS) };
		if (pthread_create(&threads[i], NULL, work, &shifts[i]) != 0)
			exit(77);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static unsigned sum_of_all(void)
{
	unsigned sum = 0;

	for (int i = 0; i < COROUTINES; i++)
		sum = sum * 31 + sums[i];
	return sum;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = stack[i];
		context[i].uc_stack.ss_size = sizeof(stack[i]);
		makecontext(&context[i], (void (*)(void))coroutine, 1, i);
	}
	for (int round = 0; round < ROUNDS; round++) {
		run_round(round);
		if (round % 5 == 4)
			usleep(PAUSE_US);
	}
	printf("%u\nexpect~ handler_leaf %lu\n", sum_of_all(), handled);
	expect_calls("leaf", leaves);
	expect_calls("node", nodes);
	return 0;
}
