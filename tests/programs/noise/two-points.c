/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The point each is passed 200 times, the point fourth 50 times, step() is called 200 times, and tail() once at the
 * end. */
#include <rarog.h>

#include "work.h"

FUNCTION void step(void) { WORK(120000); }

FUNCTION void tail(void) { WORK(8000000); }

int main(void)
{
	for (int i = 0; i < 200; i++) {
		step();
		RAROG_POINT(each);
		if (i % 4 == 3) RAROG_POINT(fourth);
	}
	tail();
	return 0;
}
