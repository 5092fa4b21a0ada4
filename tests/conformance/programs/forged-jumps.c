/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Green threads by sigsetjmp() and siglongjmp(), with jump buffers that nobody has set: a timer's
 * handler switches between their stacks.
 */
#include "expect.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#define THREADS 3
#define ROUNDS  300000

static sigjmp_buf saved[THREADS];
static char stack[THREADS][65536];
static volatile int current, done;

TRACED unsigned leaf(unsigned x)
{
	CALLED();
	return x * 2654435761u + 1;
}

TRACED unsigned node(unsigned x)
{
	CALLED();
	return leaf(x) + leaf(x + 1);
}

TRACED void handler(int number)
{
	struct expect_site *caller = expect_caller;

	(void)number;
	if (sigsetjmp(saved[current], 1) == 0) {
		current = (current + 1) % THREADS;
		siglongjmp(saved[current], 1);
	}
	expect_caller = caller;
}

static void set_blocked(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGVTALRM);
	sigprocmask(how, &set, NULL);
}

TRACED void run(void)
{
	expect_caller = NULL;
	BEGINS();
	CALLED();
	set_blocked(SIG_UNBLOCK);
	for (unsigned i = 0; i < ROUNDS; i++)
		node(i);
	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
	for (;;) /* until the first one has the processor, and ends */
		;
}

/* What glibc keeps in a buffer. */
static unsigned long mixed(unsigned long address)
{
	__asm__("xor %%fs:0x30, %0\n\trol $0x11, %0" : "+r"(address));
	return address;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };

	set_blocked(SIG_BLOCK);
	sigaction(SIGVTALRM, &action, NULL);
	for (int i = 1; i < THREADS; i++) {
		unsigned long sp = mixed((unsigned long)(stack[i] + sizeof(stack[i]) - 8));
		unsigned long pc = mixed((unsigned long)run);

		sigsetjmp(saved[i], 1);
		memcpy((char *)saved[i] + 6 * sizeof(sp), &sp, sizeof(sp));
		memcpy((char *)saved[i] + 7 * sizeof(pc), &pc, sizeof(pc));
	}
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	set_blocked(SIG_UNBLOCK);
	while (done < THREADS - 1)
		;
	set_blocked(SIG_BLOCK);
	printf("%d\n", done);
	expect_print();
	return 0;
}
