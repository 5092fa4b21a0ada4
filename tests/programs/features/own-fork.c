/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <rarog.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int way RAROG_FEATURE_VARIABLE(F);
static volatile long sink;
static void __attribute__((noinline)) part(void)
{
	if (way > 0) { sink = sink + 1; }
}
int main(int argc, char **argv)
{
	way = argc;
	part();
	long child = syscall(SYS_fork);
	for (int i = 0; i < 100000; i++) part();
	if (child == 0) _exit(0);
	waitpid((pid_t)child, 0, 0);
	return 0;
}
