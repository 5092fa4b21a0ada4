/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shared library of library-user.c: for --libs. */
int library_leaf(int x);
int library_work(int n);
int library_call_back(int (*function)(int), int n);

__attribute__((noinline, visibility("hidden"))) int library_leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 5;
}

int library_work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += library_leaf(i);
	return sum;
}

int library_call_back(int (*function)(int), int n)
{
	__asm__ volatile("" : "+r"(n));
	return function(n);
}
