/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread and short calls.
 *
 * truth: step 1.00	part of a delay that reaches the end
 */
#include "work.h"

FUNCTION void step(void) { WORK(500); }

int main(void)
{
	for (int i = 0; i < 200000; i++) step();
	return 0;
}
