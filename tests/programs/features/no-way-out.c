/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions that are left on no way, on some ways, and on all. */
#include <rarog.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static int loop RAROG_FEATURE_VARIABLE(Loop), ends RAROG_FEATURE_VARIABLE(Exit), plain RAROG_FEATURE_VARIABLE(Plain);
static int dies RAROG_FEATURE_VARIABLE(Dies), jumps RAROG_FEATURE_VARIABLE(Jumps),
	returns RAROG_FEATURE_VARIABLE(Returns);
static volatile int sink;
static jmp_buf here;

/* Nothing says of these that they do not return. */
static void die(const char *why)
{
	fputs(why, stderr);
	exit(4);
}

static void usage(int n)
{
	if (n > 2)
		die("too many");
	else
		die("too few");
}

static void leave(void)
{
	sink = 5;
	longjmp(here, 1);
}

static void may_die(int n)
{
	if (n > 7) die("too many");
}

int main(int argc, char **argv)
{
	loop = argc > 1 && atoi(argv[1]);
	ends = argc > 2 ? atoi(argv[2]) : 0;
	plain = argc > 3;
	dies = argc > 4;
	jumps = argc > 5;
	returns = argc > 6;
	if (loop)
		for (;;) sink++;
	if (ends) {
		sink = 3;
		if (ends > 1) exit(3);
		sink = 4;
	}
	if (plain)
		for (int i = 0; i < 1000; i++) sink += i;
	if (dies) {
		sink = 6;
		usage(argc);
	}
	if (returns) may_die(argc);
	if (!setjmp(here) && jumps) leave();
	return 0;
}
