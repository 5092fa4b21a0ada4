/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deep, branching and mutual recursion. usage: recursion deep|fib|mutual [N] */
#include "expect.h"
#include <string.h>

TRACED unsigned long deep(unsigned long n)
{
	CALLED();
	if (!n)
		return 0;
	unsigned long r = CALL(deep, n - 1);

	BARRIER(); /* no accumulator loop, no tail call */
	return r + n;
}

TRACED unsigned long fib(unsigned long n)
{
	CALLED();
	if (n < 2)
		return n;
	unsigned long a = CALL(fib, n - 1);

	BARRIER(); /* else compilers make a loop of one of the two */
	unsigned long b = CALL(fib, n - 2);

	BARRIER();
	return a + b;
}

TRACED int odd(unsigned long n);

TRACED int even(unsigned long n)
{
	CALLED();
	int r = n ? CALL(odd, n - 1) : 1;

	BARRIER();
	return r;
}

TRACED int odd(unsigned long n)
{
	CALLED();
	int r = n ? CALL(even, n - 1) : 0;

	BARRIER();
	return r;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "deep";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (!strcmp(mode, "deep"))
		printf("%lu\n", CALL(deep, n ? n : 100000));
	else if (!strcmp(mode, "fib"))
		printf("%lu\n", CALL(fib, n ? n : 20));
	else
		printf("%d\n", CALL(even, n ? n : 50001));
	expect_print();
	return 0;
}
