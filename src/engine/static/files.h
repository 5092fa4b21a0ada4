/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that threads left (feature/region-file.h). */
#ifndef RAROG_ENGINE_STATIC_FILES_H
#define RAROG_ENGINE_STATIC_FILES_H

#include "base/vec.h"
#include "feature/region-file.h"

struct rarog_static_file {
	struct rarog_region_file *head; /* mapped, with all of the file */
	size_t size;
};

struct rarog_static_files {
	RAROG_VEC(struct rarog_static_file) v; /* by start */
	uint64_t n_unread;                     /* damaged */
	uint64_t n_unwritten;                  /* threads and children without a file */
};

/** rarog_static_files_prepare() - for those without a file. 0; -errno with message */
int rarog_static_files_prepare(const char *folder);

/** rarog_static_files_open() - all of @folder. 0; -errno with message. Release in any case. */
int rarog_static_files_open(const char *folder, struct rarog_static_files *ret_files);
void rarog_static_files_release(struct rarog_static_files *files);

/** rarog_static_file_words() - its events. @ret_n: how many words */
const uint16_t *rarog_static_file_words(const struct rarog_static_file *file, size_t *ret_n);

#endif
