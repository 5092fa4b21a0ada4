/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many coroutines and few threads: a free one goes on with whichever coroutine is ready. */
#include "expect.h"
#include <pthread.h>
#include <ucontext.h>

#define COROUTINES 64
#define THREADS    4
#define ROUNDS     20000
#define SLICE      5

enum state { READY, RUNNING, DONE };

static struct coroutine {
	ucontext_t context, *resumer;
	int state;
	unsigned sum;
} coroutines[COROUTINES];
static unsigned long leaves, nodes;

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
	struct coroutine *own = &coroutines[who];

	for (unsigned i = 0; i < ROUNDS; i++) {
		own->sum = node(own->sum + i);
		if (i % SLICE == 0)
			swapcontext(&own->context, own->resumer);
	}
	own->state = DONE;
	swapcontext(&own->context, own->resumer);
	abort();
}

static int state_of(int who)
{
	return __atomic_load_n(&coroutines[who].state, __ATOMIC_ACQUIRE);
}

static void go_on_with(struct coroutine *next, ucontext_t *own)
{
	int ready = READY;

	if (!__atomic_compare_exchange_n(&next->state, &ready, RUNNING, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	next->resumer = own;
	swapcontext(own, &next->context);
	if (next->state == RUNNING)
		__atomic_store_n(&next->state, READY, __ATOMIC_RELEASE);
}

/* Until all are done, as seen in one round. */
static void *work(void *unused)
{
	ucontext_t own;
	int done;

	do {
		done = 0;
		for (int i = 0; i < COROUTINES; i++) {
			go_on_with(&coroutines[i], &own);
			done += state_of(i) == DONE;
		}
	} while (done < COROUTINES);
	return NULL;
}

static void make(int who)
{
	static char stacks[COROUTINES][1 << 16];
	ucontext_t *context = &coroutines[who].context;

	getcontext(context);
	context->uc_stack.ss_sp = stacks[who];
	context->uc_stack.ss_size = sizeof(stacks[who]);
	makecontext(context, (void (*)(void))coroutine, 1, who);
}

static unsigned sum_of_all(void)
{
	unsigned sum = 0;

	for (int i = 0; i < COROUTINES; i++)
		sum = sum * 31 + coroutines[i].sum;
	return sum;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < COROUTINES; i++)
		make(i);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			exit(77);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", sum_of_all());
	expect_calls("leaf", leaves);
	expect_calls("node", nodes);
	return 0;
}
