/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that are read again and again, as those of a program that is run again and again: what was
 * read of them stays until they change. A file has one owner at a time: the caller that takes it,
 * or the keeper.
 */
#ifndef RAROG_BINARY_KEPT_BINARIES_H
#define RAROG_BINARY_KEPT_BINARIES_H

#include <sys/stat.h>

#include "binary/patch-site.h"

struct rarog_kept_binaries;

/** rarog_kept_binaries_new() - a keeper of nothing; NULL: no memory. */
struct rarog_kept_binaries *rarog_kept_binaries_new(void);
void rarog_kept_binaries_free(struct rarog_kept_binaries *kept);
RAROG_DEFINE_FREEP(rarog_kept_binaries);

/* Zeroed: nothing. */
struct rarog_kept_binary {
	struct rarog_binary *binary;
	struct rarog_site *sites; /* as rarog_patch_sites(); NULL: they were not asked for */
};

void rarog_kept_binary_release(struct rarog_kept_binary *binary);

/** rarog_kept_binaries_take() - what is kept of the file @path, which is @file now; the caller's
 * from here on. Nothing if it is another by now, or @kept is NULL. */
struct rarog_kept_binary rarog_kept_binaries_take(struct rarog_kept_binaries *kept,
						  const char *path, const struct stat *file);

/** rarog_kept_binaries_keep() - @take_binary was read of @path when it was @file; freed where
 * @kept is NULL or has no room. */
void rarog_kept_binaries_keep(struct rarog_kept_binaries *kept, const char *path,
			      const struct stat *file, struct rarog_kept_binary take_binary);

#endif
