/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Children are killed in the midst of step(), where they have the lock of lock noise, if it is that. Nobody else wants
 * it.
 *
 * truth: step 1.00	part of a delay that reaches the end
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

FUNCTION void step(void) { WORK(20000); }

static void kill_one(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;) step();
	usleep(2000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	for (int i = 0; i < 4; i++) kill_one();
	for (int i = 0; i < 3000; i++) step();
	return 0;
}
