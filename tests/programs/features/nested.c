/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A region within itself, in a function that optimizers put into itself: directly, by another, and by a pointer. */
#include <rarog.h>
#include <stdio.h>
#include <stdlib.h>

static int on RAROG_FEATURE_VARIABLE(On);
static volatile long sink;
static void other(int n);

static void work(long n)
{
	while (n--) sink++;
}

static void direct(int n)
{
	if (on) {
		work(10);
		if (n > 1) direct(n - 1);
		work(20);
	}
}

static void by_other(int n)
{
	if (on) {
		work(30);
		if (n > 1) other(n - 1);
		work(40);
	}
}

static void other(int n)
{
	work(1);
	by_other(n);
	work(2);
}

static void apply(void (*what)(int), int n)
{
	if (n > 0) what(n);
	work(3);
}

static void by_pointer(int n)
{
	if (on) {
		work(50);
		apply(by_pointer, n - 1);
		work(60);
	}
}

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[2]) : 1;

	on = argc > 1 && atoi(argv[1]);
	direct(depth);
	by_other(depth);
	by_pointer(depth);
	printf("%ld\n", sink);
	return 0;
}
