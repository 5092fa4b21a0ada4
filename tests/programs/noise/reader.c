/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Works as serial.c does, and then appends to the file "amounts" how much it read from its input. */
#include <stdio.h>

#include "work.h"

FUNCTION void heavy(void) { WORK(70000); }

int main(void)
{
	FILE *out = fopen("amounts", "a");
	long n = 0;

	while (getchar() != EOF) n++;
	for (int i = 0; i < 500; i++) heavy();
	fprintf(out, "%ld\n", n);
	return fclose(out);
}
