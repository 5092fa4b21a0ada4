/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks of unusual sizes. usage: stacks tiny|huge|handler|overflow
 * tiny: threads with the smallest stack allowed, used to the last kilobytes; huge: a thread with 1
 * GiB, frames of 4 MiB; handler: the smallest alternate stack; overflow: endless recursion, ended
 * by a handler.
 */
#include "expect.h"
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

TRACED int leaf(int x)
{
	CALLED();
	return x + 1;
}

TRACED int small(int depth)
{
	CALLED();
	if (!depth)
		return 0;
	int r = CALL(small, depth - 1);

	return CALL(leaf, r);
}

TRACED int big(int depth)
{
	volatile char frame[4 << 20];
	int r;

	CALLED();
	frame[0] = (char)depth;
	frame[sizeof(frame) - 1] = 1;
	r = depth ? CALL(big, depth - 1) : 0;
	return CALL(leaf, r) + frame[0] * 0;
}

TRACED void *thread(void *depth)
{
	BEGINS();
	CALLED();
	return (void *)(long)CALL(small, (int)(long)depth);
}

TRACED void *huge_thread(void *depth)
{
	BEGINS();
	CALLED();
	return (void *)(long)CALL(big, (int)(long)depth);
}

static long in_thread(size_t size, void *(*run)(void *), long argument)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attr;
	pthread_t id;
	void *result;

	pthread_attr_init(&attr);
	if (memory == MAP_FAILED || pthread_attr_setstack(&attr, memory, size) ||
	    pthread_create(&id, &attr, run, (void *)argument))
		exit(77);
	pthread_join(id, &result);
	munmap(memory, size);
	return (long)result;
}

static volatile int handled;

TRACED void handler(int number)
{
	BEGINS();
	CALLED();
	handled += CALL(leaf, number);
}

static int on_small_stack(void)
{
	size_t size = getauxval(AT_MINSIGSTKSZ) + 1024;
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&stack, NULL))
		exit(77);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	return handled;
}

static sigjmp_buf out;

static void overflown(int number)
{
	siglongjmp(out, number);
}

TRACED int endless(int depth)
{
	CALLED_VARYING();
	int r = CALL(endless, depth + 1);

	return r + 1;
}

static int overflow(void)
{
	size_t size = 1 << 16;
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
	struct sigaction action = { .sa_handler = overflown, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(out, 1))
			endless(0);
	return CALL(leaf, 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "tiny";
	long sum = 0;

	if (!strcmp(mode, "tiny"))
		for (int i = 0; i < 20; i++)
			sum += in_thread(PTHREAD_STACK_MIN, thread, 60);
	else if (!strcmp(mode, "huge"))
		sum = in_thread(1UL << 30, huge_thread, 200);
	else if (!strcmp(mode, "handler"))
		sum = on_small_stack();
	else
		sum = overflow();
	printf("%ld\n", sum);
	expect_print();
	return 0;
}
