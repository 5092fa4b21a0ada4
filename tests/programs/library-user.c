/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls a shared library of its own 100 times; with --libs its functions are counted as well. */
#include "expect.h"

int library_work(int n);

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += library_work(50);
	printf("%d\n", sum);
	expect_calls("main", 1);
	expect_calls("library_work", 100);
	expect_calls("library_leaf", 5000);
	return 0;
}
