/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/probed/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/signals.h"

static int wait_with(int process, int signals, uint64_t duration_ns)
{
	struct pollfd fds[] = { { .fd = process, .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	const struct timespec limit = { .tv_sec = (time_t)(duration_ns / 1000000000),
					.tv_nsec = (long)(duration_ns % 1000000000) };

	if (ppoll(fds, RAROG_COUNT(fds), duration_ns ? &limit : NULL, NULL) < 0)
		return rarog_fail_errno("cannot wait for the program");
	return 0;
}

/* Also of a process that nobody has waited for yet. */
static bool has_ended(pid_t pid)
{
	rarog_cleanup(rarog_closep) int process = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd fd = { .fd = process, .events = POLLIN };

	return process < 0 ? errno == ESRCH : poll(&fd, 1, 0) > 0;
}

int rarog_probed_unless_ended(pid_t pid, int r)
{
	return has_ended(pid) ? rarog_fail(-ESRCH, "process %d has ended", (int)pid) : r;
}

int rarog_probed_wait(pid_t pid, uint64_t duration_ns)
{
	rarog_cleanup(rarog_closep) int process =
		pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	rarog_cleanup(rarog_closep) int signals = -1;
	sigset_t set;

	if (pid > 0 && process < 0 && errno == ESRCH)
		return 0; /* it has ended since it was found */
	if (pid > 0 && process < 0)
		return rarog_fail_errno("process %d", (int)pid);
	rarog_signals_hold(&set);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	return wait_with(process, signals, duration_ns);
}
