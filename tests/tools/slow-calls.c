/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * usage: slow-calls MICROSECONDS PROG [ARG…]
 *
 * Runs PROG on a machine whose system calls are slow: a filter hands each call of PROG, and of all
 * that it starts, to this process, which waits for so long and then lets it go on as it was. Ends
 * as PROG does; 125: the filter cannot be installed. Machines of this kind are real: a monitor that
 * watches every call, or a virtual machine whose calls leave it.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the two share. @listener: -1 until there is one, -2 - errno if there is none. */
static volatile int *listener;
static char **program;

static int begin_program(void *unused)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	struct sock_fprog filter = { .len = 1, .filter = &all };
	long fd;

	(void)unused;
	prctl(PR_SET_NO_NEW_PRIVS, geteuid() != 0, 0, 0, 0);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		     &filter);
	*listener = fd >= 0 ? (int)fd : -2 - errno;
	if (fd < 0)
		return 125;
	execvp(program[0],
	       program); /* from here on the files are its own, and the listener closed */
	fprintf(stderr, "slow-calls: %s: %s\n", program[0], strerror(errno));
	return 127;
}

/* Calls that end before they are answered, by a signal, are nobody's any more: ENOENT. */
static void answer_calls(int fd, long microseconds, pid_t child)
{
	struct timespec delay = { .tv_nsec = microseconds * 1000 };
	struct pollfd events = { .fd = fd, .events = POLLIN };
	union {
		struct seccomp_notif notif;
		char room[256];
	} call;

	for (;;) {
		struct seccomp_notif_resp answer = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
		siginfo_t end = { 0 };

		if (poll(&events, 1, 1000) <= 0 || !(events.revents & POLLIN)) {
			waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT);
			if (end.si_pid == child && (events.revents & POLLHUP))
				return;
			continue;
		}
		memset(&call, 0, sizeof(call));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
			continue;
		nanosleep(&delay, NULL);
		answer.id = call.notif.id;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

int main(int argc, char **argv)
{
	size_t room = 65536;
	char *stack = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t child;

	listener = mmap(NULL, sizeof(*listener), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (argc < 3 || stack == MAP_FAILED || listener == MAP_FAILED)
		return fprintf(stderr, "usage: slow-calls MICROSECONDS PROG [ARG…]\n"), 125;
	program = argv + 2;
	*listener = -1;
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	child = clone(begin_program, stack + room, CLONE_FILES | SIGCHLD, NULL);
	while (child > 0 && *listener == -1)
		sched_yield();
	if (child < 0 || *listener < 0) {
		fprintf(stderr, "slow-calls: no filter: %s\n",
			strerror(child < 0 ? errno : -2 - *listener));
		return 125;
	}
	answer_calls(*listener, strtol(argv[1], NULL, 10), child);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
