/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what came first: a call that takes less than 20 ms of processor time, or what has so long to come. */
#include <stdio.h>
#include <time.h>

#include "work.h"

FUNCTION void step(void) { WORK(2000000); }

int main(void)
{
	int late = 0;

	for (int i = 0; i < 15; i++) {
		struct timespec from, to;

		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		step();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		late |= (to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec > 20000000;
	}
	return puts(late ? "the other" : "step") < 0;
}
