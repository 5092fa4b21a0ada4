/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/trace/inline/task.h"

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
