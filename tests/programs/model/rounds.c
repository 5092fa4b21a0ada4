/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rounds N: twist(N) twice, which goes round N times and 3 N (N + 1) / 2 times within; once(N), which
 * has no loop.
 */
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline, noclone)) void twist(long n)
{
	long i = 0;

	do {
		long k = 0;

		do sink = sink * 3 + 1;
		while (++k < 3 * (i + 1));
	} while (++i < n);
}

__attribute__((noinline, noclone)) void once(long n) { sink = (unsigned)n; }

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10;

	twist(n);
	twist(n);
	once(n);
	return 0;
}
