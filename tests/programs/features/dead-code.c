/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A jump into a region out of code that nothing leads to: after a jump, and of two blocks. */
#include <rarog.h>

static int a RAROG_FEATURE_VARIABLE(A);
static volatile int sink;

static void __attribute__((noinline)) turn(int n)
{
	sink = sink + n;
	__asm__ volatile("jmp 2f\n\tjmp 1f\n1:\tjne .Lwithin\n2:" ::: "cc");
	sink = sink + 1;
	if (a) {
		sink = sink * 2;
		sink = sink + 3;
		__asm__ volatile(".Lwithin:");
		sink = sink * 2;
		sink = sink + 3;
	}
	sink = sink + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	a = argc > 1;
	for (int i = 0; i < 5; i++) turn(i);
	return 0;
}
