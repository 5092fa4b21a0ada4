/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread and short calls.
 *
 * truth: step 1.00	part of a delay that reaches the end
 */
#include "work.h"

/* bench/claims/blow.py has shorter ones. */
#ifndef CALLS
#define CALLS 200000
#define TURNS 500
#endif

FUNCTION void step(void) { WORK(TURNS); }

int main(void)
{
	for (int i = 0; i < CALLS; i++) step();
	return 0;
}
