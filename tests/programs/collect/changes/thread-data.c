/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables that each thread has for itself, of this file and -DLIBRARY of a library. */
#define N __attribute__((noinline, noipa))

N int plain(int x) { return x * 3; }

static __thread int limit = VALUE;
__thread int other = 5;

N int below(int x) { return x < limit++; }

N int *where(void) { return USED; }

#ifndef LIBRARY
int main(int argc, char **argv)
{
	(void)argv;
	return below(argc) + plain(argc) + *where() == 0;
}
#endif
