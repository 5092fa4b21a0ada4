/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/log-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"

#define HEAD_BYTES   65536
#define TAIL_BYTES   196608
#define LITTLE_BYTES 65536

int rarog_log_file_open(const char *directory)
{
	rarog_cleanup(rarog_freep) char *path = rarog_asprintf("%s/log-XXXXXX", directory);
	int fd = path ? mkostemp(path, O_CLOEXEC | O_APPEND) : -1;

	if (!path)
		return rarog_oom();
	if (fd < 0)
		return rarog_fail_errno("%s: cannot make a file for what is printed", path);
	unlink(path);
	return fd;
}

static int add_part(int fd, off_t from, size_t n, struct rarog_str *text)
{
	char *bytes = malloc(n);
	ssize_t got = bytes ? pread(fd, bytes, n, from) : -1;
	int r = got >= 0 ? rarog_str_add_bytes(text, (size_t)got, bytes) : -ENOMEM;

	free(bytes);
	return r;
}

static int gather(int fd, struct rarog_str *text)
{
	struct stat status;
	off_t left;
	int r;

	if (fstat(fd, &status) < 0)
		return rarog_fail_errno("cannot read what was printed");
	if (status.st_size <= HEAD_BYTES + TAIL_BYTES)
		return add_part(fd, 0, (size_t)status.st_size + 1, text);
	left = status.st_size - HEAD_BYTES - TAIL_BYTES;
	r = add_part(fd, 0, HEAD_BYTES, text);
	if (r == 0)
		r = rarog_str_addf(text, "\n[… %lld bytes …]\n", (long long)left);
	return r < 0 ? r : add_part(fd, status.st_size - TAIL_BYTES, TAIL_BYTES, text);
}

int rarog_log_file_keep(int fd, struct rarog_objects *objects, struct rarog_hash *ret_log)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = fd >= 0 ? gather(fd, &text) : 0;

	*ret_log = (struct rarog_hash){ 0 };
	if (r < 0 || text.length == 0)
		return r;
	r = rarog_object_put(objects, text.length, text.text, ret_log);
	return r < 0 ? r : 0;
}

static void last_line(char *tail, ssize_t n, size_t size, char *line)
{
	char *start;

	while (n > 0 && strchr(" \t\r\n", tail[n - 1]))
		n--;
	tail[n > 0 ? n : 0] = '\0';
	start = strrchr(tail, '\n');
	snprintf(line, size, "%s", start ? start + 1 : tail);
}

void rarog_log_file_last(int fd, size_t size, char *line)
{
	char tail[1024] = "";
	struct stat status;
	off_t from = fstat(fd, &status) == 0 && status.st_size > (off_t)sizeof(tail) - 1
			     ? status.st_size - (off_t)sizeof(tail) + 1
			     : 0;

	last_line(tail, pread(fd, tail, sizeof(tail) - 1, from), size, line);
}

void rarog_log_file_recall(struct rarog_objects *objects, const struct rarog_hash *log, size_t size,
			   char *line)
{
	static const struct rarog_hash none;
	rarog_cleanup(rarog_freep) char *bytes = NULL;
	size_t n = 0;

	line[0] = '\0';
	if (rarog_hash_equal(log, &none))
		return;
	if (rarog_object_read(objects, log, HEAD_BYTES + TAIL_BYTES + 1024, &bytes, &n) == 0)
		last_line(bytes, (ssize_t)n, size, line);
	rarog_error_clear();
}

int rarog_disk_is_full(const char *path)
{
	struct statvfs disk;

	if (statvfs(path, &disk) < 0 || disk.f_blocks == 0)
		return 0;
	if (disk.f_bavail * disk.f_frsize >= LITTLE_BYTES &&
	    (disk.f_files == 0 || disk.f_favail > 0))
		return 0;
	return rarog_fail(-ENOSPC,
			  "%s: the disk is full; make room and start again: what was "
			  "measured is kept",
			  path);
}
