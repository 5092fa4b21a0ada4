/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that queue, on a stack of their own, while others come and the process is stopped and
 * goes on: each handler is called once for each, with its value and sender. With an argument they
 * are nested. Prints what must be so in any run.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST  1500
#define STOPS 20

static volatile unsigned sink;
static volatile int n, sum, strange;
static pid_t sender;

__attribute__((noipa)) void work(void)
{
	if (sink & 1)
		sink = sink + 3;
	else
		sink = sink ^ 5;
	if (sink & 8)
		sink = sink >> 1;
}

static void on_queued(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	n++;
	sum += info->si_value.sival_int;
	strange += info->si_code != SI_QUEUE || info->si_pid != sender;
}

static void on_other(int signal)
{
	(void)signal;
}

/* Ends with its parent, whose number may be another's then. */
static void send(pid_t to)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != to)
		_exit(1);
	for (int i = 0; i < MOST; i++) {
		while (sigqueue(to, SIGRTMIN, (union sigval){ .sival_int = i }) < 0)
			usleep(100); /* too many wait */
		if (i % 7 == 0)
			kill(to, SIGUSR1);
		if (i % 13 == 0)
			usleep(50);
	}
	_exit(0);
}

static void stop(pid_t which)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != which)
		_exit(1);
	for (int i = 0; i < STOPS; i++) {
		kill(which, SIGSTOP);
		usleep(200);
		kill(which, SIGCONT);
		usleep(1500);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	static char stack[64 << 20];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_queued,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK |
						(argc > 1 ? SA_NODEFER : 0) };
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	pid_t self = getpid();
	sigset_t queued, before;

	(void)argv;
	sigaltstack(&alternate, 0);
	sigaction(SIGRTMIN, &action, 0);
	action.sa_handler = on_other;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, 0);
	sigaction(SIGVTALRM, &action, 0);
	sigemptyset(&queued);
	sigaddset(&queued, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &queued, &before);
	sender = fork();
	if (sender == 0)
		send(self);
	if (fork() == 0)
		stop(self);
	sigprocmask(SIG_SETMASK, &before, 0);
	setitimer(ITIMER_VIRTUAL, &often, 0);
	while (n < MOST)
		work();
	setitimer(ITIMER_VIRTUAL, &never, 0);
	while (wait(0) > 0)
		;
	printf("%d %d %d\n", n, sum, strange);
	return 0;
}
