/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat() and the kernel's own records need not agree about inodes (overlayfs, btrfs): where they do
 * not, the file is mapped here, too, and its inode read from our own mappings.
 */
#include "engine/sample/mapped-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "process/task.h"

static bool is_same(struct rarog_file_id a, struct rarog_file_id b)
{
	return a.inode == b.inode && a.major == b.major && a.minor == b.minor;
}

/* Device and inode in the line of /proc/self/maps that begins with @address. */
static struct rarog_file_id id_at(const void *address)
{
	rarog_cleanup(rarog_fclosep) FILE *maps = fopen("/proc/self/maps", "re");
	rarog_cleanup(rarog_freep) char *line = NULL;
	struct rarog_file_id id = { 0 };
	size_t capacity = 0;

	while (maps && getline(&line, &capacity, maps) > 0) {
		char *at;

		if (strtoull(line, &at, 16) != (uintptr_t)address)
			continue;
		for (int word = 0; word < 3 && (at = strchr(at, ' ')); word++)
			at++;
		if (!at)
			break;
		id.major = (uint32_t)strtoul(at, &at, 16);
		id.minor = (uint32_t)strtoul(at + (*at == ':'), &at, 16);
		id.inode = strtoull(at, NULL, 10);
		break;
	}
	return id;
}

static struct rarog_file_id id_when_mapped(int fd)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct rarog_file_id id = { 0 };

	if (page == MAP_FAILED)
		return id;
	id = id_at(page);
	munmap(page, 1);
	return id;
}

/* A descriptor of @path if that is the file; -1. */
static int open_same(const char *path, struct rarog_file_id id)
{
	rarog_cleanup(rarog_closep) int fd = -1;
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -1;
	if (id.inode &&
	    !is_same(id, (struct rarog_file_id){ major(status.st_dev), minor(status.st_dev),
						 status.st_ino }) &&
	    !is_same(id, id_when_mapped(fd)))
		return -1;
	return rarog_take_fd(&fd);
}

static int open_inside(const struct rarog_space_file *file)
{
	char inside[PATH_MAX], program[64];
	const char *const places[] = { inside, program };
	pid_t living = rarog_task_living((pid_t)file->pid);
	int fd = -1;

	snprintf(inside, sizeof(inside), "/proc/%d/root%s", (int)living, file->path);
	snprintf(program, sizeof(program), "/proc/%d/exe", (int)living);
	for (size_t i = 0; file->id.inode && fd < 0 && i < RAROG_COUNT(places); i++)
		fd = open_same(places[i], file->id);
	return fd;
}

/* Others need descriptors, too. */
static bool is_one_too_many(int fd)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd > limit.rlim_cur / 2;
}

int rarog_mapped_file_find(const struct rarog_space_file *file, struct rarog_mapped_file *ret_found)
{
	struct rarog_mapped_file found = { .fd = open_same(file->path, file->id) };
	bool has_name = found.fd >= 0;

	if (!has_name)
		found.fd = open_inside(file);
	if (found.fd < 0)
		return -ENOENT;
	found.is_held = true;
	snprintf(found.link, sizeof(found.link), "/proc/self/fd/%d", found.fd);
	if (has_name && is_one_too_many(found.fd))
		rarog_mapped_file_release(&found);
	*ret_found = found;
	return 0;
}

bool rarog_mapped_file_has_name(const struct rarog_space_file *file)
{
	rarog_cleanup(rarog_closep) int fd = open_same(file->path, file->id);

	return fd >= 0;
}

void rarog_mapped_file_release(struct rarog_mapped_file *found)
{
	if (found->is_held)
		close(found->fd);
	*found = (struct rarog_mapped_file){ 0 };
}
