/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Works for ever, or for a number of rounds of about a millisecond, printing one line each second
 * round of 100. usage: hang [ROUNDS] ; "hang deaf" ignores SIGTERM and SIGINT.
 */
#include "expect.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

TRACED unsigned leaf(unsigned x)
{
	CALLED();
	return x * 2654435761u + 1;
}

TRACED unsigned round_of_work(unsigned x)
{
	CALLED();
	for (int i = 0; i < 20000; i++)
		x = leaf(x);
	usleep(500);
	return x;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 0, x = 1;

	if (argc > 1 && !strcmp(argv[1], "deaf")) {
		signal(SIGTERM, SIG_IGN);
		signal(SIGINT, SIG_IGN);
	}
	printf("started\n");
	fflush(stdout);
	for (unsigned i = 0; !rounds || i < rounds; i++)
		x = round_of_work(x);
	printf("%u\n", x);
	expect_print();
	return 0;
}
