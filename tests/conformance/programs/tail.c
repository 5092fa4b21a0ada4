/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chain of 10^6 tail calls between three functions, through a pointer and directly: built with
 * -foptimize-sibling-calls it runs in constant stack, traced or not. Each step is one call.
 */
#include "expect.h"

typedef unsigned long step_fn(unsigned long n, unsigned long sum);

TRACED unsigned long first(unsigned long n, unsigned long sum);
TRACED unsigned long second(unsigned long n, unsigned long sum);
TRACED unsigned long third(unsigned long n, unsigned long sum);

static step_fn *volatile indirect = first;

TRACED unsigned long first(unsigned long n, unsigned long sum)
{
	CALLED();
	return n ? TAIL(second, n - 1, sum + 1) : sum;
}

TRACED unsigned long second(unsigned long n, unsigned long sum)
{
	CALLED();
	return n ? TAIL(third, n - 1, sum + 2) : sum;
}

TRACED unsigned long third(unsigned long n, unsigned long sum)
{
	CALLED();
	return n ? TAIL(indirect, n - 1, sum + 3) : sum;
}

/* A tail call into a function that calls and returns normally. */
TRACED unsigned long work(unsigned long n)
{
	CALLED();
	unsigned long r = CALL(first, n, 0);

	BARRIER();
	return r + 1;
}

TRACED unsigned long forward(unsigned long n)
{
	CALLED();
	return TAIL(work, n);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
	unsigned long sum = CALL(first, n, 0);

	for (unsigned long i = 0; i < 100; i++)
		sum += CALL(forward, i);
	printf("%lu\n", sum);
	expect_print();
	return 0;
}
