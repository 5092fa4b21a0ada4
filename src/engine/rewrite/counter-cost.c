/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters of neighbouring blocks do not wait for each other, so many different ones are
 * incremented in a row. In a program one may take more: where there is a chain through its own
 * word (a loop of a few instructions), or code does not fit caches any more.
 */
#include "engine/rewrite/counter-cost.h"

#include <math.h>
#include <stdint.h>
#include <x86intrin.h>

#define ROUNDS 16
#define TIMES  200 /* the least counts, which nothing has disturbed */

/* Each has an instruction of its own. */
#define ONE(k)     __asm__ volatile("incq %0" : "+m"(words[k]));
#define FOUR(k)    ONE(k) ONE((k) + 1) ONE((k) + 2) ONE((k) + 3)
#define SIXTEEN(k) FOUR(k) FOUR((k) + 4) FOUR((k) + 8) FOUR((k) + 12)
#define N          64

double rarog_counter_cost(void)
{
	uint64_t words[N] = { 0 };
	double least = INFINITY;

	for (int i = 0; i < TIMES; i++) {
		uint64_t begin = __rdtsc();

		for (int round = 0; round < ROUNDS; round++) {
			SIXTEEN(0)
			SIXTEEN(16)
			SIXTEEN(32)
			SIXTEEN(48)
		}
		least = fmin(least, (double)(__rdtsc() - begin) / (ROUNDS * N));
	}
	return least;
}
