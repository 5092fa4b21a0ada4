/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints many bytes, each line by a traced function. usage: flood MEGABYTES */
#include "expect.h"
#include <string.h>

static char line[1024];

TRACED void print_line(unsigned long i)
{
	line[i % 1000] ^= 1;
	fwrite(line, 1, sizeof(line), stdout);
}

int main(int argc, char **argv)
{
	unsigned long lines = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) * 1024;

	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	for (unsigned long i = 0; i < lines; i++)
		print_line(i);
	return 0;
}
