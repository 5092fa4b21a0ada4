/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that go on by jumps, in circles: beside a region that ends where they return, and by a
 * table that a feature chooses from. Calls instead of the jumps need more stack than there is. */
#include "rarog.h"

#include <stdio.h>

#define TURNS 3000000
#define APART __attribute__((noinline))

RAROG_FEATURE_VARIABLE(A) int a;
static volatile long seen;

APART static int odd(int n);

APART static int even(int n)
{
	if (n == 0) {
		if (a) {
			if (seen & 1) seen += 3;
			if (seen & 2) return (int)seen;
			seen++;
		}
		return (int)seen;
	}
	seen = n;
	return odd(n - 1);
}

APART static int odd(int n) { return even(n); }

typedef int turn(int n);

static turn one, two;
static turn *const table[] = { one, two };
static turn *const others[] = { two, one };

static int one(int n)
{
	seen++;
	if (n == 0) return 1;
	__attribute__((musttail)) return table[a](n - 1);
}

static int two(int n)
{
	seen += 2;
	if (n == 0) return 2;
	__attribute__((musttail)) return others[a](n - 1);
}

APART static int left(void) { return (int)(seen & 1); }
APART static int right(void) { return (int)(seen & 2); }
APART static void note(void) { seen += 7; }

/* What is returned was chosen before the call at the end, elsewhere. */
APART static int either(int n)
{
	int chosen = n ? left() : right();

	if (a) note();
	return chosen;
}

int main(int argc, char **argv)
{
	(void)argv;
	a = argc > 1;
	printf("%d %d %d ", even(TURNS), one(TURNS), either(argc));
	printf("%ld\n", seen);
	return 0;
}
