/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing but calls: Fibonacci numbers. usage: recursion N ROUNDS */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned long fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 30,
		 rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	unsigned long sum = 0;

	while (rounds-- > 0)
		sum += fib(n);
	printf("%lu\n", sum);
	return 0;
}
