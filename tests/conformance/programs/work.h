/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What many programs have to do: work(n) calls leaf() n times. After expect.h. */
#ifndef RAROG_TESTS_WORK_H
#define RAROG_TESTS_WORK_H

TRACED unsigned leaf(unsigned x)
{
	CALLED();
	return x * 2654435761u + 1;
}

TRACED unsigned work(unsigned n)
{
	unsigned x = 1;

	CALLED();
	for (unsigned i = 0; i < n; i++)
		x = CALL(leaf, x);
	return x;
}

#endif
