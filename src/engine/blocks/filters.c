/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A filter may kill for a call, and only one's own can be tried: by a child, which makes each that
 * the runtime makes, with arguments that do nothing, and a file as the runtime makes it.
 */
#include "engine/blocks/filters.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "blocks/counter-calls.h"
#include "blocks/counter-file.h"
#include "process/remote.h"
#include "process/task.h"

/* --- rarog's own --- */

static const long calls[] = { RAROG_COUNTER_CALLS, RAROG_COUNTER_FIRST_CALLS };

#define N_CALLS (sizeof(calls) / sizeof(*calls))

/* There is nothing that any of them would do with these. */
static void try_calls(void)
{
	for (size_t i = 0; i < N_CALLS; i++)
		syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L);
}

/* Some filters look at arguments, and some file systems need more calls than others. */
static void try_file(const char *folder)
{
	char path[PATH_MAX + 16];
	void *page;
	int fd;

	snprintf(path, sizeof(path), "%s/trial", folder);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (posix_fallocate(fd, 0, 8192) == 0 && pwrite(fd, path, 1, 4096) == 1) {
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
		if (page != MAP_FAILED)
			munmap(page, 4096);
	}
	unlink(path);
	close(fd);
}

static bool may_call_all(const char *folder)
{
	const struct rlimit no_core = { 0 };
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		try_calls();
		try_file(folder);
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status);
}

/* Kernels before 5.9 say that there are some, and so the runtime finds it there. */
static int number(void)
{
	long n = rarog_process_status(0, "Seccomp_filters:");

	if (rarog_process_status(0, "Seccomp:") <= 0)
		return 0;
	return n < 0 ? INT_MAX : (int)n;
}

int rarog_block_filters_tried(const char *folder)
{
	int n = number();

	if (n == 0 || may_call_all(folder))
		return n;
	rarog_debug(RAROG_LOG_DRAIN, "a filter of system calls does not let programs count");
	return 0;
}

/* --- others --- */

/* One that was read long ago: file systems note (relatime, too) when it is read since. A
 * descriptor; -1. */
static int make_file(const char *path)
{
	static const struct timespec times[] = { { 0 }, { .tv_nsec = UTIME_OMIT } };
	int fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd >= 0 && fchmod(fd, 0444) == 0 && futimens(fd, times) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
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
	int file, fd;

	snprintf(path, sizeof(path), "%s/" RAROG_COUNTER_FILTERED, folder);
	file = make_file(path);
	fd = file < 0 ? -1 : listen_to(path);
	if (fd < 0)
		rarog_debug(RAROG_LOG_DRAIN, "%s: cannot be watched: %s", path, strerror(errno));
	*ret_filters = (struct rarog_block_filters){ file + 1, fd + 1 };
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

static uint64_t count_notices(int notices)
{
	char events[4096];
	uint64_t n = 0;
	ssize_t got;

	while ((got = read(notices, events, sizeof(events))) > 0)
		n += count_opened(events, events + got);
	return n;
}

static bool was_read(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && st.st_atim.tv_sec != 0;
}

uint64_t rarog_block_filters_read(const struct rarog_block_filters *filters)
{
	if (filters->notices > 0)
		return count_notices(filters->notices - 1);
	return filters->file > 0 && was_read(filters->file - 1);
}

void rarog_block_filters_release(struct rarog_block_filters *filters)
{
	if (filters->notices > 0)
		close(filters->notices - 1);
	if (filters->file > 0)
		close(filters->file - 1);
	*filters = (struct rarog_block_filters){ 0 };
}
