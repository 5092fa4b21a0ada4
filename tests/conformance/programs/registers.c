/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With -fipa-ra (gcc -O2) a caller keeps values in registers that the calling convention would let
 * the callee destroy, because it has seen that this callee does not. A probe must keep them all.
 */
#include "expect.h"

static volatile long sink;

/* Touches few registers and holds no counter, so that the compiler may count on the others. */
static __attribute__((noinline)) long light(long x)
{
	return x + 1;
}

static __attribute__((noinline)) double light_fp(double x)
{
	return x + 0.5;
}

static __attribute__((noinline)) void lighter(void)
{
	sink = 1;
}

TRACED long keeps(long a, long b, long c, long d, long e, long f)
{
	double x = (double)a * 1.5, y = (double)b * 2.5, z = (double)c * 3.5;
	long g = a ^ f, h = b ^ e, i = c + d;

	CALLED();
	for (int k = 0; k < 10; k++) {
		g += light(h);
		lighter();
		h ^= i + a + b + c + d + e + f;
		x += light_fp(y);
		lighter();
		z += x * y + (double)g;
	}
	return a + b + c + d + e + f + g + h + i + (long)(x + y + z);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += CALL(keeps, i, i + 1, i + 2, i + 3, i + 4, i + 5) % 1000003;
	printf("%ld\n", sum);
	expect_calls("light", 10000);
	expect_calls("light_fp", 10000);
	expect_calls("lighter", 20000);
	expect_print();
	return 0;
}
