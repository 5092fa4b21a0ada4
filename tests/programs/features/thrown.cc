/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions leave a region in which objects have to be destroyed. Prints how often it began. */
#include "rarog.h"

#include <cstdio>
#include <string>

RAROG_FEATURE_VARIABLE(A) int a;
static volatile long entered, seen;

__attribute__((noinline)) static long may(long x)
{
	if (x % 7 == 0)
		throw x;
	return x;
}

__attribute__((noinline)) static void turn(long i)
{
	std::string outer((size_t)i % 33, 'o');

	try {
		if (a) {
			entered = entered + 1;
			std::string text((size_t)i % 40, 'x'), more((size_t)i % 20, 'y');
			seen = seen + (long)text.size() + may(i) + (long)more.size();
		}
		seen = seen + may(i + 1);
	} catch (long x) {
		seen = seen - x + (long)outer.size();
	}
}

int main(int argc, char **)
{
	a = argc > 1;
	for (long i = 0; i < 1000; i++)
		turn(i);
	printf("%ld\n", (long)entered);
	return 0;
}
