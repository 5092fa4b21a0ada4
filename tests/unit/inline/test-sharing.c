/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether processes have the same memory, while they begin and end. Oracle: how they were made. */

#include "unit.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/sharing.h"

#define STACK 65536

static int ready[2];

static void *rest(void *unused)
{
	char byte = 0;

	(void)!write(ready[1], &byte, 1);
	for (;;)
		pause();
	return unused;
}

/* A process of two threads. */
static pid_t start_two(void)
{
	pthread_t thread;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, rest, NULL);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static pid_t second_thread(pid_t pid)
{
	char path[64], name[32];
	FILE *list;
	int tid = 0;

	snprintf(path, sizeof(path), "ls /proc/%d/task", (int)pid);
	list = popen(path, "r");
	while (list && fgets(name, sizeof(name), list))
		if (atoi(name) != pid)
			tid = atoi(name);
	if (list)
		pclose(list);
	return tid;
}

TEST(who_has_ended_and_is_not_waited_for_shares_nothing)
{
	siginfo_t ended;
	pid_t pid = start_two(), tid = second_thread(pid);

	assert_true(tid > 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, 0), 0);
	assert_int_equal(ptrace(PTRACE_SEIZE, tid, 0, 0), 0);
	kill(pid, SIGKILL);
	/* looked at, not taken: it stays in the list of threads */
	assert_int_equal(waitid(P_PID, (id_t)tid, &ended, WEXITED | WNOWAIT | __WALL), 0);
	assert_int_equal(second_thread(pid), tid);
	assert_false(rarog_sharing(getpid(), pid));
	assert_false(rarog_sharing(pid, getpid()));
	assert_int_not_equal(rarog_sharing_find(getpid(), getpid()), pid);
	waitpid(tid, NULL, __WALL);
	waitpid(pid, NULL, __WALL);
}

static int wait_for_end(void *unused)
{
	pause();
	return unused != NULL;
}

TEST(processes_of_one_memory_are_found)
{
	char *stack = malloc(STACK);
	pid_t pid = clone(wait_for_end, stack + STACK, CLONE_VM | SIGCHLD, NULL), other = fork();

	if (other == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_true(pid > 0 && other > 0);
	assert_true(rarog_sharing(getpid(), pid));
	assert_true(rarog_sharing(pid, getpid()));
	assert_int_equal(rarog_sharing_find(getpid(), getpid()), pid);
	assert_false(rarog_sharing(getpid(), other));
	assert_int_equal(rarog_sharing_find(other, other), 0);
	kill(pid, SIGKILL);
	kill(other, SIGKILL);
	waitpid(pid, NULL, 0);
	waitpid(other, NULL, 0);
	free(stack);
}
