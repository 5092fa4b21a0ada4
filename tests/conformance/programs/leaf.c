/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaf functions in loops, one level of nesting, and a function that is never called. */
#include "expect.h"

TRACED int leaf(int x)
{
	CALLED();
	return x * 3 + 1;
}

TRACED int inner(int x)
{
	CALLED();
	return CALL(leaf, x) + CALL(leaf, x + 1);
}

TRACED int outer(int n)
{
	int sum = 0;

	CALLED();
	for (int i = 0; i < n; i++)
		sum += CALL(inner, i) ^ CALL(leaf, i);
	return sum;
}

TRACED void never(void)
{
	CALLED();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	unsigned sum = 0;

	for (int i = 0; i < 10; i++)
		sum += (unsigned)CALL(outer, n);
	if (n < 0)
		DO(never);
	printf("sum %u\n", sum);
	expect_calls("main", 1);
	expect_print();
	return 0;
}
