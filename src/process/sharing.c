/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kcmp() compares pointers, and those of tasks without memory are all the same. A process's first
 * thread may have ended, and has none then, while its others go on with theirs.
 */
#include "process/sharing.h"

#include <dirent.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/task.h"

#define LOOKS_MOST 100      /* at threads of which some end while we look */
#define BETWEEN_NS 10000000 /* a process that is killed has threads without memory as long */

/*
 * A task of @pid that has memory. 0: none has, it has ended; -1: unknown, they come and go.
 * A task without gets none any more, and only one with some makes another: where two looks see
 * the same tasks, all without, there are no others. So it stays with what is being ended slowly, or
 * is not waited for by its tracer.
 */
static pid_t find_living(pid_t pid)
{
	const struct timespec moment = { .tv_nsec = BETWEEN_NS };
	uint64_t others = 0, before = 1; /* what no tasks stand for */
	pid_t found = rarog_task_has_memory(pid) ? pid : 0;

	if (found)
		return found;
	for (int i = 0; i < LOOKS_MOST; i++) {
		found = rarog_task_other(pid, &others);
		if (found || others == 0 || others == before)
			return found;
		before = others;
		nanosleep(&moment, NULL);
	}
	return -1;
}

static bool are_same(pid_t one, pid_t other)
{
	return syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0;
}

/* @one: a task with memory */
static bool has_its_memory(pid_t one, pid_t process)
{
	pid_t other;

	if (are_same(one, process))
		return rarog_task_has_memory(one);
	other = find_living(process);
	return other < 0 || (other > 0 && other != process && are_same(one, other));
}

bool rarog_sharing_any(pid_t pid, size_t n, const pid_t others[n])
{
	pid_t task = find_living(pid);
	bool is_shared = task < 0;

	for (size_t i = 0; task > 0 && i < n && !is_shared; i++)
		is_shared = others[i] != pid && has_its_memory(task, others[i]);
	return is_shared;
}

bool rarog_sharing(pid_t one, pid_t other)
{
	return rarog_sharing_any(one, 1, &other);
}

pid_t rarog_sharing_find(pid_t pid, pid_t thread)
{
	DIR *processes = opendir("/proc");
	pid_t other, sharer = 0;

	while (processes && sharer == 0 && (other = rarog_task_next(processes)))
		if (other != pid && has_its_memory(thread, other))
			sharer = other;
	if (processes)
		closedir(processes);
	return sharer;
}
