/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that tell the size of what they work on, from each kind of place that compilers find
 * for it. Each prints what it is about to tell: "MARK VALUE".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rarog.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

struct table {
	unsigned long n;
	long other;
} table;

static unsigned long hidden;
static _Thread_local long sum;

static void tell(const char *mark, long value)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%s %ld\n", mark, value);

	if (write(1, line, (size_t)n) != n) abort();
}

/* Its callees of the same name have told theirs when it does. */
APART static long after(long n)
{
	long r;

	r = n > 0 ? after(n - 1) + after(n / 3) : 0;
	tell("depth__size", n);
	RAROG_SIZE(depth, n);
	return r + n;
}

/* The last value of a call is the one. */
APART static long before(long n)
{
	tell("depth__feature", -n);
	RAROG_FEATURE(depth, -n);
	sum += n;
	if (n > 0) before(n - 1);
	tell("depth__feature", 1000);
	RAROG_FEATURE(depth, 1000);
	return sum;
}

APART static void global(void)
{
	tell("table__size", (long)table.n);
	RAROG_SIZE(table, table.n);
	table.n++;
	table.other--;
}

APART static void local(void)
{
	tell("hidden__size", (long)hidden);
	RAROG_SIZE(hidden, hidden);
	hidden += 3;
}

APART static void constant(void)
{
	tell("constant__size", 77);
	RAROG_SIZE(constant, 77);
}

APART static void element(const unsigned long *v, long i)
{
	tell("element__size", (long)v[i]);
	RAROG_SIZE(element, v[i]);
}

/* Many live variables: the value may be on the stack. */
APART static long crowd(long a, long b, long c, long d, long e, long f, volatile long *g)
{
	long h = *g, i = *g, j = *g, k = *g, l = *g, m = *g, n = *g, o = *g, p = *g;

	p += 5;
	tell("crowd__feature", p);
	RAROG_FEATURE(crowd, p);
	return a * h + b * i + c * j + d * k + e * l + f * m + n * o - p * h + i * a + j * b + k * c;
}

APART static void region(long n)
{
	RAROG_BEGIN(work);
	tell("work__size", n);
	RAROG_SIZE(work, n);
	for (volatile long i = 0; i < n; i++)
		;
	RAROG_END(work);
}

/* Only some of its calls have a size. */
APART static void sometimes(long n)
{
	if (n % 2) tell("odd__size", n);
	if (n % 2) RAROG_SIZE(odd, n);
	sum += n;
}

static void *work(void *arg)
{
	static const unsigned long v[] = { 7, 8, 9, 10 };
	volatile long g = 3;

	for (long i = 0; i < 40; i++) {
		after(i % 6);
		before(i % 4);
		element(v, i % 4);
		crowd(i, 2, 3, 4, 5, 6, &g);
		g = i;
		region(i);
		sometimes(i);
		constant();
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	for (int i = 0; i < 30; i++) {
		global();
		local();
	}
	work(NULL);
	if (argc > 1) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	if (argc > 1 && fork() == 0) {
		work(NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
