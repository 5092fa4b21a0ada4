/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread: heavy() is 70 % of the work, light() 30 %.
 *
 * truth: heavy 1.00, light 1.00	part of a delay that reaches the end
 * truth: sensitivity 0.70 and 0.30
 */
#include "work.h"

FUNCTION void heavy(void) { WORK(70000); }

FUNCTION void light(void) { WORK(30000); }

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		heavy();
		light();
	}
	return 0;
}
