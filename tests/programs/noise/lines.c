/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two lines of one function, the first with three quarters of the work, in its own code and in what it calls; and a
 * line with next to nothing. */
#include "work.h"

static volatile int passed;

FUNCTION void called(void) { WORK(90000); }

#define BOTH()                                                                                                         \
	do {                                                                                                           \
		called();                                                                                              \
		WORK(90000);                                                                                           \
	} while (0)

FUNCTION void mix(void)
{
	BOTH();      /* line: long */
	WORK(60000); /* line: short */
	passed++;    /* line: nothing */
}

int main(void)
{
	for (int i = 0; i < 1500; i++) mix();
	return 0;
}
