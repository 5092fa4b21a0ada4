/* Several calls on a line, calls as arguments of calls, recursion, comma, function pointers. */
#include <stdio.h>

static int one(void) { return 1; }
static int twice(int n) { return 2 * n; } static int add(int a, int b) { return a + b; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int apply(int (*f)(int), int n)
{
	return f ? f(n) : n;
}

#define SUM(a, b) (add((a), (b)) + one())

int main(void)
{
	int sum = 0, i;

	for (i = 0, sum = one(); i < 5; i++, sum += one())
		sum += add(twice(i), twice(one())), sum++;
	sum += SUM(fib(6), SUM(1, 2)); sum += one() + one(); if (sum < 0) sum = one();
	sum += apply(twice, 3) + apply(NULL, 4);
	printf("%d\n", sum);
	return 0;
}
