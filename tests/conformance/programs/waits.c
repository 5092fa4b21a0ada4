/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of the system that end with EINTR when a signal arrives, even if that is ignored: but then
 * it does not arrive, unless the process is traced. usage: waits
 */
#include "expect.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOTES 5 /* signals that the waiting process ignores */

static int wakes[2]; /* a pipe: the child says that it is enough */
static int semaphore;

static void annoy(pid_t pid)
{
	static const int ignored[] = { SIGWINCH, SIGCHLD, SIGUSR1 };

	for (int i = 0; i < NOTES; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		kill(pid, ignored[i % 3]);
	}
}

/* Sends what is ignored (SIGCHLD with its own end, too), then lets the parent go on. */
static void start_child(int waker)
{
	struct sembuf up = { .sem_op = 1 };
	pid_t parent = getpid();

	if (fork() != 0)
		return;
	annoy(parent);
	if (waker == 'p' && write(wakes[1], "x", 1) != 1)
		_exit(1);
	if (waker == 's')
		semop(semaphore, &up, 1);
	if (waker == 'k')
		kill(parent, SIGUSR2);
	_exit(0);
}

TRACED long wait_epoll(int timeout_ms)
{
	struct epoll_event event = { .events = EPOLLIN }, got;
	int fd = epoll_create1(0), r;

	CALLED();
	epoll_ctl(fd, EPOLL_CTL_ADD, wakes[0], &event);
	r = epoll_wait(fd, &got, 1, timeout_ms);
	close(fd);
	return r < 0 ? -errno : r;
}

TRACED long wait_semaphore(void)
{
	struct sembuf down = { .sem_op = -1 };

	CALLED();
	return semop(semaphore, &down, 1) < 0 ? -errno : 0;
}

TRACED long wait_signal(void)
{
	sigset_t set;
	int r;

	CALLED();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	r = sigwaitinfo(&set, NULL);
	return r < 0 ? -errno : r;
}

/* A socket with a time-out of its own. */
TRACED long wait_socket(void)
{
	struct timeval limit = { .tv_sec = 30 };
	int pair[2];
	char byte;
	long r;

	CALLED();
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return -errno;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (fork() == 0) {
		annoy(getppid());
		_exit(write(pair[1], "x", 1) != 1);
	}
	r = recv(pair[0], &byte, 1, 0) < 0 ? -errno : 1;
	close(pair[0]);
	close(pair[1]);
	return r;
}

/* The signals must not make a wait with a limit endless. */
TRACED long wait_limited(void)
{
	pid_t pid;
	long r;

	CALLED();
	pid = fork();
	if (pid == 0) {
		for (pid_t parent = getppid(); getppid() == parent;)
			annoy(parent);
		_exit(0);
	}
	r = CALL(wait_epoll, 200);
	kill(pid, SIGKILL);
	return r;
}

static volatile sig_atomic_t handled;

static void on_alarm(int signal)
{
	handled += signal == SIGALRM;
}

/* What is handled does end it. */
TRACED long wait_handled(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };

	CALLED();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	return CALL(wait_epoll, 30000);
}

TRACED int main(void)
{
	sigset_t set;
	char byte;

	CALLED();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR1, SIG_IGN);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	if (pipe(wakes) < 0 || semaphore < 0)
		return 77;
	start_child('p');
	printf("epoll_wait %ld\n", CALL(wait_epoll, -1));
	printf("read %zd\n", read(wakes[0], &byte, 1));
	start_child('s');
	printf("semop %ld\n", CALL(wait_semaphore));
	start_child('k');
	printf("sigwaitinfo %ld\n", CALL(wait_signal));
	printf("recv %ld\n", CALL(wait_socket));
	printf("epoll_wait with a limit %ld\n", CALL(wait_limited));
	printf("epoll_wait and an alarm %ld, ", CALL(wait_handled));
	printf("handled %d\n", (int)handled);
	semctl(semaphore, 0, IPC_RMID);
	while (wait(NULL) > 0)
		;
	expect_print();
	return 0;
}
