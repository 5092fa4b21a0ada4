/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals to the own process group, from the program and from a child of it: each arrives once, and
 * other processes of the group are not the program's business. Needs a group of its own.
 * usage: groups [NUMBER [wait]]
 * wait for NUMBER of them from the parent, print all; wait: without a handler
 */
#include "expect.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURST 20

static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGUSR1, SIGUSR2,
			       SIGALRM, SIGPROF, SIGVTALRM, SIGIO,   SIGWINCH };
static siginfo_t got[1000];
static volatile sig_atomic_t n;

TRACED void handler(int number, siginfo_t *info, void *context)
{
	CALLED();
	(void)number, (void)context;
	got[n] = *info;
	n = n + 1;
}

static void sleep_ms(long ms)
{
	struct timespec left = { .tv_nsec = ms * 1000000 };

	while (nanosleep(&left, &left) != 0)
		;
}

TRACED void send_burst(void)
{
	CALLED();
	for (int i = 0; i < BURST; i++)
		kill(0, SIGRTMIN + 3);
}

/* One that comes twice does so within this time. */
TRACED void send_all(void)
{
	CALLED();
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		kill(0, signals[i]);
	kill(0, SIGRTMIN + 3);
}

static void wait_for(int expected)
{
	for (int i = 0; i < 500 && n < expected; i++)
		sleep_ms(10);
	sleep_ms(100);
}

static void print(const char *who, pid_t sender, int first)
{
	printf("%s: %d\n", who, n - first);
	for (int i = first; i < n; i++)
		if (got[i].si_code != SI_USER || got[i].si_errno || got[i].si_pid != sender)
			printf("signal %d, code %d, error %d\n", got[i].si_signo, got[i].si_code,
			       got[i].si_errno);
}

/* Blocked signals stop for no tracer. */
static void take(int expected)
{
	struct timespec moment = { .tv_nsec = 100000000 };
	siginfo_t info;
	sigset_t every;

	sigfillset(&every);
	for (int i = 0; i < 50 || n >= expected; i++)
		if (sigtimedwait(&every, &info, &moment) > 0)
			handler(info.si_signo, &info, NULL);
		else if (n >= expected)
			return;
}

static int wait_outside(int expected, int blocked)
{
	sigset_t every;

	sigfillset(&every);
	if (blocked)
		sigprocmask(SIG_BLOCK, &every, NULL);
	puts("started");
	fflush(stdout);
	if (blocked)
		take(expected);
	else
		wait_for(expected);
	print("others", getppid(), 0);
	for (int i = 0; i < n; i++)
		printf("%d\n", got[i].si_signo);
	return 3;
}

static void in_child(void (*send)(void), const char *who, int expected)
{
	int before = n;
	sigset_t every;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		sigfillset(&every);
		sigprocmask(SIG_BLOCK, &every, NULL);
		DO(send);
		_exit(0);
	}
	wait_for(before + expected);
	print(who, child, before);
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int all = sizeof(signals) / sizeof(*signals) + 1;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
	sigaction(SIGRTMIN + 3, &action, NULL);
	if (argc > 1)
		return wait_outside(atoi(argv[1]), argc > 2);
	DO(send_all);
	wait_for(all);
	print("itself", getpid(), 0);
	in_child(send_all, "its child", all);
	in_child(send_burst, "a burst", BURST);
	expect_print();
	return 0;
}
