/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose rounds can be counted by hand; main's arguments leave nothing for the compiler. */
#include <stdlib.h>

static volatile int sink;

/* Outer: 1 entry of 10 rounds. Inner: 10 entries of 1 to 10. */
__attribute__((noinline)) void triangle(int n)
{
	int i = 0;

	do {
		int k = 0;

		do
			sink++;
		while (++k <= i);
	} while (++i < n);
}

/* Entries of 1, 2, … 8 rounds: it is left early each time. */
__attribute__((noinline)) int early(int limit)
{
	int i = 0;

	do {
		sink++;
		if (i == limit)
			return i;
		sink--;
	} while (++i < 100);
	return -1;
}

/* One loop of two headers: into its middle first if @n is odd. */
__attribute__((noinline)) int irreducible(int n)
{
	if (n & 1)
		goto middle;
top:
	sink++;
middle:
	sink++;
	if (--n > 0)
		goto top;
	return n;
}

/* Four additions in each of 25 rounds. */
__attribute__((noinline)) long unrolled(const int *numbers)
{
	long sum = 0;

#pragma GCC unroll 4
	for (int i = 0; i < 100; i++)
		sum += numbers[i] ^ sink;
	return sum;
}

/* Its loop is open when it is entered anew. */
__attribute__((noinline)) void recursive(int depth)
{
	int i = 0;

	do {
		sink++;
		if (depth > 0)
			recursive(depth - 1);
	} while (++i < 3);
}

int main(int argc, char **argv)
{
	int *numbers = calloc(100, sizeof(*numbers));

	(void)argv;
	triangle(9 + argc);
	for (int i = 0; i < 8; i++)
		early(i);
	irreducible(5 * argc);
	irreducible(6 * argc);
	sink = unrolled(numbers) > 0;
	recursive(2);
	return 0;
}
