/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a traced call costs whose two integer arguments, or result, are captured.
 * usage: arguments CALLS [CPU]; prints "ns_per_call X": the lowest of 15 parts, so that what else
 * the machine does is in few of them
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PARTS 15

__attribute__((noinline)) int add(int a, int b);

int add(int a, int b)
{
	return a * 3 + b;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) / PARTS : 100000;
	double lowest = 0;
	volatile int sink = 0;

	if (argc > 2) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(atoi(argv[2]), &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	for (int part = 0; part < PARTS; part++) {
		int x = sink;
		double begin = now_ns(), took;

		for (unsigned long i = 0; i < n; i++)
			x = add(x, (int)i);
		took = (now_ns() - begin) / (double)n;
		sink = x;
		lowest = part == 0 || took < lowest ? took : lowest;
	}
	printf("ns_per_call %.3f\n", lowest);
	return 0;
}
