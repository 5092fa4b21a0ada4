/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the objects folder: for object*.c and repack.c only. */
#ifndef RAROG_STORE_OBJECT_FOLDER_H
#define RAROG_STORE_OBJECT_FOLDER_H

#include "base/vec.h"
#include "store/object.h"
#include "store/pack.h"

/* A complete object that has no name yet. */
struct rarog_object_draft {
	char *path; /* in tmp/ */
	struct rarog_hash hash;
	uint64_t bytes;
};

struct rarog_objects {
	char *path;       /* …/objects */
	char *temporary;  /* …/tmp */
	char *packs_path; /* …/packs */
	bool has_packs;   /* packs has been read */
	RAROG_VEC(struct rarog_packfile *) packs;
	unsigned bad_packs; /* that cannot be opened */
	bool in_batch;
	RAROG_VEC(struct rarog_object_draft) batch;
};

/* Removes its file. */
void rarog_object_draft_release(struct rarog_object_draft *draft);

/** rarog_packs_release() - close them. */
void rarog_packs_release(struct rarog_objects *objects);

#endif
