/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks whose time is known: so many dependent additions, each of one cycle, besides the loop's own
 * two instructions. Without arguments each runs about as long; prints ticks of one execution by the
 * clock around all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define ADDS(n)                                                                                    \
	__attribute__((noinline)) static long adds_##n(long count)                                 \
	{                                                                                          \
		long sum = 0;                                                                      \
                                                                                                   \
		__asm__ volatile("1:\n.rept " #n "\nadd $1, %0\n.endr\ndec %1\njnz 1b"             \
				 : "+r"(sum), "+r"(count)                                          \
				 :                                                                 \
				 : "cc");                                                          \
		return sum;                                                                        \
	}

ADDS(10)
ADDS(100)
ADDS(1000)

/* Its only loop block is one instruction. */
__attribute__((noinline)) static void one(long count)
{
	__asm__ volatile("1: loop 1b" : "+c"(count) : : "cc");
}

static void run(const char *name, long (*adds)(long), long count)
{
	unsigned long begin = __rdtsc();
	long sum = adds(count);

	printf("%s %.2f %ld\n", name, (double)(__rdtsc() - begin) / (double)count, sum);
}

int main(int argc, char **argv)
{
	long k = argc > 1 ? atol(argv[1]) : 2000; /* thousand additions of each */

	run("adds_10", adds_10, 100 * k);
	run("adds_100", adds_100, 10 * k);
	run("adds_1000", adds_1000, k);
	one(100 * k);
	return 0;
}
