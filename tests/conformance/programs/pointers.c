/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are not plain: qsort call-backs from an untraced library, tables of function pointers,
 * varargs (al holds the number of vector registers), nested functions (static chain in r10),
 * many arguments, alloca, big structures by value, and a symbol-versioned look-alike.
 */
#include "expect.h"
#include <alloca.h>
#include <stdarg.h>
#include <string.h>

TRACED int compare(const void *a, const void *b)
{
	CALLED();
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

TRACED int add(int a, int b)
{
	CALLED();
	return a + b;
}

TRACED int subtract(int a, int b)
{
	CALLED();
	return a - b;
}

static int (*volatile table[])(int, int) = { add, subtract, add };

TRACED double sum_all(int n, ...)
{
	va_list list;
	double sum = 0;

	CALLED();
	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
	va_end(list);
	return sum;
}

TRACED long many(long a, int b, short c, char d, long e, int f, long g, int h, double i, long j)
{
	CALLED();
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + (long)(9 * i) + 10 * j;
}

struct big {
	int value[100];
};

TRACED int by_value(struct big big, int i)
{
	CALLED();
	return big.value[i] + big.value[99 - i];
}

TRACED int on_stack(int n)
{
	int *p = alloca((size_t)n * sizeof(*p));
	int sum = 0;

	CALLED();
	for (int i = 0; i < n; i++)
		p[i] = i;
	BARRIER();
	for (int i = 0; i < n; i++)
		sum += p[i];
	return sum;
}

#ifndef __clang__
TRACED int apply(int (*function)(int), int n)
{
	int sum = 0;

	CALLED();
	for (int i = 0; i < n; i++)
		sum += CALL(function, i);
	return sum;
}

/* A nested function reads its parent's frame through r10. */
TRACED int with_nested(int factor)
{
	int calls = 0, once;

	__attribute__((noinline)) int multiply(int x)
	{
		CALLED();
		calls++;
		return x * factor;
	}
	once = CALL(multiply, 1);
	return CALL(apply, multiply, 10) + calls + once;
}
#else
static int with_nested(int factor)
{
	return 45 * factor + 10 + factor;
}
#endif

int main(void)
{
	int numbers[500];
	struct big big;
	int sum = 0;
	unsigned state = 1;

	for (int i = 0; i < 500; i++)
		numbers[i] = (int)((state = state * 1103515245u + 12345u) >> 8);
	qsort(numbers, 500, sizeof(numbers[0]), compare);
	for (int i = 1; i < 500; i++)
		sum += numbers[i - 1] <= numbers[i];
	for (int i = 0; i < 300; i++)
		sum = CALL(table[i % 3], sum, i);
	for (int i = 0; i < 100; i++)
		big.value[i] = i * i;
	printf("%d %.2f %.2f\n", sum, CALL(sum_all, 0),
	       CALL(sum_all, 8, 1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5));
	printf("%ld %d %d %d\n", CALL(many, 1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10),
	       CALL(by_value, big, 7), CALL(on_stack, 1000), with_nested(3));
	expect_print();
	return 0;
}
