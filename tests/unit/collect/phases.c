/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "phases IN OUT" of test-switching.c: makes ten calls of two functions, again and again, and waits
 * before each time until it is told to go on by a byte of IN; one of OUT says that it waits. So
 * every call is on the one side of a switch or on the other.
 */
#include <stdlib.h>
#include <unistd.h>

#define CALLS 10

static volatile int last; /* so that no function is too short for a probe */

__attribute__((noinline)) static int switched_one(int x)
{
	last = x;
	return last + 1;
}

__attribute__((noinline)) static int switched_other(int x)
{
	last = x;
	return last + 2;
}

int main(int argc, char **argv)
{
	char byte = '.';
	int x = 0;

	if (argc != 3)
		return 2;
	while (write(atoi(argv[2]), &byte, 1) == 1 && read(atoi(argv[1]), &byte, 1) == 1)
		for (int i = 0; i < CALLS; i++) {
			x = switched_one(x);
			x = switched_other(x);
		}
	return x < 0;
}
