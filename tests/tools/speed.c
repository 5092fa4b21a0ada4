/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: speed      by what the tests' time-outs are multiplied on this machine, and why
 *
 * Tests start programs, stop them by ptrace, and call the kernel. How long each of these takes
 * here, beside whatever else runs, is compared with a good machine; the slowest counts, rounded up.
 * Of system calls only a third does: no test does little else.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of a good machine. */
#define START_US 500.0
#define STOP_US  10.0
#define CALL_US  0.1

#define MOST 10.0

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double start_us(int n)
{
	double began = now_us();

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	return (now_us() - began) / n;
}

static double call_us(int n)
{
	double began = now_us();

	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
	return (now_us() - began) / n;
}

/* 0: ptrace is forbidden. */
static double stop_us(int n)
{
	pid_t pid = fork();
	double began;
	int status;

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(0);
		raise(SIGSTOP);
		for (;;)
			syscall(SYS_getppid);
	}
	waitpid(pid, &status, 0);
	began = now_us();
	for (int i = 0; i < n && WIFSTOPPED(status); i++) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	if (!WIFSTOPPED(status))
		return 0;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return (now_us() - began) / n;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

int main(void)
{
	double start = start_us(100), stop = stop_us(2000), call = call_us(200000);
	double factor = larger(start / START_US, larger(stop / STOP_US, call / CALL_US / 3));

	factor = larger(1, factor < MOST ? factor : MOST);
	printf("%d: a program starts and ends in %.2f ms, a stop by ptrace takes %.0f us, a system "
	       "call "
	       "%.2f us\n",
	       (int)(factor + 0.999), start / 1e3, stop, call);
	return 0;
}
