/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between fsck.c, correct.c and rebuild.c. */
#ifndef RAROG_STORE_FSCK_OWN_H
#define RAROG_STORE_FSCK_OWN_H

#include "store/facts.h"
#include "store/keep.h"
#include "store/store-own.h"

struct rarog_fsck_state {
	const struct rarog_fsck *fsck;
	struct rarog_store *store;
	struct rarog_fsck_result result;
};

int rarog_fsck_report(struct rarog_fsck_state *state, struct rarog_keep_finding finding);

/** rarog_fsck_rebuild() - set the catalogue of the store at @path aside, make a new one. */
int rarog_fsck_rebuild(struct rarog_fsck_state *state, const char *path);

/** rarog_row_agrees() - does the row say what the profile's header says? 1, 0, -errno. */
int rarog_row_agrees(struct rarog_store *store, int64_t id, const struct rarog_facts *facts);

/** rarog_row_correct() - make it so; 0 or -errno. */
int rarog_row_correct(struct rarog_store *store, int64_t id, const struct rarog_facts *facts);

/** rarog_row_unmark() - rows of a sound object are not damaged; 0 or -errno. */
int rarog_row_unmark(struct rarog_store *store, const struct rarog_hash *object);

#endif
