/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Order of a commit: data to disk, name into the directory, directory to disk. A crash between any
 * two leaves the old file or the new one. linkat() cannot replace, so an existing name goes
 * through a second link and rename(2).
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

static int read_all(int fd, size_t limit, const char *path, struct rarog_str *text)
{
	char chunk[65536];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return rarog_fail_errno("%s: cannot read", path);
		if (n == 0)
			return rarog_str_add_bytes(text, 0, "");
		if ((size_t)n > limit - text->length)
			return rarog_fail(-EFBIG, "%s: longer than %zu bytes", path, limit);
		int r = rarog_str_add_bytes(text, (size_t)n, chunk);

		if (r < 0)
			return r;
	}
}

/* /dev/null masks a file: as empty. */
static bool is_like_file(const struct stat *status)
{
	return S_ISREG(status->st_mode) ||
	       (S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3));
}

/* O_NONBLOCK: the opening of a pipe waits for a writer; files do not know it. */
int rarog_file_open(const char *path)
{
	rarog_cleanup(rarog_closep) int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return rarog_fail_errno("%s: cannot open", path);
	if (S_ISDIR(status.st_mode))
		return rarog_fail(-EISDIR, "%s: cannot read: is a directory", path);
	if (!is_like_file(&status))
		return rarog_fail(
			-EINVAL, "%s: is a pipe or a device; put a file in its place, or remove it",
			path);
	return rarog_take_fd(&fd);
}

static int read_fd(int fd, const char *path, size_t limit, char **ret_text, size_t *ret_n)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = read_all(fd, limit, path, &text);

	if (r < 0)
		return r;
	if (ret_n)
		*ret_n = text.length;
	*ret_text = rarog_str_take(&text);
	return 0;
}

int rarog_file_read(const char *path, size_t limit, char **ret_text, size_t *ret_n)
{
	rarog_cleanup(rarog_closep) int fd = rarog_file_open(path);

	return fd < 0 ? fd : read_fd(fd, path, limit, ret_text, ret_n);
}

int rarog_stream_read(const char *path, size_t limit, char **ret_text, size_t *ret_n)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return rarog_fail_errno("%s: cannot open", path);
	return read_fd(fd, path, limit, ret_text, ret_n);
}

int rarog_write_all(int fd, size_t n, const void *bytes)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t written = write(fd, at, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		at += written;
		n -= (size_t)written;
	}
	return 0;
}

static int make_directory(const char *path, mode_t mode)
{
	struct stat status;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return 0;
	return rarog_fail_errno("%s: cannot make the directory", path);
}

bool rarog_file_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int rarog_mkdirs(const char *path, mode_t mode)
{
	rarog_cleanup(rarog_freep) char *copy = strdup(path);

	if (!copy)
		return rarog_oom();
	for (char *slash = copy + 1; *copy && (slash = strchr(slash, '/')) != NULL; slash++) {
		int r;

		*slash = '\0';
		r = make_directory(copy, mode);
		if (r < 0)
			return r;
		*slash = '/';
	}
	return make_directory(copy, mode);
}

char *rarog_file_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* A hidden name beside the target that no other process uses. */
static char *temporary_name(const struct rarog_new_file *file)
{
	static unsigned counter;

	return rarog_asprintf("%s/.rarog-%d-%u.tmp", file->directory, (int)getpid(),
			      __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED));
}

static int open_named(struct rarog_new_file *file)
{
	char *name = temporary_name(file);

	if (!name)
		return rarog_oom();
	file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file->fd < 0) {
		free(name);
		return rarog_fail_errno("%s: cannot create a file in its directory", file->path);
	}
	file->temporary = name;
	return 0;
}

static int open_new(struct rarog_new_file *file)
{
	struct stat status;

	if (stat(file->path, &status) == 0 && S_ISDIR(status.st_mode))
		return rarog_fail(-EISDIR, "%s: is a directory; give the name of a file",
				  file->path);
	file->fd = open(file->directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	if (file->fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return rarog_fail_errno("%s: cannot create a file in its directory", file->path);
	return open_named(file);
}

int rarog_new_file_open(const char *path, struct rarog_new_file *ret_file)
{
	rarog_cleanup(rarog_new_file_release) struct rarog_new_file file = {
		.fd = -1,
		.path = strdup(path),
		.directory = rarog_file_directory(path),
	};
	int r;

	if (!file.path || !file.directory)
		return rarog_oom();
	r = open_new(&file);
	if (r < 0)
		return r;
	*ret_file = file;
	file = (struct rarog_new_file){ .fd = -1 };
	return 0;
}

/* Gives the nameless file a name: the target itself where it is free, else a hidden one. */
static int link_nameless(struct rarog_new_file *file)
{
	char self[64];
	char *name;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST)
		return rarog_fail_errno("%s: cannot create", file->path);
	name = temporary_name(file);
	if (!name)
		return rarog_oom();
	if (linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0) {
		free(name);
		return rarog_fail_errno("%s: cannot create", file->path);
	}
	file->temporary = name;
	return 0;
}

static void sync_directory(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fsync(fd); /* best effort: some file systems refuse it */
}

int rarog_new_file_commit(struct rarog_new_file *file)
{
	int r;

	if (fsync(file->fd) < 0 && errno != EINVAL)
		return rarog_fail_errno("%s: cannot write", file->path);
	if (!file->temporary) {
		r = link_nameless(file);
		if (r < 0)
			return r;
	}
	if (file->temporary && rename(file->temporary, file->path) < 0)
		return rarog_fail_errno("%s: cannot create", file->path);
	free(file->temporary);
	file->temporary = NULL;
	sync_directory(file->directory);
	return 0;
}

void rarog_new_file_release(struct rarog_new_file *file)
{
	if (file->temporary)
		unlink(file->temporary);
	if (file->fd >= 0)
		close(file->fd);
	free(file->temporary);
	free(file->path);
	free(file->directory);
	*file = (struct rarog_new_file){ .fd = -1 };
}
