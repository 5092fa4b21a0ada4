/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What marks.txt beside this was recorded of: marks, values, and calls of which some are left out:
 * recursion, a thread, a child. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rarog.h"

/* A USDT probe with a semaphore, which says whether somebody looks. */
#define PROBE(name)                                                                                \
	__asm__ volatile("990: nop\n"                                                              \
			 "	.pushsection .note.stapsdt, \"?\", \"note\"\n"                          \
			 "	.balign 4\n"                                                            \
			 "	.4byte 992f - 991f, 994f - 993f, 3\n"                                   \
			 "991:	.asciz \"stapsdt\"\n"                                               \
			 "992:	.balign 4\n"                                                        \
			 "993:	.8byte 990b, _.stapsdt.base, " #name "_semaphore\n"                \
			 "	.asciz \"shop\", \"" #name "\", \"\"\n"                            \
			 "994:	.balign 4\n"                                                        \
			 "	.popsection"                                                            \
			 :                                                                         \
			 :                                                                         \
			 : "memory")

__attribute__((section(".probes"))) unsigned short inside_semaphore, outside_semaphore;

struct list {
	long length;
	struct list *next;
};

long shared = 77;

__attribute__((noinline)) void region(int n)
{
	RAROG_BEGIN(turn);
	RAROG_SIZE(items, (unsigned long)n * 3);
	if (n > 0)
		region(n - 1);
	RAROG_FEATURE(odd, -n);
	RAROG_END(turn);
}

__attribute__((noinline)) void point(void)
{
	RAROG_POINT(here);
	if (inside_semaphore)
		PROBE(inside);
	RAROG_FEATURE(memory, shared);
}

__attribute__((noinline)) long takes(int a, short b, const char *text, const struct list *list,
				     double x, long s1, long s2, long s3, char c)
{
	__asm__ volatile("" : : "r"(text), "r"(list), "x"(x) : "memory");
	return a * 1000 + b + s1 + s2 + s3 + c;
}

/* Its first instruction is the probe. */
__attribute__((noinline)) void looked_at(void)
{
	PROBE(outside);
	shared++;
}

__attribute__((noinline)) int often(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n > 0 ? often(n - 1) + 1 : 0;
}

void *go(void *nothing)
{
	for (int i = 0; i < 7; i++)
		often(i % 3);
	region(1);
	return nothing;
}

int main(void)
{
	struct list last = { 9, 0 }, first = { 2, &last };
	pthread_t thread;

	region(2);
	point();
	if (outside_semaphore)
		looked_at();
	takes(5, -3, "four", &first, 2.5, 1, 2, 3, 'c');
	takes(-6, 7, (const char *)8, 0, 0.5, 10, 20, 30, 'd');
	for (int i = 0; i < 10; i++)
		often(2);
	pthread_create(&thread, 0, go, 0);
	pthread_join(thread, 0);
	if (fork() == 0) {
		often(3);
		point();
		_exit(0);
	}
	wait(0);
	return 0;
}
