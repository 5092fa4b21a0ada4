/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of C (by their names and types) for a C++ exception to pass through. */
#include "expect.h"

extern "C" {
int c_calls_back(int (*function)(int), int x);

TRACED int c_middle(int (*function)(int), int x)
{
	CALLED();
	int r = CALL(function, x);

	BARRIER();
	return r + 1;
}

TRACED int c_calls_back(int (*function)(int), int x)
{
	CALLED();
	int r = CALL(c_middle, function, x);

	BARRIER();
	return r + 1;
}
}
