/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two lines of one function, the first with three quarters of the work, in its own code and in what it calls; and a
 * line with next to nothing. Their own code has no loop, of which each turn would be a passage of the line.
 */
#include "work.h"

static volatile int passed;

FUNCTION void called(void) { WORK(20000); }

/* As 10,000 turns. */
#define OWN(x) __asm__ volatile(".rept 10000\n\timul $3, %0, %0\n\t.endr" : "+r"(x))

FUNCTION void mix(long x)
{
	called(), ({ OWN(x); }); /* line: long */
	OWN(x);                  /* line: short */
	passed++;                /* line: nothing */
}

int main(void)
{
	for (int i = 0; i < 12000; i++) mix(i);
	return 0;
}
