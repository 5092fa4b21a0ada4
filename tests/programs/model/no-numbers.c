/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls work() with 1 … 40, and with three values that are no finite numbers. */
#include <math.h>

static volatile double sink;

__attribute__((noinline, noclone)) void work(double size)
{
	for (int i = 0; i < 1000; i++) sink += size;
}

int main(void)
{
	for (int i = 1; i <= 40; i++) work(i);
	work(NAN);
	work(INFINITY);
	work(-INFINITY);
	return 0;
}
