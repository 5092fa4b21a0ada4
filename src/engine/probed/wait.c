/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/probed/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/ended.h"
#include "base/error.h"
#include "base/signals.h"

/* Until one of them is there; 1, or 0 after @limit_ns. */
static int wait_once(int process, int signals, uint64_t limit_ns)
{
	struct pollfd fds[] = { { .fd = process, .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	const struct timespec limit = { .tv_sec = (time_t)(limit_ns / 1000000000),
					.tv_nsec = (long)(limit_ns % 1000000000) };
	int n = ppoll(fds, RAROG_COUNT(fds), limit_ns ? &limit : NULL, NULL);

	return n < 0 ? rarog_fail_errno("cannot wait for the program") : n > 0;
}

static int wait_with(int process, int signals, uint64_t duration_ns)
{
	uint64_t start = rarog_now_ns(), spent = 0;
	int r = 0;

	if (process < 0 || rarog_ended_wakes(process)) {
		r = wait_once(process, signals, duration_ns);
		return r < 0 ? r : 0;
	}
	while (r == 0 && !rarog_ended(process) && (duration_ns == 0 || spent < duration_ns)) {
		uint64_t left = duration_ns - spent;

		r = wait_once(-1, signals,
			      duration_ns && left < RAROG_ENDED_LOOK_NS ? left
									: RAROG_ENDED_LOOK_NS);
		spent = rarog_now_ns() - start;
	}
	return r < 0 ? r : 0;
}

/* Also of a process that has not been waited for yet. */
static bool has_ended(pid_t pid)
{
	rarog_cleanup(rarog_closep) int process = rarog_ended_open(pid);

	return process < 0 ? process == -ESRCH : rarog_ended(process);
}

int rarog_probed_unless_ended(pid_t pid, int r)
{
	return has_ended(pid) ? rarog_fail(-ESRCH, "process %d has ended", (int)pid) : r;
}

int rarog_probed_wait(pid_t pid, uint64_t duration_ns)
{
	rarog_cleanup(rarog_closep) int process = pid > 0 ? rarog_ended_open(pid) : -1;
	rarog_cleanup(rarog_closep) int signals = -1;
	sigset_t set;

	if (process == -ESRCH)
		return 0; /* it has ended since it was found */
	if (pid > 0 && process < 0)
		return rarog_fail(process, "process %d: %s", (int)pid, strerror(-process));
	rarog_signals_hold(&set);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	return wait_with(process, signals, duration_ns);
}
