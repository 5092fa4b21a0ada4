/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

#define STATUS_MOST 8192 /* bytes of it; what we want lies before the lists of processors */

/* The first or the last number of a line. */
static long number(const char *text, const char *field, bool last)
{
	const char *line = strstr(text, field), *end;

	if (!line)
		return -1;
	line += strlen(field);
	end = strchrnul(line, '\n');
	while (last && end > line && end[-1] != '\t')
		end--;
	return strtol(last ? end : line, NULL, 10);
}

int rarog_task_read(pid_t tid, struct rarog_task *ret_task)
{
	char path[64], text[STATUS_MOST];
	rarog_cleanup(rarog_closep) int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	*ret_task = (struct rarog_task){
		.tid = tid,
		.pid = (pid_t)number(text, "\nTgid:", false),
		.parent = (pid_t)number(text, "\nPPid:", false),
		.inner_tid = (pid_t)number(text, "\nNSpid:", true),
		.inner_pid = (pid_t)number(text, "\nNStgid:", true),
		.filters = number(text, "\nSeccomp_filters:", false),
		.mode = number(text, "\nSeccomp:", false),
	};
	return 0;
}

/* --- which of them have memory --- */

bool rarog_task_has_memory(pid_t tid)
{
	char path[64], first = 0;
	rarog_cleanup(rarog_closep) int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &first, 1) == 1 &&
	       first > '0'; /* no number begins with 0 but 0 */
}

pid_t rarog_task_next(DIR *directory)
{
	struct dirent *entry;
	pid_t task = 0;

	while (task <= 0 && (entry = readdir(directory)))
		task = (pid_t)strtol(entry->d_name, NULL, 10);
	return task > 0 ? task : 0;
}

/* FNV-1a, of the tasks in the order that they are listed in: that of their birth. */
static uint64_t add_task(uint64_t tasks, pid_t task)
{
	return ((tasks ? tasks : 0xcbf29ce484222325) ^ (uint64_t)task) * 0x100000001b3;
}

pid_t rarog_task_other(pid_t pid, uint64_t *ret_others)
{
	char path[64];
	pid_t task, found = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	*ret_others = 0;
	while (tasks && !found && (task = rarog_task_next(tasks))) {
		if (task == pid)
			continue;
		*ret_others = add_task(*ret_others, task);
		if (rarog_task_has_memory(task))
			found = task;
	}
	if (tasks)
		closedir(tasks);
	return found;
}

pid_t rarog_task_living(pid_t pid)
{
	uint64_t others;
	pid_t found = rarog_task_has_memory(pid) ? pid : rarog_task_other(pid, &others);

	return found ? found : pid;
}

long rarog_process_status(pid_t pid, const char *field)
{
	char path[64], line[256];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	if (pid == 0) /* /proc may be of other numbers of processes */
		snprintf(path, sizeof(path), "/proc/self/status");
	else
		snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (rarog_starts_with(line, field))
			return strtol(line + strlen(field), NULL, 10);
	return -1;
}
