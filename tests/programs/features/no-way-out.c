/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions that are left on no way, on some ways, and on all. */
#include <rarog.h>
#include <stdlib.h>
static int loop RAROG_FEATURE_VARIABLE(Loop), ends RAROG_FEATURE_VARIABLE(Exit), plain RAROG_FEATURE_VARIABLE(Plain);
static volatile int sink;

int main(int argc, char **argv)
{
	loop = argc > 1 && atoi(argv[1]);
	ends = argc > 2 ? atoi(argv[2]) : 0;
	plain = argc > 3;
	if (loop)
		for (;;) sink++;
	if (ends) {
		sink = 3;
		if (ends > 1) exit(3);
		sink = 4;
	}
	if (plain)
		for (int i = 0; i < 1000; i++) sink += i;
	return 0;
}
