/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of this process: chunks of memory that are in it. */
#ifndef RAROG_VEX_STORE_H
#define RAROG_VEX_STORE_H

#include "vex/core.h"
#include "vex/record.h"

/* Of the process, in the file's first chunk; there from store_open() on. */
extern struct rarog_vex_head *store_head;

/** store_open() - make the file in @folder; on failure memory that is not read takes its place. */
void store_open(const HChar *folder);

/** store_chunk() - a new chunk with room for @bytes of records, zeroed; never NULL. */
struct rarog_vex_chunk *store_chunk(enum rarog_vex_kind kind, SizeT bytes);

/** store_add() - room for one record more of @bytes (a multiple of 8) in the last chunk of @kind,
 * zeroed; it counts from store_added() on. */
void *store_add(enum rarog_vex_kind kind, SizeT bytes);
void store_added(enum rarog_vex_kind kind, SizeT bytes);

/** store_fork() - in a forked child: the chunks become its own file's, at the same addresses. The
 * parent waits so long. */
void store_before_fork(void);
void store_fork_in_parent(void);
void store_fork(void);

/** store_drop() - in a forked child, before store_fork(): records of @kind are the parent's alone.
 */
void store_drop(enum rarog_vex_kind kind);

#endif
