/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions whose classes textbooks know, each called with several n:
 *
 *	sorts            all, five times for each of eight sizes from 100 to 12,800
 *	sorts N          once with N: a run for each workload
 *
 * quick_sort on random numbers is n log n; with the first element as pivot, on sorted numbers
 * quick_sort_bad is n^2 (Hoare 1962). compare counts what libc's qsort() does.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

static uint64_t state = 88172645463325252u;
static volatile long sink;

static uint32_t draw(void) /* xorshift, Marsaglia 2003 */
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

static void swap(long *a, long *b)
{
	long c = *a;

	*a = *b;
	*b = c;
}

/* Lomuto's partition; the pivot is at *at. */
static long partition(long *v, long n)
{
	long last = 0;

	for (long i = 1; i < n; i++)
		if (v[i] < v[0]) swap(&v[++last], &v[i]);
	swap(&v[0], &v[last]);
	return last;
}

static void quick(long *v, long n)
{
	while (n > 1) {
		long at = partition(v, n);

		/* the smaller part first: no deep stack */
		if (at < n - at - 1) {
			quick(v, at);
			v += at + 1;
			n -= at + 1;
		} else {
			quick(v + at + 1, n - at - 1);
			n = at;
		}
	}
}

NOINLINE long quick_sort(long *v, long n)
{
	quick(v, n);
	return v[0];
}

NOINLINE long quick_sort_bad(long *v, long n)
{
	quick(v, n);
	return v[n - 1];
}

NOINLINE long sum_up(const long *v, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) sum += v[i] ^ (sum << 1);
	return sum;
}

/* How often n can be halved until nothing is left. */
NOINLINE long binary_search(const long *v, long n, long wanted)
{
	long low = 0, high = n;

	while (low < high) {
		long middle = low + (high - low) / 2;

		if (v[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

NOINLINE long first_of(const long *v, long n) { return v[0] + (n & 1); }

NOINLINE int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* Something is left to do after it, or it were a jump to qsort(), and no call. */
NOINLINE long library_sort(long *v, long n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[0];
}

static void fill(long *v, long n)
{
	for (long i = 0; i < n; i++) v[i] = draw() >> 8;
}

static void all_of(long *v, long n)
{
	fill(v, n);
	sink = sum_up(v, n);
	sink = first_of(v, n);
	sink = quick_sort(v, n);
	sink = binary_search(v, n, v[n - 1] + 1);
	sink = quick_sort_bad(v, n); /* it is sorted now */
	fill(v, n);
	sink = library_sort(v, n);
}

int main(int argc, char **argv)
{
	static long v[1000000];

	if (argc > 1) {
		all_of(v, strtol(argv[1], NULL, 10) % 1000000);
		return 0;
	}
	for (int repeat = 0; repeat < 5; repeat++)
		for (long n = 100; n <= 12800; n *= 2) all_of(v, n);
	return 0;
}
