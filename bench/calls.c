/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one traced call costs, timed inside the program by rdtsc.
 * usage: calls steady|burst CALLS [CPU] ; calls rdtsc
 *
 * burst:  blocks of 5,000 calls with pauses of 2 ms: a block fits into any ring, which is drained
 * in the pause. Prints the median over the blocks: the cost of writing into the ring. steady: all
 * calls at once: a ring must be drained while the program runs. Mean of the whole.
 *
 * The cost of two rdtsc, the floor of any measurement of entry and exit, is measured in the same
 * process in between, in untraced code. Prints "ns_per_call X two_rdtsc_ns Y calls N".
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define BLOCK      5000
#define MAX_BLOCKS 4096

/* As much as a small real function does: about 2.5 ns. */
__attribute__((noinline)) uint64_t work(uint64_t x);

uint64_t work(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 33;
	return x;
}

/* Is never called: what `--func never` patches. */
__attribute__((noinline)) uint64_t never(uint64_t x);

uint64_t never(uint64_t x)
{
	return work(x) + 1;
}

static volatile uint64_t sink;

static inline __attribute__((always_inline)) uint64_t time_calls(unsigned n)
{
	uint64_t x = sink, begin = __rdtsc();

	for (unsigned i = 0; i < n; i++)
		x = work(x);
	begin = __rdtsc() - begin;
	sink = x;
	return begin;
}

static inline __attribute__((always_inline)) uint64_t time_rdtsc(unsigned n)
{
	uint64_t x = 0, begin = __rdtsc();

	for (unsigned i = 0; i < n; i++) {
		x += __rdtsc();
		x ^= __rdtsc();
	}
	begin = __rdtsc() - begin;
	sink = x;
	return begin;
}

static inline __attribute__((always_inline)) double ns_per_tick(void)
{
	struct timespec a, b;
	uint64_t begin, end;

	clock_gettime(CLOCK_MONOTONIC, &a);
	begin = __rdtsc();
	usleep(50000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	end = __rdtsc();
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
	       (double)(end - begin);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* In place: qsort's call-backs are traced too, but not in what is timed. */
static double median(double *value, unsigned n)
{
	qsort(value, n, sizeof(value[0]), compare);
	return value[n / 2];
}

int main(int argc, char **argv)
{
	static double call_ticks[MAX_BLOCKS], rdtsc_ticks[MAX_BLOCKS];
	int is_burst = argc > 1 && !strcmp(argv[1], "burst");
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
	unsigned blocks = 50;
	double scale, ticks_per_call;

	if (argc > 3) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(atoi(argv[3]), &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	scale = ns_per_tick();
	if (is_burst)
		blocks = calls / BLOCK < MAX_BLOCKS ? (unsigned)(calls / BLOCK) : MAX_BLOCKS;
	for (unsigned i = 0; i < blocks; i++) {
		if (is_burst) {
			usleep(2000);
			time_calls(50); /* caches are cold after the pause */
			call_ticks[i] = (double)time_calls(BLOCK) / BLOCK;
		}
		rdtsc_ticks[i] = (double)time_rdtsc(BLOCK) / BLOCK;
	}
	if (is_burst)
		ticks_per_call = median(call_ticks, blocks);
	else
		ticks_per_call = (double)time_calls((unsigned)calls) / (double)calls;
	printf("ns_per_call %.3f two_rdtsc_ns %.3f calls %lu\n", ticks_per_call * scale,
	       median(rdtsc_ticks, blocks) * scale, is_burst ? blocks * (BLOCK + 50ul) : calls);
	if (sink == 1)
		never(sink);
	return 0;
}
