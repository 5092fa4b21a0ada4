/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a step prints: a file without a name, of which beginning and end are kept if it failed. */
#ifndef RAROG_RUN_LOG_FILE_H
#define RAROG_RUN_LOG_FILE_H

#include "store/object.h"

/** rarog_log_file_open() - in @directory. Return: descriptor, or -errno. */
int rarog_log_file_open(const char *directory);

/** rarog_log_file_keep() - as an object: at most 256 KiB. @ret_log is zero if nothing was said. */
int rarog_log_file_keep(int fd, struct rarog_objects *objects, struct rarog_hash *ret_log);

/** rarog_log_file_last() - its last line that is not blank, for a message; "" if there is none. */
void rarog_log_file_last(int fd, size_t size, char *line);

/** rarog_log_file_recall() - the same of one that was kept. */
void rarog_log_file_recall(struct rarog_objects *objects, const struct rarog_hash *log, size_t size,
			   char *line);

/** rarog_disk_is_full() - is there no room where @path is? Then what failed there says nothing
 * about a version. Return: 0, or -ENOSPC with message. */
int rarog_disk_is_full(const char *path);

#endif
