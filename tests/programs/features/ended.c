/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static int way RAROG_FEATURE_VARIABLE(Child);
static int other RAROG_FEATURE_VARIABLE(Parent);
static volatile long sink;
int main(int argc, char **argv)
{
	way = other = argc;
	if (fork() == 0) {
		if (way > 1) {
			sink = sink + 1;
			if (*argv[1] == 'x') execl("/bin/true", "true", (char *)0);
			if (*argv[1] == 'k') kill(getpid(), SIGKILL);
			_exit(0);
		}
	}
	wait(0);
	if (other > 1) {
		sink = sink + 2;
		usleep(1000);
	}
	return 0;
}
