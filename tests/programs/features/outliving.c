/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A child that goes on until the file is there; where it was from the beginning its parent waits for it. */
#include <rarog.h>
#include <sys/wait.h>
#include <unistd.h>
static int times RAROG_FEATURE_VARIABLE(Times);
static volatile int sink;

static void work(int argc)
{
	times = argc;
	if (times > 1)
		for (int i = 0; i < 1000; i++) sink = sink + i;
}

int main(int argc, char **argv)
{
	int is_there = access(argv[1], F_OK) == 0;
	pid_t child = fork();

	if (child > 0) {
		work(argc);
		return is_there ? waitpid(child, 0, 0) != child : 0;
	}
	close(0);
	close(1);
	close(2);
	for (int i = 0; i < 6000 && access(argv[1], F_OK) != 0; i++) usleep(10000);
	work(argc);
	return 0;
}
