/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thirty functions that know how long their calls took: each waits for so many ticks of the
 * time-stamp counter, by chance, and adds up what it was. usage: known SECONDS; prints for each its
 * name, calls and nanoseconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t seed = 88172645463325252ull, calls[40], ticks[40];

static uint64_t chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Of one call in 16 it is eight times as long. */
static void wait(int function, uint64_t least)
{
	uint64_t start = __rdtsc(), n = least + chance() % (4 * least), now;

	if (chance() % 16 == 0)
		n *= 8;
	while ((now = __rdtsc()) - start < n)
		;
	calls[function]++;
	ticks[function] += now - start;
}

#define F(i)                                                                                       \
	__attribute__((noinline)) static void f##i(void)                                           \
	{                                                                                          \
		wait(i, 1000 + 50 * i);                                                            \
	}
#define TEN(of, t)                                                                                 \
	of(t##0) of(t##1) of(t##2) of(t##3) of(t##4) of(t##5) of(t##6) of(t##7) of(t##8) of(t##9)
TEN(F, 1)
TEN(F, 2)
TEN(F, 3)

#define NAME(i) f##i,
static void (*const functions[])(void) = { TEN(NAME, 1) TEN(NAME, 2) TEN(NAME, 3) };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t length = (argc > 1 ? strtoull(argv[1], NULL, 10) : 2) * 1000000000,
		 start = now_ns(), start_ticks = __rdtsc();
	double ns_per_tick;

	while (now_ns() - start < length)
		for (int i = 0; i < 100; i++) {
			uint64_t n = chance() % 900; /* most often the first ones */

			functions[n < 30 ? n : n % 30 * (n % 30) / 30]();
		}
	ns_per_tick = (double)(now_ns() - start) / (double)(__rdtsc() - start_ticks);
	for (int i = 10; i < 40; i++)
		printf("f%d %llu %.0f\n", i, (unsigned long long)calls[i],
		       (double)ticks[i] * ns_per_tick);
	return 0;
}
