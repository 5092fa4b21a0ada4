/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ended.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

static int open_folder(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == ENOENT ? -ESRCH : -errno;
}

/* Before 5.3 there is no such number, and a sandbox may not know it. */
int rarog_ended_open(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return fd;
	return errno == ENOSYS || errno == EPERM ? open_folder(pid) : -errno;
}

/* Of what follows the name in parentheses: the state is field 3, the number of threads field 20. A
 * first thread that has ended before the others is a zombie, too. */
static bool is_exit_state(const char *stat)
{
	const char *at = strrchr(stat, ')');
	bool is_zombie = at && at[1] && (at[2] == 'Z' || at[2] == 'X');

	for (int field = 2; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	return !at || (is_zombie && strtol(at, NULL, 10) <= 1);
}

static bool is_over(int folder)
{
	char text[1024];
	rarog_cleanup(rarog_closep) int fd = openat(folder, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return fd >= 0 || errno == ENOENT || errno == ESRCH;
	text[n] = '\0';
	return is_exit_state(text);
}

bool rarog_ended_wakes(int process)
{
	struct stat status;

	return fstat(process, &status) < 0 || !S_ISDIR(status.st_mode);
}

bool rarog_ended(int process)
{
	struct pollfd fd = { .fd = process, .events = POLLIN };

	return rarog_ended_wakes(process) ? poll(&fd, 1, 0) > 0 : is_over(process);
}
