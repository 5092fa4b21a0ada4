/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coroutines that a timer switches between: swapcontext in a signal handler, wherever that came. */
#include "expect.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define COROUTINES 5
#define ROUNDS     60000

static ucontext_t main_context, context[COROUTINES];
static char stack[COROUTINES][65536];
static volatile int done[COROUTINES], current;
static unsigned sums[COROUTINES];

TRACED unsigned leaf(unsigned x)
{
	CALLED();
	return x * 2654435761u + 1;
}

TRACED unsigned node(unsigned x)
{
	CALLED();
	unsigned sum = CALL(leaf, x);

	sum += CALL(leaf, sum);
	return CALL(leaf, sum);
}

static int next_of(int who)
{
	for (int i = 1; i <= COROUTINES; i++)
		if (!done[(who + i) % COROUTINES])
			return (who + i) % COROUTINES;
	return who;
}

/* The signal is blocked in here, and in every context while it is saved. */
TRACED void handler(int number)
{
	struct expect_site *caller = expect_caller;
	int from = current;

	expect_caller = NULL;
	current = next_of(from);
	if (current != from)
		swapcontext(&context[from], &context[current]);
	expect_caller = caller;
}

static void set_blocked(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(how, &set, NULL);
}

/* Not CALLED(): with --within=node it is not measured. */
TRACED void coroutine(int who)
{
	expect_caller = NULL;
	set_blocked(SIG_UNBLOCK);
	for (unsigned i = 0; i < ROUNDS; i++)
		sums[who] += CALL(node, i + (unsigned)who);
	set_blocked(SIG_BLOCK);
	done[who] = 1;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned sum = 0;

	set_blocked(SIG_BLOCK);
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&context[i]);
		context[i].uc_stack.ss_sp = stack[i];
		context[i].uc_stack.ss_size = sizeof(stack[i]);
		context[i].uc_link = &main_context;
		makecontext(&context[i], (void (*)(void))coroutine, 1, i);
	}
	setitimer(ITIMER_REAL, &often, NULL);
	for (; !done[next_of(current)]; current = next_of(current))
		swapcontext(&main_context, &context[current]);
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < COROUTINES; i++)
		sum = sum * 31 + sums[i];
	printf("%u\n", sum);
	expect_print();
	return 0;
}
