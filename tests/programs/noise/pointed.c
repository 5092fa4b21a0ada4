/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 200 passages of the point done, a USDT probe, one after each step. */
#include <rarog.h>

#include "work.h"

FUNCTION void step(void) { WORK(180000); }

int main(void)
{
	for (int i = 0; i < 200; i++) {
		step();
		RAROG_POINT(done);
	}
	return 0;
}
