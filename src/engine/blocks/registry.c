/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory is marked as removed at once: then it ends with rarog, however that ends, and Linux
 * lets others attach it until then. Set-user-ID programs and other users have to write to it, so
 * any process may; that takes no more than "exact" from the counts.
 */
#include "engine/blocks/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "process/remote.h"
#include "process/task.h"

void rarog_block_registry_make(struct rarog_block_registry *ret_registry)
{
	int number = shmget(IPC_PRIVATE, sizeof(struct rarog_counter_registry), IPC_CREAT | 0666);
	void *page = number < 0 ? (void *)-1 : shmat(number, NULL, 0);

	*ret_registry = (struct rarog_block_registry){ .number = -1 };
	if (page == (void *)-1)
		rarog_debug(RAROG_LOG_DRAIN, "no memory to be shared with others: %s",
			    strerror(errno));
	if (number >= 0)
		shmctl(number, IPC_RMID, NULL);
	if (page == (void *)-1)
		return;
	*ret_registry = (struct rarog_block_registry){ .number = number, .page = page };
	memcpy(ret_registry->page->magic, RAROG_REGISTRY_MAGIC, sizeof(ret_registry->page->magic));
}

/* --- under a filter --- */

int rarog_block_registry_filters(void)
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

void rarog_block_registry_listen(struct rarog_block_registry *registry, const char *folder)
{
	char path[PATH_MAX + 128];
	int fd;

	snprintf(path, sizeof(path), "%s/" RAROG_COUNTER_FILTERED, folder);
	fd = make_file(path) ? listen_to(path) : -1;
	if (fd < 0)
		rarog_debug(RAROG_LOG_DRAIN, "%s: cannot be watched: %s", path, strerror(errno));
	registry->notices = fd + 1;
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

static uint64_t count_filtered(const struct rarog_block_registry *registry)
{
	char events[4096];
	uint64_t n = 0;
	ssize_t got;

	while ((got = read(registry->notices - 1, events, sizeof(events))) > 0)
		n += count_opened(events, events + got);
	return n;
}

/* --- both --- */

uint64_t rarog_block_registry_read(const struct rarog_block_registry *registry, bool is_watched)
{
	uint64_t n =
		registry->page ? __atomic_load_n(&registry->page->n_without, __ATOMIC_ACQUIRE) : 0;

	return n + (registry->notices > 0 ? count_filtered(registry) : !is_watched);
}

void rarog_block_registry_release(struct rarog_block_registry *registry)
{
	if (registry->page)
		shmdt(registry->page);
	if (registry->notices > 0)
		close(registry->notices - 1);
	*registry = (struct rarog_block_registry){ .number = -1 };
}
