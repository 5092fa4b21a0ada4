/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that were mapped, opened once, and what is at an address of a process. */
#ifndef RAROG_ENGINE_SAMPLE_IMAGES_H
#define RAROG_ENGINE_SAMPLE_IMAGES_H

#include "binary/binary.h"
#include "engine/sample/mapped-file.h"
#include "engine/sample/spaces.h"

struct rarog_sampled_image {
	struct rarog_binary *binary; /* NULL: cannot be read, or is no file */
	struct rarog_mapped_file file;
	bool is_looked_for, is_there, is_opened;
};

struct rarog_images {
	const struct rarog_spaces *spaces; /* borrowed: image i is its file i */
	RAROG_VEC(struct rarog_sampled_image) list;
	int vdso; /* a file with the kernel's part of every process, -1: none */
	char vdso_path[32];
};

/** rarog_images_init() - of the files of @spaces. */
void rarog_images_init(struct rarog_images *images, const struct rarog_spaces *spaces);

void rarog_images_release(struct rarog_images *images);

/** rarog_images_look() - for file number @file, while the process that has mapped it may be there
 * still: it is held from now on. */
void rarog_images_look(struct rarog_images *images, uint32_t file);

/** rarog_images_binary() - of file number @file; NULL: it has no functions for us. */
struct rarog_binary *rarog_images_binary(struct rarog_images *images, uint32_t file);

/** rarog_images_is_generated() - file number @file is memory that a process filled itself. */
bool rarog_images_is_generated(const struct rarog_images *images, uint32_t file);

/** rarog_images_path() - under which the file can be opened while this process lives; of one that
 * rarog_images_binary() was asked for. */
const char *rarog_images_path(const struct rarog_images *images, uint32_t file);

/** rarog_images_bias() - what has to be added to addresses of the file. 0: it is known; -ENOENT. */
int rarog_images_bias(struct rarog_images *images, const struct rarog_space_mapping *mapping,
		      uint64_t *ret_bias);

#endif
