/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prog [-q WORD] [-o FILE] N|-|fail|hang|crash: N calls of step(); -: N from standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int total;

__attribute__((noinline)) static void step(int i)
{
	total += i;
}

static void note_run(void)
{
	const char *log = getenv("PROG_LOG");
	FILE *f = log ? fopen(log, "a") : NULL;

	if (!f)
		return;
	fputs("ran\n", f);
	fclose(f);
}

static int number(const char *word)
{
	int n = 0;

	if (strcmp(word, "-") != 0)
		return atoi(word);
	return scanf("%d", &n) == 1 ? n : -1;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[argc - 1] : "3";
	FILE *out = stdout;
	int n;

	note_run();
	if (strcmp(word, "fail") == 0)
		return 9;
	if (strcmp(word, "hang") == 0)
		pause();
	if (strcmp(word, "crash") == 0)
		*(volatile int *)0 = 1;
	n = number(word);
	for (int i = 0; i < n; i++)
		step(i);
	if (argc > 2 && strcmp(argv[1], "-o") == 0)
		out = fopen(argv[2], "w");
	fprintf(out, "calls %d\n", n);
	return 0;
}
