/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that have the names of those that switch stacks, and nothing else in common. */
#include "expect.h"

TRACED long leaf(long x)
{
	CALLED();
	return x + 1;
}

/* More parameters than there are registers for them. */
__attribute__((noinline)) long swapcontext(long a, long b, long c, long d, long e, long f, long g,
					   long h)
{
	return leaf(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h);
}

__attribute__((noinline)) long setcontext(long a)
{
	return leaf(a) * 2;
}

int main(void)
{
	long sum = 0;

	for (long i = 0; i < 100; i++)
		sum += swapcontext(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7) +
		       setcontext(i);
	printf("%ld\n", sum);
	expect_print();
	return 0;
}
