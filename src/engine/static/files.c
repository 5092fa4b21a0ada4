/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/static/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static bool is_whole(const struct rarog_static_file *file)
{
	const struct rarog_region_file *head = file->head;

	return head->magic == RAROG_REGION_MAGIC && head->used >= RAROG_REGION_HEAD &&
	       head->used <= file->size && head->used % sizeof(uint16_t) == 0 &&
	       memchr(head->program, '\0', sizeof(head->program));
}

static int add_file(struct rarog_static_files *files, int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct rarog_static_file file = { NULL };
	struct stat status;
	void *bytes = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size >= RAROG_REGION_HEAD)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED) {
		files->n_unread++;
		return 0;
	}
	file.head = bytes;
	file.size = (size_t)status.st_size;
	if (is_whole(&file) && rarog_vec_push(&files->v, file) == 0)
		return 0;
	files->n_unread++;
	munmap(bytes, file.size);
	return 0;
}

/* Written, not only made long: the program must not meet a full disk there. */
int rarog_static_files_prepare(const char *folder)
{
	static const char page[RAROG_REGION_HEAD];
	char path[PATH_MAX + sizeof(RAROG_REGION_LOST)];
	int fd, r = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, RAROG_REGION_LOST);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
		r = rarog_fail_errno("%s", path);
	if (fd >= 0)
		close(fd);
	return r;
}

static uint64_t read_unwritten(int folder)
{
	struct rarog_region_lost lost = { 0 };
	int fd = openat(folder, RAROG_REGION_LOST, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, &lost, sizeof(lost));

	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(lost) ? lost.strands : 0;
}

static int compare(const void *a, const void *b)
{
	const struct rarog_static_file *x = a, *y = b;

	if (x->head->start != y->head->start)
		return x->head->start < y->head->start ? -1 : 1;
	return x->head->tid < y->head->tid ? -1 : x->head->tid > y->head->tid;
}

int rarog_static_files_open(const char *folder, struct rarog_static_files *ret_files)
{
	DIR *stream = opendir(folder);
	int r = stream ? 0 : rarog_fail_errno("%s", folder);

	*ret_files = (struct rarog_static_files){ 0 };
	for (struct dirent *entry; r == 0 && (entry = readdir(stream));)
		if (isdigit((unsigned char)*entry->d_name)) /* the mark of the folder is not */
			r = add_file(ret_files, dirfd(stream), entry->d_name);
	if (r == 0)
		ret_files->n_unwritten = read_unwritten(dirfd(stream));
	if (stream)
		closedir(stream);
	if (ret_files->v.n > 1)
		qsort(ret_files->v.v, ret_files->v.n, sizeof(*ret_files->v.v), compare);
	return r;
}

void rarog_static_files_release(struct rarog_static_files *files)
{
	for (size_t i = 0; i < files->v.n; i++)
		munmap(files->v.v[i].head, files->v.v[i].size);
	rarog_vec_release(&files->v);
}

const uint16_t *rarog_static_file_words(const struct rarog_static_file *file, size_t *ret_n)
{
	*ret_n = (file->head->used - RAROG_REGION_HEAD) / sizeof(uint16_t);
	return (const uint16_t *)((const char *)file->head + RAROG_REGION_HEAD);
}
