/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile file as a list of blocks, found by its index or, where that is missing, by scanning.
 * Nothing is mapped: a file that shrinks while it is read is an error, not a SIGBUS.
 */
#ifndef RAROG_PROFILE_BLOCK_FILE_H
#define RAROG_PROFILE_BLOCK_FILE_H

#include "base/vec.h"
#include "profile/block.h"

struct rarog_block_file {
	char *path;
	int fd;
	uint64_t size;
	uint8_t *content; /* NULL; else a plain form (plain.h) in memory, owned, and no fd */
	bool is_partial;
	struct rarog_block *blocks; /* in file order */
	size_t n, capacity;
};

/** rarog_block_file_open() - @file is zeroed; released by the caller also on failure. */
int rarog_block_file_open(struct rarog_block_file *file, const char *path);
void rarog_block_file_release(struct rarog_block_file *file);

/* Buffers of one reader; zeroed is valid. */
struct rarog_block_scratch {
	void *context; /* ZSTD_DCtx */
	struct rarog_bytes stored, raw;
};

void rarog_block_scratch_release(struct rarog_block_scratch *scratch);

/**
 * rarog_block_read() - a block's bytes, checked and decompressed
 * @ret_bytes: borrowed from @scratch
 * Return: 0; -EBADMSG, -EPROTONOSUPPORT, … with a message that names file and section.
 */
int rarog_block_read(const struct rarog_block_file *file, const struct rarog_block *block,
		     struct rarog_block_scratch *scratch, struct rarog_byte_cursor *ret_bytes);

/** rarog_block_raw() - the same whatever the version of its coding. */
int rarog_block_raw(const struct rarog_block_file *file, const struct rarog_block *block,
		    struct rarog_block_scratch *scratch, struct rarog_byte_cursor *ret_bytes);

/** rarog_block_stored() - its bytes as they are stored, checked. */
int rarog_block_stored(const struct rarog_block_file *file, const struct rarog_block *block,
		       struct rarog_block_scratch *scratch, struct rarog_byte_cursor *ret_bytes);

/* rarog_block_file_push(): one more block at the end; 0 or -ENOMEM. */
static inline int rarog_block_file_push(struct rarog_block_file *file,
					const struct rarog_block *block)
{
	int r = rarog_vec_grow_((void **)&file->blocks, &file->capacity, file->n + 1,
				sizeof(*block));

	if (r == 0)
		file->blocks[file->n++] = *block;
	return r;
}

/* rarog_block_damaged(): the message of a block whose content makes no sense; -EBADMSG. */
int rarog_block_damaged(const struct rarog_block_file *file, const struct rarog_block *block,
			const char *why);

struct rarog_profile;
/* The blocks under an open profile; borrowed. */
const struct rarog_block_file *rarog_profile_file(const struct rarog_profile *profile);

#endif
