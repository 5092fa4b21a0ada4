/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Content-addressed objects, immutable, under objects/xx/…62 digits or in packs/. A profile is
 * named by the SHA-256 of its canonical encoding (profile/canonical.h), which survives that it is
 * compressed in another way; anything else by that of its bytes. A name that exists is complete and
 * on disk; the same content is kept once.
 */
#ifndef RAROG_STORE_OBJECT_H
#define RAROG_STORE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

#define RAROG_HASH_BYTES  32
#define RAROG_HASH_DIGITS 64

struct rarog_hash {
	unsigned char bytes[RAROG_HASH_BYTES];
};

struct rarog_hex {
	char text[RAROG_HASH_DIGITS + 1];
};

/* --- hashes --- */

void rarog_hash_bytes(size_t n, const void *bytes, struct rarog_hash *ret_hash);

/** rarog_hash_file() - of the rest of @fd, and its length. @name: for messages. 0 or -errno. */
int rarog_hash_file(int fd, const char *name, struct rarog_hash *ret_hash, uint64_t *ret_bytes);

/** rarog_hash_hex() - 64 lower-case digits. */
struct rarog_hex rarog_hash_hex(const struct rarog_hash *hash);

/** rarog_hash_parse() - exactly 64 digits of either case; 0 or -EINVAL, no message. */
int rarog_hash_parse(const char *text, struct rarog_hash *ret_hash);

bool rarog_hash_equal(const struct rarog_hash *a, const struct rarog_hash *b);

/* --- the folder --- */

struct rarog_objects;

/** rarog_objects_open() - the folder @path (made if @create). Return: 0 or -errno. */
int rarog_objects_open(const char *path, bool create, struct rarog_objects **ret_objects);
void rarog_objects_free(struct rarog_objects *objects);
RAROG_DEFINE_FREEP(rarog_objects);

/**
 * rarog_object_put() - keep @bytes
 *
 * On return the object is on disk under its name (outside a batch). If it was there already it is
 * compared and repaired when damaged, and its time is renewed, so that gc does not take it.
 * Return: 1 new, 0 was there; -ENOSPC … with message; nothing is left behind then.
 */
int rarog_object_put(struct rarog_objects *objects, size_t n, const void *bytes,
		     struct rarog_hash *ret_hash);

/** rarog_object_put_file() - the same with the bytes of the file @path, which is left alone.
 * @ret_bytes: its length, may be NULL. */
int rarog_object_put_file(struct rarog_objects *objects, const char *path,
			  struct rarog_hash *ret_hash, uint64_t *ret_bytes);

/**
 * rarog_objects_begin() - begin a batch: objects put from here on get their names together
 *
 * One flush of the file system for all instead of two for each. Until rarog_objects_flush() they
 * are not there for anybody, and a killed process leaves only files in tmp/. Batches do not nest.
 */
void rarog_objects_begin(struct rarog_objects *objects);

/** rarog_objects_flush() - end it: all to disk, then to their names. 0 or -errno. */
int rarog_objects_flush(struct rarog_objects *objects);

/** rarog_objects_abandon() - end it and forget what was put. */
void rarog_objects_abandon(struct rarog_objects *objects);

/** rarog_object_path() - where its file is or would be if it is not packed; the caller frees, NULL:
 * no memory. */
char *rarog_object_path(const struct rarog_objects *objects, const struct rarog_hash *hash);

bool rarog_object_exists(struct rarog_objects *objects, const struct rarog_hash *hash);

/** rarog_object_read() - all bytes (at most @limit) and a NUL after them, verified; of a profile
 * the canonical encoding. The caller frees. Return: 0; -ENOENT missing; -EBADMSG damaged: the
 * message names it. */
int rarog_object_read(struct rarog_objects *objects, const struct rarog_hash *hash, size_t limit,
		      char **ret_bytes, size_t *ret_n);

/** rarog_object_verify() - does the content give the name? 0, -ENOENT, -EBADMSG with message. */
int rarog_object_verify(struct rarog_objects *objects, const struct rarog_hash *hash);

/** rarog_object_remove() - its file; what is packed goes with gc. 0 also when it is not there. */
int rarog_object_remove(struct rarog_objects *objects, const struct rarog_hash *hash);

struct rarog_object_info {
	struct rarog_hash hash;
	uint64_t bytes;      /* length of what was put */
	uint64_t disk_bytes; /* what the file system spends on it; its share of the pack */
	uint64_t changed_ns; /* last put; since the epoch */
	bool is_packed;      /* and no file of its own */
};

/** rarog_object_info() - 0, -ENOENT without message, -errno. */
int rarog_object_info(struct rarog_objects *objects, const struct rarog_hash *hash,
		      struct rarog_object_info *ret_info);

/** rarog_objects_each() - call @visit for every object, unsorted, perhaps twice for one that is
 * being packed; non-zero ends it and is returned.
 * @stray: for files that are no objects (path), may be NULL. */
int rarog_objects_each(struct rarog_objects *objects,
		       int (*visit)(const struct rarog_object_info *info, void *user),
		       int (*stray)(const char *path, void *user), void *user);

#endif
