/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coroutines that a timer switches between: swapcontext in a signal handler, wherever that came.
 * getset: by getcontext and setcontext; disarm: each has a stack for its handler, which the kernel
 * does not tell of while that is there. With something after that it goes on until SIGTERM.
 */
#include "expect.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define COROUTINES 5

static ucontext_t main_context, context[COROUTINES];
static char stack[COROUTINES][65536];
static volatile int done[COROUTINES], current;
static unsigned sums[COROUTINES];
static int uses_getset, uses_disarm;
static volatile unsigned rounds = 60000;

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

static void switch_to(ucontext_t *from, const ucontext_t *to)
{
	volatile int is_back = 0;

	if (!uses_getset) {
		swapcontext(from, to);
		return;
	}
	getcontext(from);
	if (!is_back) {
		is_back = 1;
		setcontext(to);
	}
}

static void use_stack(void)
{
	const size_t size = 1 << 16;
	const stack_t own = {
		.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0),
		.ss_size = size,
		.ss_flags = (int)(1u << 31), /* SS_AUTODISARM */
	};

	if (uses_disarm)
		sigaltstack(&own, NULL);
}

static void stop(int number)
{
	(void)number;
	rounds = 0;
}

/* The signal is blocked in here, and in every context while it is saved. */
TRACED void handler(int number)
{
	struct expect_site *caller = expect_caller;
	int from = current;

	expect_caller = NULL;
	current = next_of(from);
	if (current != from)
		switch_to(&context[from], &context[current]);
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
	use_stack();
	set_blocked(SIG_UNBLOCK);
	for (unsigned i = 0; i < rounds; i++)
		sums[who] += CALL(node, i + (unsigned)who);
	set_blocked(SIG_BLOCK);
	done[who] = 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler };
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned sum = 0;

	uses_getset = argc > 1 && strstr(argv[1], "getset");
	uses_disarm = argc > 1 && strstr(argv[1], "disarm");
	if (argc > 2) {
		rounds = ~0u;
		signal(SIGTERM, stop);
	}
	action.sa_flags = uses_disarm ? SA_ONSTACK : 0;
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
