/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that end functions, some of which are left otherwise: what they call jumps out. */
#include <setjmp.h>

jmp_buf back;
volatile unsigned sink;

__attribute__((noinline)) unsigned odd(unsigned n)
{
	sink += n;
	if (n % 97 == 0)
		longjmp(back, 1);
	return n / 2 + sink % 3;
}

__attribute__((noinline)) unsigned even(unsigned n)
{
	sink ^= n;
	return n + 5;
}

/* One block returns, whoever was called. */
__attribute__((noinline)) unsigned either(unsigned n)
{
	if (n % 2 != 0)
		return odd(n);
	if (n % 16 == 0)
		return even(n);
	return n % 3 == 0 ? even(n + 1) : n;
}

__attribute__((noinline)) void only(unsigned n)
{
	if (n & 4)
		even(n);
	else if (n & 8)
		odd(n);
}

/* Would need a stack of its own for each round. */
__attribute__((noinline)) unsigned deep(unsigned n)
{
	sink += n;
	return n == 0 ? 0 : n & 1 ? deep(n - 1) + 1 : either(n);
}

int main(void)
{
	for (volatile unsigned i = 0; i < 5000; i++) {
		if (setjmp(back) != 0)
			continue;
		sink += either(i);
		only(i);
		sink += deep(i);
	}
	return 0;
}
