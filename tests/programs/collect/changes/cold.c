/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function with a part that is elsewhere: in a stripped program that has no name. */
#include <stdio.h>

#define N __attribute__((noinline, noclone))

__attribute__((cold)) N void complain(int x) { printf("%d\n", x); }

N int thrice(int x)
{
	if (__builtin_expect(x < -9, 0)) {
		complain(x);
		return OTHER;
	}
	return x * OTHER;
}

N int twice(int x)
{
	if (__builtin_expect(x < 0, 0)) {
		complain(x);
		complain(x * FACTOR);
		return 17;
	}
	return x * 2;
}

int main(int argc, char **argv)
{
	(void)argv;
	return twice(argc) + thrice(argc) == 3;
}
