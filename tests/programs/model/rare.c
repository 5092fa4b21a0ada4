/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work() is linear in n; 300,000 calls have n = 1, few and late ones a large n. */
#include <stdlib.h>

static volatile unsigned sink;

__attribute__((noinline, noclone)) void work(long n)
{
	for (long i = 0; i < n; i++) sink = sink * 3 + 1;
}

int main(void)
{
	for (int i = 0; i < 300000; i++) {
		work(1);
		if (i % 50000 == 49999)
			for (int k = 1; k <= 8; k++) work(1000L * k);
	}
	return 0;
}
