/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recursive A N: a region of feature A, which is within itself N times. */
#include <rarog.h>
#include <stdlib.h>

static volatile long sink;

static __attribute__((noinline)) long deeper(int a, long n)
{
	if (a) {
		sink++;
		if (n > 1)
			sink += deeper(a, n - 1);
		sink++;
	}
	return sink;
}

int main(int argc, char **argv)
{
	int a RAROG_FEATURE_VARIABLE(A) = argc > 1 ? atoi(argv[1]) : 1;

	return deeper(a, argc > 2 ? atol(argv[2]) : 1) < 0;
}
