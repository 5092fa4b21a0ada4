/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
#include <sys/wait.h>
#include <unistd.h>
static int way RAROG_FEATURE_VARIABLE(Gone);
static volatile long sink;
int main(int argc, char **argv)
{
	way = argc;
	unlink(argv[1]);
	for (int i = 0; i < 3; i++)
		if (way > 1) { sink = sink + 1; }
	if (argc > 2 && fork() == 0) {
		execl(argv[2], argv[2], argv[2], (char *)0);
		_exit(1);
	}
	wait(0);
	return 0;
}
