/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * changing() has a third of the run, and in each second run three fifths: it counts its runs in the file that is its
 * argument.
 */
#include <stdio.h>

#include "work.h"

FUNCTION void same(void) { WORK(40000); }

FUNCTION void changing(void) { WORK(20000); }

static int runs_before(const char *path)
{
	FILE *file = fopen(path, "a");
	int n = file && fputc('.', file) != EOF ? (int)ftell(file) : 0;

	if (file) fclose(file);
	return n;
}

int main(int argc, char **argv)
{
	int times = argc > 1 && runs_before(argv[1]) % 2 ? 3 : 1;

	for (int i = 0; i < 500; i++) {
		same();
		for (int k = 0; k < times; k++) changing();
	}
	return 0;
}
