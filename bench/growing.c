/* SPDX-License-Identifier: GPL-3.0-or-later */
/* growing CALLS: 25 functions, each called so often with a size below 100,000. */
#include <stdlib.h>

static volatile unsigned sink;

/* clang-format off */
#define FUNCTION(i)                                                                                \
	__attribute__((noinline, noclone)) static void f##i(long n)                                \
	{                                                                                          \
		for (long k = 0; k < n % (i + 8); k++)                                             \
			sink += (unsigned)k;                                                       \
	}
#define TIMES(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11)        \
	do(12) do(13) do(14) do(15) do(16) do(17) do(18) do(19) do(20) do(21) do(22) do(23) do(24)
#define CALL(i) f##i(n);
/* clang-format on */

TIMES(FUNCTION)

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000;

	for (long i = 0; i < calls; i++) {
		long n = (long)((unsigned long)i * 2654435761u % 100000);

		TIMES(CALL)
	}
	return 0;
}
