/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects that are profiles: named by the SHA-256 of their canonical encoding
 * (profile/canonical.h), each kept as the file that was put (loose) or in a pack. Only src/store
 * includes this.
 */
#ifndef RAROG_STORE_OBJECT_CANONICAL_H
#define RAROG_STORE_OBJECT_CANONICAL_H

#include "store/object.h"
#include "store/pack.h"

/** rarog_canonical_hash() - of the profile file @path. Return: 0; -EBADMSG, -EINVAL no sound
 * profile, no message that is worth showing; -errno. */
int rarog_canonical_hash(const char *path, struct rarog_hash *ret_hash);

/** rarog_is_profile_at() - does the file begin like a profile, in whatever form? */
bool rarog_is_profile_at(const char *path);

/** rarog_object_packed() - where @hash is packed: 1, 0 nowhere, -errno. @ret_pack is borrowed. */
int rarog_object_packed(struct rarog_objects *objects, const struct rarog_hash *hash,
			struct rarog_packfile **ret_pack, struct rarog_packfile_entry *ret_entry);

/** rarog_object_unpack() - canonical encoding of a packed object (not proved to give its name). A
 * damaged base is replaced by a loose object of its name, if there is one. */
int rarog_object_unpack(struct rarog_objects *objects, const struct rarog_packfile *pack,
			const struct rarog_packfile_entry *entry, uint8_t **ret_plain,
			size_t *ret_n);

/** rarog_object_canonical() - of an object, loose or packed; -ENOENT; -EBADMSG; -EFBIG over @limit.
 */
int rarog_object_canonical(struct rarog_objects *objects, const struct rarog_hash *hash,
			   size_t limit, uint8_t **ret_plain, size_t *ret_n);

/** rarog_object_canonical_length() - of the canonical encoding of a loose profile, by what its
 * blocks claim; 0: it has none. */
uint64_t rarog_object_canonical_length(struct rarog_objects *objects,
				       const struct rarog_hash *hash);

/** rarog_object_is_loose() - is there a file of its own? */
bool rarog_object_is_loose(const struct rarog_objects *objects, const struct rarog_hash *hash);

/** rarog_packs_reload() - look again which packs there are; 0, -errno. A damaged one is left out
 * and noted in objects->bad_packs. */
int rarog_packs_reload(struct rarog_objects *objects);

/** rarog_packs_bad() - packs that could not be opened when they were last looked for. */
unsigned rarog_packs_bad(const struct rarog_objects *objects);

#endif
