/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tasks made by clone() with flags that libraries do not use. usage: clones
 * vfork|left|files|thread|parent vfork: CLONE_VM|CLONE_VFORK, with a stack of its own; left: the
 * same, and it ends with calls open, as posix_spawn's does; files: no memory shared, but files and
 * directory; thread: CLONE_THREAD with no thread pointer of its own; parent: a sibling
 */
#include "expect.h"
#include "work.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536] __attribute__((aligned(16)));

static volatile unsigned shared;
static volatile int is_done;

TRACED int child(void *argument)
{
	CALLED();
	shared = CALL(work, (unsigned)(unsigned long)argument);
	__atomic_store_n(&is_done, 1, __ATOMIC_RELEASE);
	return (int)(shared & 63);
}

/* The thread has no thread pointer of its own: no return to where libc would use it. */
TRACED int thread(void *argument)
{
	child(argument);
	syscall(SYS_exit, 0);
	return 0;
}

TRACED void end(int status)
{
	CALLED();
	_exit(status);
}

TRACED int leave(void *argument)
{
	CALLED();
	CALL(work, (unsigned)(unsigned long)argument);
	DO(end, 9);
	BARRIER();
	return 0;
}

static int by_clone(int (*begin)(void *), int flags)
{
	pid_t pid = clone(begin, stack + sizeof(stack), flags | SIGCHLD, (void *)1000UL);
	int status = 0;

	if (pid < 0)
		exit(77);
	if (flags & CLONE_PARENT) /* not ours to wait for */
		return 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int by_thread(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;

	if (clone(thread, stack + sizeof(stack), flags, (void *)2000UL) < 0)
		exit(77);
	while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE))
		sched_yield();
	usleep(1000); /* until it has left its stack */
	return (int)(shared & 63);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "vfork";
	int sum = 0;

	for (int i = 0; i < 5; i++) {
		is_done = 0;
		if (!strcmp(mode, "vfork"))
			sum += by_clone(child, CLONE_VM | CLONE_VFORK);
		else if (!strcmp(mode, "left"))
			sum += by_clone(leave, CLONE_VM | CLONE_VFORK);
		else if (!strcmp(mode, "files"))
			sum += by_clone(child, CLONE_FILES | CLONE_FS);
		else if (!strcmp(mode, "thread"))
			sum += by_thread();
		else
			sum += by_clone(child, CLONE_PARENT | CLONE_VFORK);
		sum += (int)(CALL(work, 100) & 63);
	}
	printf("%d\n", sum);
	expect_print();
	return 0;
}
