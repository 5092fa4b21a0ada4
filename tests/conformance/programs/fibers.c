/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fibers: stacks that lie side by side. usage: fibers SHAPE
 *
 * By swapcontext, or with -DBY_HAND by a switch in assembly whose name is not known.
 * SHAPE: star: each is resumed by main; ring: each resumes the next, so that switches go up and
 * down in memory; abandon: half of them are given up in the middle, their stacks are used again;
 * threads: each is resumed by one thread after the other; fork: children go on with the parent's
 * fibers; signals: a star, and a timer of 10 kHz whose handler calls.
 */
#include "expect.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FIBERS 12
#define STACK  32768

struct fiber {
	ucontext_t context;
	void *sp;
	int done;
	char *stack;
};

static struct fiber fibers[FIBERS], home;
static int in_ring, current, rounds = 40;

#ifdef BY_HAND
/* Saves what a callee must, stores the stack pointer at *from, and goes on at to. */
__asm__(".text\n.type switch_by_hand,@function\nswitch_by_hand:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n"
	".size switch_by_hand,.-switch_by_hand\n");
void switch_by_hand(void **from, void *to);
#endif

static void go(struct fiber *from, struct fiber *to)
{
#ifdef BY_HAND
	switch_by_hand(&from->sp, to->sp);
#else
	swapcontext(&from->context, &to->context);
#endif
}

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

static struct fiber *next_of(int who)
{
	if (!in_ring)
		return &home;
	for (int i = 1; i <= FIBERS; i++)
		if (!fibers[(who + i) % FIBERS].done)
			return &fibers[current = (who + i) % FIBERS];
	return &home;
}

TRACED int yields(int who, int depth)
{
	struct fiber *next;

	CALLED();
	if (depth) {
		int r = CALL(yields, who, depth - 1);

		BARRIER();
		return CALL(leaf, r);
	}
	CALL(leaf, who);
	next = next_of(who);
	if (next != &fibers[who])
		go(&fibers[who], next);
	return CALL(leaf, who);
}

TRACED void fiber_main(void)
{
	int who = current;

	CALLED();
	for (int i = 0; i < rounds; i++)
		CALL(yields, who, (i + who) % 7);
	fibers[who].done = 1;
	go(&fibers[who], next_of(who));
	abort();
}

static void begin(int who)
{
	struct fiber *f = &fibers[who];

	f->done = 0;
#ifdef BY_HAND
	void **top = (void **)(f->stack + STACK);

	top[-2] = (void *)(unsigned long)fiber_main; /* returned to */
	memset(&top[-8], 0, 6 * sizeof(*top));
	f->sp = &top[-8];
#else
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->stack;
	f->context.uc_stack.ss_size = STACK;
	makecontext(&f->context, fiber_main, 0);
#endif
}

TRACED void resume(int who)
{
	CALLED();
	current = who;
	go(&home, &fibers[who]);
}

TRACED int run_all(void)
{
	int left = 1, resumed = 0;

	while (left) {
		left = 0;
		for (int i = 0; i < FIBERS; i++) {
			if (fibers[i].done)
				continue;
			DO(resume, i);
			resumed++;
			left += !fibers[i].done;
		}
	}
	return resumed;
}

TRACED int abandon(void)
{
	int resumed = 0;

	for (int again = 0; again < 50; again++) {
		for (int i = 0; i < FIBERS; i++)
			begin(i);
		for (int n = 0; n < 5; n++)
			for (int i = 0; i < FIBERS; i++, resumed++)
				DO(resume, i);
	}
	for (int i = 0; i < FIBERS; i += 2)
		begin(i);
	return resumed + run_all();
}

TRACED int in_handler(int x)
{
	CALLED_VARYING();
	return x ^ 5;
}

TRACED void handler(int signal)
{
	CALLED_VARYING();
	in_handler(signal);
}

static int with_signals(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	int resumed;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	resumed = run_all();
	setitimer(ITIMER_REAL, &never, NULL);
	return resumed;
}

TRACED void *one_round(void *argument)
{
	for (int i = 0; i < FIBERS; i++)
		if (!fibers[i].done)
			DO(resume, i);
	return argument;
}

static int in_threads(void)
{
	pthread_t thread;
	int n = 0, left = 1;

	for (; left; n++) {
		pthread_create(&thread, NULL, one_round, NULL);
		pthread_join(thread, NULL);
		left = 0;
		for (int i = 0; i < FIBERS; i++)
			left += !fibers[i].done;
	}
	return n;
}

static int in_children(void)
{
	int sum = 0, status;

	one_round(NULL);
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(run_all() & 63);
		waitpid(pid, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
		one_round(NULL);
	}
	return sum + run_all();
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	char *stacks = malloc(FIBERS * STACK);
	int result;

	if (argc < 2 || !stacks)
		return 2;
	in_ring = !strcmp(shape, "ring");
	if (!strcmp(shape, "signals"))
		rounds = 20000;
	for (int i = 0; i < FIBERS; i++) {
		fibers[i].stack = stacks + i * STACK;
		begin(i);
	}
	if (!strcmp(shape, "abandon"))
		result = abandon();
	else if (!strcmp(shape, "threads"))
		result = in_threads();
	else if (!strcmp(shape, "fork"))
		result = in_children();
	else if (rounds > 40)
		result = with_signals();
	else
		result = run_all();
	printf("%d\n", result);
	free(stacks);
	expect_print();
	return 0;
}
