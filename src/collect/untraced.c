/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/untraced.h"

#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "base/error.h"

#define KILL_AFTER_NS 2000000000ull /* after a time-out's SIGTERM */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void watch_time(const struct rarog_command_line *command, pid_t pid, uint64_t start_ns,
		       struct rarog_run_result *run)
{
	uint64_t spent = now_ns() - start_ns;

	if (command->timeout_ns == 0 || spent < command->timeout_ns)
		return;
	if (!run->timed_out) {
		run->timed_out = true;
		kill(pid, SIGTERM);
		kill(pid, SIGCONT);
	} else if (spent >= command->timeout_ns + KILL_AFTER_NS) {
		kill(pid, SIGKILL);
	}
}

static void supervise(const struct rarog_command_line *command, pid_t pid, const sigset_t *signals,
		      struct rarog_run_result *run)
{
	struct timespec moment = { .tv_nsec = command->timeout_ns ? 10000000L : 100000000L };
	uint64_t start_ns = now_ns();

	while (wait4(pid, &run->wait_status, WNOHANG, &run->usage) == 0) {
		int signal = sigtimedwait(signals, NULL, &moment);

		if (signal == SIGTERM || signal == SIGHUP)
			kill(pid, signal);
		watch_time(command, pid, start_ns, run);
	}
	run->wall_ns = now_ns() - start_ns;
}

static int launch(const struct rarog_command_line *command, const sigset_t *signals,
		  struct rarog_run_result *run)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_int, old_quit;
	struct rarog_launch child;
	int r = rarog_launch(command, &child);

	if (r < 0)
		return r;
	/* The terminal's signals are for the program, which has been forked with ours as they were.
	 */
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	rarog_launch_go(&child);
	supervise(command, child.pid, signals, run);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	run->launch_error = rarog_launch_failed(&child, command->argv[0]);
	rarog_launch_release(&child);
	return run->launch_error;
}

int rarog_run_untraced(const struct rarog_command_line *command, struct rarog_run_result *ret_run)
{
	sigset_t signals, old;
	int r;

	*ret_run = (struct rarog_run_result){ 0 };
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &old);
	r = launch(command, &signals, ret_run);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}
