/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that run before and after main: constructors, destructors, atexit, an IFUNC resolver
 * (which must not be probed: it runs before relocations are done) and its targets.
 */
#include "expect.h"

TRACED int helper(int x)
{
	CALLED();
	return x + 1;
}

static int prepared;

__attribute__((constructor(200), used)) static void before(void)
{
	CALLED();
	for (int i = 0; i < 10; i++)
		prepared = CALL(helper, prepared);
}

static int plain_version(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 2;
}

static int (*resolve(void))(int)
{
	return plain_version;
}

int selected(int x) __attribute__((ifunc("resolve")));

TRACED void at_exit(void)
{
	CALLED();
	printf("at exit %d\n", CALL(helper, 1));
}

__attribute__((destructor, used)) static void after(void)
{
	CALLED();
	printf("after %d\n", CALL(helper, 2));
	expect_calls("plain_version", 100);
	expect_print();
}

int main(void)
{
	int sum = prepared;

	atexit(at_exit);
	for (int i = 0; i < 100; i++)
		sum += selected(i);
	printf("%d\n", sum);
	return 0;
}
