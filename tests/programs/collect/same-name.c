/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs of one name: with an argument it becomes the other one. -DOWN=NAME names a function of its own. */
#include <stdlib.h>
#include <unistd.h>

#define N __attribute__((noinline, noipa))

static volatile int sink;

N int OWN(int x)
{
	sink += x;
	return sink;
}

N int shared(int x)
{
	sink -= x;
	return sink;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < CALLS; i++) shared(OWN(i));
	if (argc > 1) execl(argv[1], argv[1], (char *)NULL);
	return 0;
}
