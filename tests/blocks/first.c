/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library's function that a thread enters first sees the arguments that it was given; with
 * -DPROGRAM, the program that calls it. Says how many threads were wrong.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

long first(long a, long b, long c, long d, long e, long f, double g, double h, double i, double j,
	   double k, double l, double m, double n, ...);

#ifndef PROGRAM
long first(long a, long b, long c, long d, long e, long f, double g, double h, double i, double j,
	   double k, double l, double m, double n, ...)
{
	double sum = (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f) + 7 * g + 8 * h + 9 * i +
		     10 * j + 11 * k + 12 * l + 13 * m + 14 * n;
	va_list more;

	va_start(more, n);
	sum += va_arg(more, double);
	va_end(more);
	return (long)sum;
}
#else
static void *enter(void *argument)
{
	(void)argument;
	return (void *)(first(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0.5) - 1015);
}

int main(void)
{
	int n_wrong = 0;

	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *wrong;

		pthread_create(&thread, NULL, enter, NULL);
		pthread_join(thread, &wrong);
		n_wrong += wrong != NULL;
	}
	printf("%d\n", n_wrong);
	return n_wrong;
}
#endif
