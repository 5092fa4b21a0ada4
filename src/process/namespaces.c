/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library that is loaded 10,000 times is the same file: what it names is looked for once. A file
 * is what has this device, inode, size and time of change; a changed one is asked anew.
 */
#include "process/namespaces.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"

struct answer {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	const char *symbol;
	bool names;
};

#define ANSWERS_MOST 4096 /* then we begin anew: files that come and go */

static struct {
	pthread_mutex_t lock;
	size_t n;
	struct answer v[ANSWERS_MOST];
} answers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_same(const struct answer *a, const struct stat *st, const char *symbol)
{
	return a->inode == st->st_ino && a->device == st->st_dev && a->size == st->st_size &&
	       a->changed.tv_sec == st->st_mtim.tv_sec &&
	       a->changed.tv_nsec == st->st_mtim.tv_nsec && strcmp(a->symbol, symbol) == 0;
}

/* Return: 1 or 0; -1: not known. */
static int recall(const struct stat *st, const char *symbol)
{
	int known = -1;

	pthread_mutex_lock(&answers.lock);
	for (size_t i = 0; known < 0 && i < answers.n; i++)
		if (is_same(&answers.v[i], st, symbol))
			known = answers.v[i].names;
	pthread_mutex_unlock(&answers.lock);
	return known;
}

static void remember(const struct stat *st, const char *symbol, bool names)
{
	pthread_mutex_lock(&answers.lock);
	if (answers.n == ANSWERS_MOST)
		answers.n = 0;
	answers.v[answers.n++] = (struct answer){
		.device = st->st_dev,
		.inode = st->st_ino,
		.size = st->st_size,
		.changed = st->st_mtim,
		.symbol = symbol,
		.names = names,
	};
	pthread_mutex_unlock(&answers.lock);
}

static bool look(int fd, size_t size, const char *symbol)
{
	char entry[128] = ""; /* a string table's: between two NULs */
	size_t n = 2 + (size_t)snprintf(entry + 1, sizeof(entry) - 1, "%s", symbol);
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	bool found;

	if (bytes == MAP_FAILED)
		return false;
	found = memmem(bytes, size, entry, n) != NULL;
	munmap(bytes, size);
	return found;
}

bool rarog_file_names(const char *path, const char *symbol)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int known;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
		return false;
	known = recall(&st, symbol);
	if (known < 0) {
		known = look(fd, (size_t)st.st_size, symbol);
		remember(&st, symbol, known);
	}
	return known;
}
