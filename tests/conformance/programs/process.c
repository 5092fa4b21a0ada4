/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that are born and die in every way. usage: process MODE [N]
 *
 * fork: the child works and _exits; fork-main: the child returns from main; storm: 200 (or N)
 * children; fork-thread: fork from a thread; vfork: vfork and exec; spawn: posix_spawn; system:
 * system(); exec: replaced by itself 5 times; _exit, quick_exit, abort, segv, kill, fpe, trap: ends
 * so, in the middle of nested calls; daemon: leaves its session and closes every descriptor but
 * one; orphan: the child outlives its parent.
 */
#include "expect.h"
#include "work.h"
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *self;

TRACED int wait_for(pid_t pid)
{
	int status = 0;

	CALLED();
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TRACED int fork_one(unsigned n)
{
	pid_t pid;

	CALLED();
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(CALL(work, n) & 63);
	CALL(work, n);
	return CALL(wait_for, pid);
}

TRACED int mode_fork(void)
{
	return CALL(fork_one, 1000);
}

TRACED int mode_fork_main(void)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid)
		return CALL(wait_for, pid);
	CALL(work, 500);
	return -2; /* main of the child: return without a word */
}

static int children = 200;

TRACED int mode_storm(void)
{
	int sum = 0;

	for (int i = 0; i < children; i++)
		sum += CALL(fork_one, 20);
	return sum;
}

TRACED void *fork_in_thread(void *result)
{
	*(int *)result = CALL(fork_one, 100);
	return NULL;
}

TRACED int mode_fork_thread(void)
{
	pthread_t thread;
	int result = -1;

	pthread_create(&thread, NULL, fork_in_thread, &result);
	pthread_join(thread, NULL);
	return result + (int)(CALL(work, 10) & 1);
}

TRACED pid_t vfork_exec(void)
{
	pid_t pid;

	CALLED();
	pid = vfork();
	if (!pid) {
		CALL(leaf, 1); /* in the suspended parent's memory */
		execl("/bin/true", "true", (char *)NULL);
		_exit(9);
	}
	CALL(leaf, 2);
	return pid;
}

TRACED int mode_vfork(void)
{
	int sum = 0;
	pid_t pid;

	for (int i = 0; i < 10; i++) {
		pid = CALL(vfork_exec);
		sum += CALL(wait_for, pid);
	}
	return sum;
}

TRACED int mode_spawn(void)
{
	char *argv[] = { (char *)"false", NULL };
	pid_t pid;

	CALL(work, 10);
	if (posix_spawn(&pid, "/bin/false", NULL, NULL, argv, environ))
		return -1;
	return CALL(wait_for, pid);
}

TRACED int mode_system(void)
{
	fflush(stdout);
	CALL(work, 10);
	return system("echo from the shell; exit 3") + (int)(CALL(work, 5) & 1);
}

/* Five images one after another; counters die with an image, so the last announces the sum. */
TRACED int mode_exec(void)
{
	const char *generation = getenv("GENERATION");
	int n = generation ? atoi(generation) : 0;
	char next[12];

	CALL(work, 100);
	if (n < 4) {
		snprintf(next, sizeof(next), "%d", n + 1);
		setenv("GENERATION", next, 1);
		fflush(stdout);
		execl(self, self, "exec", (char *)NULL);
		return -1;
	}
	expect_calls("work", 5);
	expect_calls("leaf", 500);
	exit(0);
}

TRACED void die(void) __attribute__((noreturn));

TRACED int nested(unsigned depth)
{
	CALLED();
	int r = depth ? CALL(nested, depth - 1) : 0;

	if (!depth)
		die();
	BARRIER();
	return r;
}

static const char *how;
static volatile int number = 1, zero;

TRACED void die(void)
{
	CALL(work, 1000);
	expect_print();
	if (!strcmp(how, "_exit"))
		_exit(17);
	if (!strcmp(how, "quick_exit"))
		quick_exit(18);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "segv"))
		**(volatile int *volatile *)&(int *){ (int *)8 } = 1;
	if (!strcmp(how, "trap"))
		__builtin_trap();
	if (!strcmp(how, "fpe"))
		number = number / zero;
	for (;;)
		pause();
}

TRACED int mode_die(void)
{
	return CALL(nested, 10);
}

/* The child goes on after the parent's end; a pipe inherited as stdout keeps readers waiting. */
TRACED int mode_orphan(void)
{
	fflush(stdout);
	if (fork()) {
		expect_calls("work", 1);
		expect_calls("leaf", 1000);
		fflush(stdout);
		_exit(0);
	}
	usleep(100000);
	CALL(work, 1000);
	printf("the orphan has finished\n");
	fflush(stdout);
	_exit(0);
}

/* As daemons do it; what it found out comes through a pipe. */
TRACED int mode_daemon(void)
{
	unsigned result = 0;
	int ends[2];

	fflush(stdout);
	if (pipe(ends))
		return -1;
	if (fork() == 0) {
		if (setsid() < 0 || fork() != 0)
			_exit(0);
		umask(0);
		for (int fd = 0; fd < 1024; fd++)
			if (fd != ends[1])
				close(fd);
		result = CALL(work, 3000);
		_exit(chdir("/") || write(ends[1], &result, sizeof(result)) != sizeof(result));
	}
	close(ends[1]);
	if (read(ends[0], &result, sizeof(result)) != sizeof(result))
		return -1;
	wait(NULL);
	return (int)(result & 0xffff);
}

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "fork", mode_fork },     { "fork-main", mode_fork_main },
	{ "storm", mode_storm },   { "fork-thread", mode_fork_thread },
	{ "vfork", mode_vfork },   { "spawn", mode_spawn },
	{ "system", mode_system }, { "exec", mode_exec },
	{ "orphan", mode_orphan }, { "daemon", mode_daemon },
};

int main(int argc, char **argv)
{
	int (*run)(void) = mode_die;
	int result;

	if (argc > 2)
		children = atoi(argv[2]);
	self = argv[0];
	how = argc > 1 ? argv[1] : "fork";
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, how))
			run = modes[i].run;
	result = run();
	if (result == -2)
		return 5;
	printf("%s %d\n", how, result);
	expect_print();
	return 0;
}
