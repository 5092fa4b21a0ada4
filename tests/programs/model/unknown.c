/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unknown N: fib, which calls itself; walk(N), a loop of N rounds; turn(N), a loop of two headers.
 */
#include <stdlib.h>

static volatile long sink;

__attribute__((noinline)) long fib(long n)
{
	sink++;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) void walk(long n)
{
	while (n-- > 0) sink++;
}

/* Into the middle first if @n is odd. */
__attribute__((noinline)) long turn(long n)
{
	if (n & 1) goto middle;
top:
	sink++;
middle:
	sink++;
	if (--n > 0) goto top;
	return n;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 8;

	fib(n / 4 + 3);
	walk(n);
	return (int)turn(n);
}
