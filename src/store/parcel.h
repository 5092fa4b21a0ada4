/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile on its way to another store: its row in words (JSON), which with the profile's bytes is
 * all that the other store needs. Bundles and push are made of them. A parcel is immutable and
 * named by its words, so sets of parcels merge by union.
 */
#ifndef RAROG_STORE_PARCEL_H
#define RAROG_STORE_PARCEL_H

#include "store/record.h"

struct rarog_parcel_words {
	RAROG_VEC(char *) v;
};

/* Texts are the struct's own; NULL: none. */
struct rarog_parcel {
	struct rarog_hash object;
	uint64_t bytes;
	char *version, *tree, *label;
	bool is_imported;
	struct rarog_parcel_words tags, version_tags;
	struct rarog_commit commit; /* .name NULL: nothing is known of it */
};

/** rarog_parcel_of() - of a row. @vcs: for commits that the store does not know yet, may be NULL.
 */
int rarog_parcel_of(struct rarog_store *store, struct rarog_vcs *vcs,
		    const struct rarog_record *record, struct rarog_parcel *ret_parcel);

/** rarog_parcel_print() - as one line of JSON, always the same for the same facts; appended. */
int rarog_parcel_print(const struct rarog_parcel *parcel, struct rarog_str *text);

/** rarog_parcel_parse() - from text[n], any bytes. 0; -EBADMSG, the message names @name. */
int rarog_parcel_parse(const char *name, size_t n, const char *text,
		       struct rarog_parcel *ret_parcel);
void rarog_parcel_release(struct rarog_parcel *parcel);

/** rarog_parcel_has() - is its row in the store? 1, 0, -errno. */
int rarog_parcel_has(struct rarog_store *store, const struct rarog_parcel *parcel);

/** rarog_parcel_verify() - is the file @path the profile @object? 1, 0, -errno. */
int rarog_parcel_verify(const char *path, const struct rarog_hash *object);

/** rarog_parcel_bytes() - the profile's bytes, verified; the caller frees. -EBADMSG. */
int rarog_parcel_bytes(struct rarog_store *store, const struct rarog_hash *object, char **ret_bytes,
		       size_t *ret_n);

/* Additions in portions: seconds of work between two commits, so other writers get their turn. */
struct rarog_parcel_portion {
	struct rarog_store *store;
	uint64_t n, bytes;
	bool is_open;
};

/** rarog_portion_add() - rarog_parcel_add() in the portion, which ends when it is large. */
int rarog_portion_add(struct rarog_parcel_portion *portion, const struct rarog_parcel *parcel,
		      const char *path);
int rarog_portion_end(struct rarog_parcel_portion *portion);      /* save what is open */
void rarog_portion_release(struct rarog_parcel_portion *portion); /* forget it */

#endif
