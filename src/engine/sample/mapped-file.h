/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that a process has mapped, found again by rarog. */
#ifndef RAROG_ENGINE_SAMPLE_MAPPED_FILE_H
#define RAROG_ENGINE_SAMPLE_MAPPED_FILE_H

#include <stdbool.h>

#include "engine/sample/spaces.h"

struct rarog_mapped_file {
	bool is_held;  /* whatever becomes of its name … */
	int fd;        /* … by this descriptor … */
	char link[32]; /* … under this name */
};

/**
 * rarog_mapped_file_find() - the file that was mapped, not another one that has its name for us
 *
 * By its name; else by that name as the process sees it (a container), or as its program, if it is
 * there still. Device and inode tell which file it is. It is held open: it may be removed, or
 * replaced, before it is read. (Not if half of all descriptors are in use, and it has its name.)
 *
 * Return: 0; -ENOENT without message.
 */
int rarog_mapped_file_find(const struct rarog_space_file *file,
			   struct rarog_mapped_file *ret_found);

/** rarog_mapped_file_has_name() - for us, now. */
bool rarog_mapped_file_has_name(const struct rarog_space_file *file);

void rarog_mapped_file_release(struct rarog_mapped_file *found);

#endif
