/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step() is called 300 times by left() and 700 times by right(). pick() returns in three ways: 250 times by each of two
 * returns, 500 times by a jump to tail(). The region "work" is passed 700 times, all in right().
 */
#include <rarog.h>

#include "work.h"

static volatile int way;

FUNCTION void step(void) { WORK(40000); }

FUNCTION int tail(int n)
{
	way = n;
	return n;
}

FUNCTION int pick(int n)
{
	if (n % 4 == 0) {
		way = 1;
		return 10;
	}
	if (n % 4 == 1) {
		way = tail(2) + 1;
		return 20;
	}
	return tail(n);
}

FUNCTION void left(void)
{
	step();
	way++;
}

FUNCTION void right(void)
{
	RAROG_BEGIN(work);
	step();
	RAROG_END(work);
}

int main(void)
{
	for (int i = 0; i < 1000; i++) {
		if (i < 300)
			left();
		else
			right();
		pick(i);
	}
	return 0;
}
