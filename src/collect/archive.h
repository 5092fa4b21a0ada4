/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tar archive of small texts, made in memory. */
#ifndef RAROG_COLLECT_ARCHIVE_H
#define RAROG_COLLECT_ARCHIVE_H

#include <stddef.h>

#include "base/str.h"

/* Zeroed: empty. */
struct rarog_archive {
	struct rarog_str bytes;
};

/** rarog_archive_add() - a file; @name has at most 99 bytes. 0 or -ENOMEM. */
int rarog_archive_add(struct rarog_archive *archive, const char *name, size_t n, const char *text);

/** rarog_archive_write() - end it and write it compressed: zstd when @path ends in .zst, else
 * gzip. 0 or -errno with message. */
int rarog_archive_write(struct rarog_archive *archive, const char *path, int fd);

void rarog_archive_release(struct rarog_archive *archive);

#endif
