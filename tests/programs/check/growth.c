/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -DNESTED: nested() is quadratic in n instead of linear; straight() is linear in any case. */
static volatile unsigned sink;

__attribute__((noinline, noclone)) void nested(long n)
{
#ifdef NESTED
	for (long i = 0; i < n; i++)
		for (long k = 0; k < n; k += 4) sink = sink * 3 + 1;
#else
	for (long i = 0; i < n; i++) sink = sink * 3 + 1;
#endif
}

__attribute__((noinline, noclone)) void straight(long n)
{
	for (long i = 0; i < n; i++) sink = sink * 3 + 1;
}

int main(void)
{
	for (int round = 0; round < 10; round++)
		for (long n = 10; n < 2000; n = n * 3 / 2) {
			nested(n);
			straight(n);
		}
	return 0;
}
