/* SPDX-License-Identifier: GPL-3.0-or-later */
/* It ends with status 3 before it does anything where there is a file "fail", after that where there is one
 * "fail-late". */
#include <unistd.h>

#define N __attribute__((noinline, noipa))

static volatile int sink;

N int late(int x)
{
	sink += x;
	return sink;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (access("fail", F_OK) == 0) return 3;
	for (int i = 0; i < 5000; i++) late(argc);
	return access("fail-late", F_OK) == 0 ? 3 : 0;
}
