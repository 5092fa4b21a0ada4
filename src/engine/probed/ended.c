/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/probed/ended.h"

#include <errno.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/ended.h"
#include "base/error.h"

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
