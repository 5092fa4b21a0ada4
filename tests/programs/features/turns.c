/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
#include <stdio.h>
#include <stdlib.h>
static int way RAROG_FEATURE_VARIABLE(T);
static int other RAROG_FEATURE_VARIABLE(Kept);
static volatile long sink;
static long odd(long n);
static long __attribute__((noinline)) even(long n)
{
	if (!n) return 1;
	if (way > 1) {
		sink = sink + 1;
		return odd(n - 1);
	}
	return odd(n - 1);
}
static long __attribute__((noinline)) odd(long n)
{
	if (!n) return 0;
	sink = sink + 2;
	return even(n - 1);
}
static long __attribute__((noinline)) sum(long n)
{
	if (!n) return 0;
	if (way > 1) {
		sink = sink + 1;
		return n + sum(n - 1);
	}
	return 0;
}
static void through(long n);
static void (*volatile next)(long) = through;
static void __attribute__((noinline)) through(long n)
{
	if (n && way > 1) {
		sink = sink + 1;
		next(n - 1);
	}
}
static void __attribute__((noinline)) last(void) { sink = sink + 1; }
static void __attribute__((noinline)) kept(void)
{
	if (other > 1) last();
}
int main(int argc, char **argv)
{
	long n = atol(argv[2]);
	way = other = atoi(argv[1]);
	printf("%ld ", even(n));
	printf("%ld ", sum(n));
	through(n);
	kept();
	printf("%ld\n", sink);
	return 0;
}
