/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/blocks/filters.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "blocks/counter-file.h"
#include "collect/trace/inline/remote.h"

/* Kernels before 5.9 say that there are some, and so the runtime finds it there. */
int rarog_block_filters_number(void)
{
	long n = rarog_process_status(0, "Seccomp_filters:");

	if (rarog_process_status(0, "Seccomp:") <= 0)
		return 0;
	return n < 0 ? INT_MAX : (int)n;
}

static bool make_file(const char *path)
{
	rarog_cleanup(rarog_closep) int fd =
		open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	return fd >= 0 && fchmod(fd, 0444) == 0;
}

/* It closes, too: the kernel makes one of two equal notices that follow each other. */
static int listen_to(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd >= 0 && inotify_add_watch(fd, path, IN_OPEN | IN_CLOSE) >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void rarog_block_filters_listen(const char *folder, struct rarog_block_filters *ret_filters)
{
	char path[PATH_MAX + 128];
	int fd;

	snprintf(path, sizeof(path), "%s/" RAROG_COUNTER_FILTERED, folder);
	fd = make_file(path) ? listen_to(path) : -1;
	if (fd < 0)
		rarog_debug(RAROG_LOG_DRAIN, "%s: cannot be watched: %s", path, strerror(errno));
	ret_filters->notices = fd + 1;
}

static uint64_t count_opened(const char *at, const char *end)
{
	uint64_t n = 0;

	while (at < end) {
		struct inotify_event event;

		memcpy(&event, at, sizeof(event));
		n += (event.mask & (IN_OPEN | IN_Q_OVERFLOW)) != 0;
		at += sizeof(event) + event.len;
	}
	return n;
}

uint64_t rarog_block_filters_read(const struct rarog_block_filters *filters)
{
	char events[4096];
	uint64_t n = 0;
	ssize_t got;

	if (filters->notices == 0)
		return 1;
	while ((got = read(filters->notices - 1, events, sizeof(events))) > 0)
		n += count_opened(events, events + got);
	return n;
}

void rarog_block_filters_release(struct rarog_block_filters *filters)
{
	if (filters->notices > 0)
		close(filters->notices - 1);
	*filters = (struct rarog_block_filters){ 0 };
}
