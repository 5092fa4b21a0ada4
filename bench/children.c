/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of known duration with 0, 1, 10 and 100 children a call, for the compensation of probe
 * cost: each does the same number of steps itself and then calls child() so many times.
 *
 * usage: children ROUNDS [CPU]; prints "parent_0 NS parent_1 NS …": mean duration of a call, by
 * rdtsc around batches of calls. Untraced, that is the truth that compensated measurements are
 * compared with.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define STEPS 2000
#define BATCH 100

static volatile uint64_t sink;

static uint64_t work(uint64_t seed, int steps)
{
	for (int i = 0; i < steps; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

__attribute__((noinline)) static uint64_t child(uint64_t seed)
{
	__asm__ volatile("" : "+r"(seed));
	return seed ^ seed >> 7;
}

#define PARENT(n)                                                                                  \
	__attribute__((noinline)) static uint64_t parent_##n(uint64_t seed)                        \
	{                                                                                          \
		seed = work(seed, STEPS);                                                          \
		for (int i = 0; i < (n); i++)                                                      \
			seed = child(seed);                                                        \
		return seed;                                                                       \
	}

PARENT(0)
PARENT(1)
PARENT(10)
PARENT(100)

static const struct {
	const char *name;
	uint64_t (*function)(uint64_t seed);
} parents[] = {
	{ "parent_0", parent_0 },
	{ "parent_1", parent_1 },
	{ "parent_10", parent_10 },
	{ "parent_100", parent_100 },
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	uint64_t ticks[4] = { 0 }, start_ticks = __rdtsc();
	double start_ns = now_ns(), ns_per_tick;
	cpu_set_t set;

	if (argc > 2) {
		CPU_ZERO(&set);
		CPU_SET(atoi(argv[2]), &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	for (int r = 0; r < rounds; r++)
		for (int p = 0; p < 4; p++) {
			uint64_t before = __rdtsc();

			for (int i = 0; i < BATCH; i++)
				sink = parents[p].function(sink);
			ticks[p] += __rdtsc() - before;
		}
	ns_per_tick = (now_ns() - start_ns) / (double)(__rdtsc() - start_ticks);
	for (int p = 0; p < 4; p++)
		printf("%s %.2f ", parents[p].name,
		       (double)ticks[p] / rounds / BATCH * ns_per_tick);
	putchar('\n');
	return 0;
}
