/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls a shared library of its own 100 times; with --libs its functions are counted as well. Half
 * of the calls are tail calls from one to the other, and back. */
#include "expect.h"

int library_work(int n);
int library_call_back(int (*function)(int), int n);

__attribute__((noinline)) static int work_at_last(int n)
{
	__asm__ volatile("" : "+r"(n));
	return library_work(n);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 50; i++) {
		sum += library_work(50);
		sum += library_call_back(work_at_last, 50);
	}
	printf("%d\n", sum);
	expect_calls("main", 1);
	expect_calls("work_at_last", 50);
	expect_calls("library_call_back", 50);
	expect_calls("library_work", 100);
	expect_calls("library_leaf", 5000);
	return 0;
}
