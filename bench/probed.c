/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of functions that differ in their first instruction: it makes out what a probe there costs.
 * usage: probed calls N            N calls of work(), which begins with a push; prints
 *                                  "ns_per_call X", of processor time
 *        probed kind KIND N        the same of begins_with_KIND()
 *        probed paced THREADS RATE SECONDS [KIND]   RATE calls of work(), or of begins_with_KIND(),
 *                                  a second, all threads together; prints "calls N seconds S"
 *        probed held N FIFO FILE   N calls when a byte comes; then makes FILE and awaits another
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH 32 /* calls between two looks at the clock */

__attribute__((noinline)) void work(void);

void work(void)
{
	__asm__ volatile("push %%rbx; pop %%rbx" ::: "memory");
}

/* name, what it does before it returns */
#define KINDS(X)                                                                                   \
	X(push, "push %rbx; pop %rbx")                                                             \
	X(nop, "nop")                                                                              \
	X(nop5, ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00")                                              \
	X(call, "call 1f; ret; 1:")                                                                \
	X(jump, "jmp 1f; 1:")                                                                      \
	X(branch, "jz 1f; 1:")                                                                     \
	X(load, "mov (%rdi), %rax; test %eax, %eax; jz 1f; 1:")                                    \
	X(move, "mov %edi, %eax")                                                                  \
	X(sub, "sub $8, %rsp; add $8, %rsp")                                                       \
	X(return, "")

#define DEFINE(name, text)                                                                         \
	void begins_with_##name(const long *value);                                                \
	__asm__(".globl begins_with_" #name "\n.type begins_with_" #name ", @function\n"           \
		"begins_with_" #name ":\n.cfi_startproc\n" text "; ret\n.cfi_endproc\n"            \
		".size begins_with_" #name ", . - begins_with_" #name "\n");
KINDS(DEFINE)

typedef void begins(const long *value);

#define NAME(name, text) { #name, begins_with_##name },
static const struct {
	const char *name;
	begins *function;
} kinds[] = { KINDS(NAME) };

static begins *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].function;
	exit(2);
}

static void call_work(const long *value)
{
	(void)value;
	work();
}

struct pace {
	pthread_t thread;
	begins *function;
	double rate, seconds; /* calls a second */
	unsigned long calls;
};

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void time_calls(begins *function, unsigned long n)
{
	double begin = now(CLOCK_THREAD_CPUTIME_ID);
	long value = 1;

	for (unsigned long i = 0; i < n; i++)
		function(&value);
	printf("ns_per_call %.2f\n", (now(CLOCK_THREAD_CPUTIME_ID) - begin) * 1e9 / (double)n);
}

/* At most the rate: what was missed (the machine was busy) is not caught up with. */
static void *call_paced(void *context)
{
	struct pace *p = context;
	double begin = now(CLOCK_MONOTONIC), next = begin, at;
	long value = 1;

	while ((at = now(CLOCK_MONOTONIC)) < begin + p->seconds) {
		if (at < next)
			continue;
		next = (at > next + 0.01 ? at : next) + BATCH / p->rate;
		for (int i = 0; i < BATCH; i++)
			p->function(&value);
		p->calls += BATCH;
	}
	return NULL;
}

static void pace(begins *function, int threads, double rate, double seconds)
{
	struct pace *all = calloc((size_t)threads, sizeof(*all));
	double begin = now(CLOCK_MONOTONIC);
	unsigned long calls = 0;

	if (!all)
		exit(1);
	for (int i = 0; i < threads; i++) {
		all[i].function = function;
		all[i].rate = rate / threads;
		all[i].seconds = seconds;
		if (pthread_create(&all[i].thread, NULL, call_paced, &all[i]))
			exit(1);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(all[i].thread, NULL);
		calls += all[i].calls;
	}
	printf("calls %lu seconds %.3f\n", calls, now(CLOCK_MONOTONIC) - begin);
	free(all);
}

static void await(const char *fifo)
{
	int fd = open(fifo, O_RDONLY);
	char byte;

	if (fd < 0 || read(fd, &byte, 1) != 1)
		exit(1);
	close(fd);
}

static void call_when_told(unsigned long n, const char *fifo, const char *file)
{
	await(fifo);
	for (unsigned long i = 0; i < n; i++)
		work();
	close(creat(file, 0600));
	await(fifo);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	if (strcmp(mode, "calls") == 0)
		time_calls(call_work, strtoul(argv[2], NULL, 10));
	else if (strcmp(mode, "kind") == 0 && argc == 4)
		time_calls(find_kind(argv[2]), strtoul(argv[3], NULL, 10));
	else if (strcmp(mode, "paced") == 0 && argc >= 5)
		pace(argc > 5 ? find_kind(argv[5]) : call_work, atoi(argv[2]), atof(argv[3]),
		     atof(argv[4]));
	else if (strcmp(mode, "held") == 0 && argc == 5)
		call_when_told(strtoul(argv[2], NULL, 10), argv[3], argv[4]);
	else
		return 2;
	return 0;
}
