/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/ended.h"
#include "base/error.h"
#include "base/signals.h"

struct watching {
	const struct rarog_watch *what;
	uint64_t start_ns;
	int process; /* negative: none is waited for, or the looker does */
	int signals;
};

static void find_signals(sigset_t *ret_signals)
{
	rarog_signals_hold(ret_signals);
	sigaddset(ret_signals,
		  SIGTERM); /* also where it is ignored: somebody has asked for the end */
	sigaddset(ret_signals, SIGCHLD); /* also of what is traced */
	sigprocmask(SIG_BLOCK, ret_signals, NULL);
}

void rarog_watch_hold(void)
{
	sigset_t signals;

	find_signals(&signals);
}

static bool has_ended(const struct watching *w)
{
	if (w->what->waiter)
		return w->what->waiter->is_over;
	return w->process >= 0 && rarog_ended(w->process);
}

/* 0: the time is over. */
static uint64_t left_ns(const struct watching *w)
{
	uint64_t spent = rarog_now_ns() - w->start_ns, all = w->what->duration_ns;

	if (all == 0)
		return UINT64_MAX;
	return spent < all ? all - spent : 0;
}

/* Has one come that ends the watching? */
static bool take_signal(const struct watching *w)
{
	struct signalfd_siginfo info;

	return read(w->signals, &info, sizeof(info)) == (ssize_t)sizeof(info) &&
	       info.ssi_signo != SIGCHLD;
}

/* For @ns at most. 1: a signal ends the watching. */
static int wait_once(const struct watching *w, uint64_t ns)
{
	bool wakes = w->process >= 0 && rarog_ended_wakes(w->process);
	struct pollfd fds[] = { { .fd = w->signals, .events = POLLIN },
				{ .fd = wakes ? w->process : -1, .events = POLLIN } };
	struct timespec limit;

	if (w->process >= 0 && !wakes && ns > RAROG_ENDED_LOOK_NS)
		ns = RAROG_ENDED_LOOK_NS;
	limit = (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				   .tv_nsec = (long)(ns % 1000000000) };
	if (ppoll(fds, RAROG_COUNT(fds), ns == UINT64_MAX ? NULL : &limit, NULL) < 0 &&
	    errno != EINTR)
		return rarog_fail_errno("cannot wait for the program");
	return fds[0].revents & POLLIN && take_signal(w);
}

static int watch(const struct watching *w)
{
	int r = 0;

	while (r == 0) {
		long ns = w->what->look ? w->what->look(w->what->user) : 0;
		uint64_t left = left_ns(w);

		if (has_ended(w) || left == 0 ||
		    (w->what->is_over && atomic_load(w->what->is_over)))
			break;
		r = wait_once(w, ns > 0 && (uint64_t)ns < left ? (uint64_t)ns : left);
	}
	return r < 0 ? r : 0;
}

int rarog_watch(const struct rarog_watch *what)
{
	bool is_waited_for = what->pid > 0 && !what->waiter;
	rarog_cleanup(rarog_closep) int process = is_waited_for ? rarog_ended_open(what->pid) : -1;
	rarog_cleanup(rarog_closep) int signals = -1;
	struct watching w = { .what = what, .start_ns = rarog_now_ns(), .process = process };
	sigset_t set;

	if (process == -ESRCH)
		return 0; /* it has ended since it was found */
	if (is_waited_for && process < 0)
		return rarog_fail(process, "process %d: %s", (int)what->pid, strerror(-process));
	find_signals(&set);
	signals = w.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return rarog_fail_errno("cannot wait for the program");
	return watch(&w);
}
