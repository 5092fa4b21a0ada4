/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
#include <sys/wait.h>
#include <unistd.h>
static int way RAROG_FEATURE_VARIABLE(Forks);
static volatile int sink;
int main(int argc, char **argv)
{
	way = argc;
	for (int i = 0; i < 3; i++) {
		if (way > 1) {
			pid_t child = fork();
			for (int k = 0; k < 1000; k++) sink = sink + k;
			if (child == 0) _exit(0);
			waitpid(child, 0, 0);
		}
	}
	return 0;
}
