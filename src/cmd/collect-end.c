/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-end.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/signals.h"
#include "cmd/commands.h"

int rarog_collect_end_status(const struct rarog_run_result *run)
{
	if (run->timed_out)
		return RAROG_EXIT_TIMEOUT;
	if (WIFSIGNALED(run->wait_status))
		return RAROG_EXIT_SIGNAL + WTERMSIG(run->wait_status);
	return WEXITSTATUS(run->wait_status);
}

static bool is_ended(const struct rarog_run_result *run)
{
	int signal = WIFSIGNALED(run->wait_status) ? WTERMSIG(run->wait_status) : 0;

	return signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
}

bool rarog_collect_end_is_wanted(const struct rarog_run_result *run)
{
	return !run->timed_out && is_ended(run);
}

/* 0: rarog has failed. */
static int status_of_failed(const struct rarog_run_result *run, const sigset_t *mask, int r)
{
	int signal;

	if (run->launch_error != 0)
		return run->launch_error == -ENOENT ? RAROG_EXIT_NOT_FOUND
						    : RAROG_EXIT_NOT_EXECUTABLE;
	if (r == -ENODATA && is_ended(run))
		return rarog_collect_end_status(run);
	signal = r == -EINTR ? rarog_signals_release(mask) : 0;
	return signal > 0 ? RAROG_EXIT_SIGNAL + signal : 0;
}

int rarog_collect_end_failed(const struct rarog_run_result *run, const sigset_t *mask, int r)
{
	int status = status_of_failed(run, mask, r);

	if (status == 0)
		return r;
	fprintf(stderr, "rarog collect: %s\n", rarog_error_message());
	return status;
}
