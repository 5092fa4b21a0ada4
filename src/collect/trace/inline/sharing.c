/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kcmp() compares pointers, and those of tasks without memory are all the same.
 */
#include "collect/trace/inline/sharing.h"

#include <dirent.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/trace/inline/remote.h"

static bool has_memory(pid_t pid)
{
	return rarog_process_status(pid, "VmSize:") >= 0;
}

bool rarog_sharing(pid_t one, pid_t other)
{
	return syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0 && has_memory(one);
}

pid_t rarog_sharing_find(pid_t pid, pid_t thread)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	pid_t sharer = 0;

	while (processes && sharer == 0 && (entry = readdir(processes))) {
		pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);

		if (other > 0 && other != pid && rarog_sharing(thread, other))
			sharer = other;
	}
	if (processes)
		closedir(processes);
	return sharer;
}
