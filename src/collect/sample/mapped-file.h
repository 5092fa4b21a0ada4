/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that a process has mapped, found again by rarog. */
#ifndef RAROG_COLLECT_SAMPLE_MAPPED_FILE_H
#define RAROG_COLLECT_SAMPLE_MAPPED_FILE_H

#include <stdbool.h>

#include "collect/sample/spaces.h"

struct rarog_mapped_file {
	bool is_held;  /* the path of the mapping is not a way to it … */
	int fd;        /* … but this descriptor … */
	char link[32]; /* … under this name */
};

/**
 * rarog_mapped_file_find() - the file that was mapped, not another one that has its name for us
 *
 * By its name; else by that name as the process sees it (a container), or as its program, if it is
 * there still. Device and inode tell which file it is.
 *
 * Return: 0; -ENOENT without message.
 */
int rarog_mapped_file_find(const struct rarog_space_file *file,
			   struct rarog_mapped_file *ret_found);
void rarog_mapped_file_release(struct rarog_mapped_file *found);

#endif
