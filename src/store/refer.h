/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which objects something refers to; for fsck, gc and sizes. Only src/store includes this. */
#ifndef RAROG_STORE_REFER_H
#define RAROG_STORE_REFER_H

#include "store/store-own.h"

/** rarog_refer_collect() - note all objects that rows refer to, as the catalogue (or the open
 * transaction) has them now; a temporary table of this connection. */
int rarog_refer_collect(struct rarog_store *store);

/** rarog_refer_has() - 1, 0, -errno. */
int rarog_refer_has(struct rarog_store *store, const struct rarog_hash *object);

/** rarog_refer_filter() - which of these are referred to at this moment, whatever was collected? */
int rarog_refer_filter(struct rarog_store *store, size_t n, const struct rarog_hash objects[],
		       bool ret_referred[]);

#endif
