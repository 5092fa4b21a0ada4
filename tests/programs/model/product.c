/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What work() executes grows with n m, and with n. */
static volatile unsigned sink;

__attribute__((noinline, noclone)) void work(long n, long m)
{
	for (long i = 0; i < n; i++)
		for (long k = 0; k < m; k++) sink = sink * 3 + 1;
}

int main(void)
{
	for (int round = 0; round < 2; round++)
		for (long n = 8; n < 300; n *= 2)
			for (long m = 4; m < 200; m *= 3) work(n, m);
	return 0;
}
