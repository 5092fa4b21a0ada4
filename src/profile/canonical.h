/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain form of a profile: the same blocks with nothing compressed that can be compressed again
 * (doc/design/profile-format.md, "Plain form"). It does not depend on the version of zstd that
 * wrote the file, so the store names profiles by its hash and packs it.
 */
#ifndef RAROG_PROFILE_CANONICAL_H
#define RAROG_PROFILE_CANONICAL_H

#include "profile/block-file.h"

#define RAROG_CANONICAL_HEAD_SIZE  16
#define RAROG_CANONICAL_BLOCK_SIZE 40
#define RAROG_CANONICAL_FILE_MAX   ((uint64_t)64 << 20) /* longest that is read from a file */

/** rarog_is_canonical() - do these bytes begin a plain form? */
bool rarog_is_canonical(size_t n, const uint8_t bytes[]);

/** rarog_is_profile_file() - do these bytes begin a profile as collected? */
bool rarog_is_profile_file(size_t n, const uint8_t bytes[]);

/** rarog_canonical_is_verbatim() - are blocks of this kind kept as they are stored? */
bool rarog_canonical_is_verbatim(unsigned kind);

/* Heads of the plain form, and of a block whose bytes there are @length. */
void rarog_canonical_head_store(uint8_t to[RAROG_CANONICAL_HEAD_SIZE],
				const struct rarog_block_file *file);
void rarog_canonical_block_store(uint8_t to[RAROG_CANONICAL_BLOCK_SIZE],
				 const struct rarog_block *block, uint32_t length);

/**
 * rarog_canonical_write() - hand the plain form of @file to @sink, piece by piece
 * @sink: 0, or non-zero to end it, which is returned
 *
 * Return: 0; -EBADMSG a block is damaged (named), so that the file has no plain form.
 */
int rarog_canonical_write(const struct rarog_block_file *file,
			  int (*sink)(size_t n, const void *bytes, void *user), void *user);

/** rarog_canonical_length() - of the plain form of @file, by what its blocks claim. */
uint64_t rarog_canonical_length(const struct rarog_block_file *file);

/**
 * rarog_canonical_list() - a plain form as a block file
 * @file: zeroed, .path set
 * @bytes: malloc'd; the file's from here on, also on failure
 *
 * Return: 0, -EBADMSG with message, -ENOMEM.
 */
int rarog_canonical_list(struct rarog_block_file *file, uint8_t *take_bytes, size_t n);

#endif
