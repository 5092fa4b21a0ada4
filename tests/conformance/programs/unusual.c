/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that go further than most. usage: unusual MODE
 *
 * lock: locks its memory, present and future, then starts threads; no-futex: is killed at any
 * system call but write and exit; share: clone()s that run beside it on its memory and its thread
 * pointer; orphan FILE: a child that outlives it, forks and gets signals, and says whether it was
 * done before FILE was there; load DIRECTORY: loads libraries, gets signals and starts programs at
 * once.
 */
#include "expect.h"
#include "work.h"
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- lock --- */

static long locked_mib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmRSS: %ld", &kib);
	if (f)
		fclose(f);
	return kib >> 10;
}

TRACED void *locked_thread(void *argument)
{
	return (void *)(unsigned long)CALL(work, (unsigned)(unsigned long)argument);
}

TRACED int mode_lock(void)
{
	pthread_t ids[8];

	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 77;
	for (unsigned long i = 0; i < 8; i++)
		if (pthread_create(&ids[i], NULL, locked_thread, (void *)(1000 + i)))
			return 1;
	for (int i = 0; i < 8; i++)
		pthread_join(ids[i], NULL);
	CALL(work, 2000000);
	printf("locked %s\n", locked_mib() < 300 ? "little" : "too much");
	return 0;
}

/* --- no-futex --- */

TRACED int mode_no_futex(void)
{
#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_write),
		ALLOW(SYS_exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	printf("before\n"); /* stdio has its buffer now */
	fflush(stdout);
	CALL(work, 1000000);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 77;
	printf("%u\n", CALL(work, 5000000));
	expect_print();
	_exit(0);
}

/* --- share --- */

static char stacks[4][65536] __attribute__((aligned(16)));

TRACED int shared_child(void *argument)
{
	return (int)(CALL(work, (unsigned)(unsigned long)argument) & 63);
}

TRACED int mode_share(void)
{
	pid_t pids[4];
	int sum = 0, status;

	for (unsigned long i = 0; i < 4; i++) {
		pids[i] = clone(shared_child, stacks[i] + sizeof(stacks[i]), CLONE_VM | SIGCHLD,
				(void *)(200000 + i));
		if (pids[i] < 0)
			return 77;
		sum += (int)(CALL(work, 100000) & 63);
	}
	for (int i = 0; i < 4; i++) {
		if (waitpid(pids[i], &status, 0) != pids[i])
			return 1;
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000 * WTERMSIG(status);
	}
	printf("%d\n", sum);
	return 0;
}

/* --- forks --- */

static volatile sig_atomic_t heard;

static void hear(int signal)
{
	heard = signal;
}

/* Each fork and each signal is a stop under a tracer. */
static void go_on(int rounds)
{
	signal(SIGUSR1, hear);
	for (int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		kill(getpid(), SIGUSR1);
	}
}

TRACED int mode_orphan(const char *file)
{
	fflush(stdout);
	if (fork() == 0) {
		for (pid_t parent = getppid(); getppid() == parent;) /* until it is gone */
			usleep(1000);
		go_on(20);
		printf("%s %s\n", access(file, F_OK) < 0 ? "before" : "after",
		       "the file was there");
		fflush(stdout);
		_exit(heard != SIGUSR1);
	}
	CALL(work, 30000000);
	_exit(3);
}

/* --- load --- */

static char *self;
static volatile int is_over;

static void *start_programs(void *argument)
{
	char *const words[] = { self, (char *)"nothing", NULL };
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 60; i++) {
		pid_t pid;

		if (posix_spawn(&pid, self, NULL, NULL, words, environ) == 0)
			waitpid(pid, NULL, 0);
	}
	is_over = 1;
	return argument;
}

/* Libraries DIRECTORY/1.so … 60.so, again and again, under a timer of 5 kHz, while a thread starts
 * programs. */
TRACED int mode_load(const char *directory)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t thread;

	signal(SIGALRM, hear);
	if (pthread_create(&thread, NULL, start_programs, NULL))
		return 1;
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; !is_over; i++) {
		char path[4096];
		void *library;

		snprintf(path, sizeof(path), "%s/%d.so", directory, i % 60 + 1);
		library = dlopen(path, RTLD_NOW);
		if (library)
			dlclose(library);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int result = 2;

	self = argv[0];
	if (!strcmp(mode, "nothing"))
		return 0;
	if (!strcmp(mode, "lock"))
		result = mode_lock();
	else if (!strcmp(mode, "no-futex"))
		result = mode_no_futex();
	else if (!strcmp(mode, "share"))
		result = mode_share();
	else if (!strcmp(mode, "orphan") && argc > 2)
		result = mode_orphan(argv[2]);
	else if (!strcmp(mode, "load") && argc > 2)
		result = mode_load(argv[2]);
	expect_print();
	return result;
}
