/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pack: many profiles in one immutable file, each compressed against another of the same pack
 * that resembles it, its base. A base has none itself, so at most two frames are read for one
 * profile. doc/design/store.md has the bytes. Only src/store includes this.
 */
#ifndef RAROG_STORE_PACK_H
#define RAROG_STORE_PACK_H

#include "store/object.h"

#define RAROG_PACK_NO_BASE UINT32_MAX
#define RAROG_PACK_LONGEST ((uint64_t)64 << 20) /* canonical encoding that a reader accepts */

struct rarog_packfile_entry {
	struct rarog_hash hash;
	uint64_t offset, packed; /* its frame in the pack */
	uint64_t plain;          /* length of the canonical encoding */
	uint64_t bytes;          /* length of the file as it was put */
	uint64_t changed_ns;     /* when it was put */
	uint32_t base;           /* index in the pack, RAROG_PACK_NO_BASE */
};

struct rarog_packfile {
	char *path;
	int fd;
	uint64_t index_offset, size;
	uint32_t n;
};

/** rarog_packfile_open() - 0; -ENOENT; -EBADMSG damaged, with message. */
int rarog_packfile_open(const char *path, struct rarog_packfile **ret_pack);
void rarog_packfile_free(struct rarog_packfile *pack);
RAROG_DEFINE_FREEP(rarog_packfile);

/** rarog_packfile_entry() - the @i-th, in the order of hashes; 0, -EBADMSG with message. */
int rarog_packfile_entry(const struct rarog_packfile *pack, uint32_t i,
			 struct rarog_packfile_entry *ret_entry);

/** rarog_packfile_find() - 1 found, 0 not in it, -EBADMSG with message. @ret_index: may be NULL. */
int rarog_packfile_find(const struct rarog_packfile *pack, const struct rarog_hash *hash,
			struct rarog_packfile_entry *ret_entry, uint32_t *ret_index);

/** rarog_packfile_frame() - the entry's frame as it stands; the caller frees. */
int rarog_packfile_frame(const struct rarog_packfile *pack,
			 const struct rarog_packfile_entry *entry, uint8_t **ret_frame);

/**
 * rarog_packfile_canonical() - the canonical encoding of an entry, checked by the frame's checksum
 * @n_base, @base: canonical encoding of the entry's base; NULL if it has none
 *
 * Return: 0, the caller frees; -EBADMSG with message, -ENOMEM.
 */
int rarog_packfile_canonical(const struct rarog_packfile *pack,
			     const struct rarog_packfile_entry *entry, size_t n_base,
			     const uint8_t *base, uint8_t **ret_plain);

/* --- writing --- */

struct rarog_packfile_writer;

/** rarog_packfile_writer_new() - a pack at @path, which must not be there. */
int rarog_packfile_writer_new(const char *path, struct rarog_packfile_writer **ret_writer);
void rarog_packfile_writer_free(
	struct rarog_packfile_writer *writer); /* unfinished: the file goes */
RAROG_DEFINE_FREEP(rarog_packfile_writer);

/**
 * rarog_packfile_add() - compress and append; read back and compared before it counts
 * @entry: .hash, .bytes, .changed_ns, .plain; .base: number of an entry added before
 * @base: its canonical encoding
 *
 * Return: the entry's number, or -errno. @ret_packed: length of its frame, may be NULL.
 */
int64_t rarog_packfile_add(struct rarog_packfile_writer *writer,
			   const struct rarog_packfile_entry *entry, const uint8_t *plain,
			   size_t n_base, const uint8_t *base, uint64_t *ret_packed);

/** rarog_packfile_copy() - append a frame of another pack; @entry->base as above. */
int64_t rarog_packfile_copy(struct rarog_packfile_writer *writer,
			    const struct rarog_packfile_entry *entry, const uint8_t *frame);

/** rarog_packfile_finish() - index and trailer; all of it on disk. */
int rarog_packfile_finish(struct rarog_packfile_writer *writer);

#endif
