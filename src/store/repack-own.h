/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What repack.c and repack-old.c share. */
#ifndef RAROG_STORE_REPACK_OWN_H
#define RAROG_STORE_REPACK_OWN_H

#include "base/vec.h"
#include "store/keep.h"
#include "store/object-folder.h"

struct rarog_old_pack {
	struct rarog_packfile *pack; /* borrowed from objects */
	int64_t *numbers;            /* of its entries in the new pack */
};

struct rarog_repack {
	struct rarog_store *store;
	struct rarog_objects *objects;
	struct rarog_packfile_writer *writer;
	char *temporary;
	uint64_t drop_before_ns;
	size_t portion;                       /* plain bytes packed at a time */
	RAROG_VEC(struct rarog_old_pack) old; /* being merged */
	RAROG_VEC(struct rarog_hash) dropped; /* in old ones, and not in the new one */
	RAROG_VEC(struct rarog_hash) taken;   /* loose ones that are in the new pack */
	int64_t job, base;                    /* of the group; base: number in the pack, -1 */
	uint8_t *base_plain;
	size_t n_base, n_group, done;
	uint64_t base_packed, least_packed; /* frames: the base's, the smallest of the others */
	uint64_t excess;                    /* bytes that a better base might have saved */
	struct rarog_repack_result *result;
};

/** rarog_repack_old() - choose the packs to merge and copy what stays of them; 0, -errno. */
int rarog_repack_old(struct rarog_repack *p);
void rarog_repack_old_release(struct rarog_repack *p);

#endif
