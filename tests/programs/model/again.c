/* SPDX-License-Identifier: GPL-3.0-or-later */
/* again N: plain(N) and locked(N) go round N times, locked() by instructions that may be done again; filled(N) is N
 * times one instruction. */
#include <stdlib.h>

static volatile long sink;
static char room[4096];

__attribute__((noinline, noclone)) void plain(long n)
{
	sink = n;
	do __asm__ volatile("addq $1, %0\n\taddq $2, %0" : "+m"(sink));
	while (--n > 0);
}

__attribute__((noinline, noclone)) void locked(long n)
{
	sink = n;
	do __asm__ volatile("lock addq $1, %0\n\tlock addq $2, %0" : "+m"(sink));
	while (--n > 0);
}

__attribute__((noinline, noclone)) void filled(long n)
{
	void *at = room;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(1) : "memory");
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10;

	plain(n);
	locked(n);
	filled(n);
	return 0;
}
