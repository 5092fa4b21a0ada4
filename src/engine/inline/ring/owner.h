/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How programs learn of rarog's death, also of kill -9: a word in each image's shared memory that
 * the kernel marks (RAROG_OWNER_DIED) when the owning thread ends.
 */
#ifndef RAROG_ENGINE_INLINE_RING_OWNER_H
#define RAROG_ENGINE_INLINE_RING_OWNER_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>

struct rarog_owner {
	struct robust_list_head head;    /* what the kernel reads */
	struct robust_list_head *before; /* of the C library */
	uint32_t tid;
};

/**
 * rarog_owner_begin() - the calling thread owns what is added from here on, until rarog_owner_end()
 * @distance: from each entry to its word, in bytes
 *
 * @owner must not move. Both calls belong to one thread, which uses no robust mutexes in between.
 */
void rarog_owner_begin(struct rarog_owner *owner, ptrdiff_t distance);
void rarog_owner_end(struct rarog_owner *owner);

/**
 * rarog_owner_add() - own the word at the distance from @entry
 * @entry: memory of the caller's; rarog_owner_remove() before it or the word goes
 *
 * By any thread, but not by two at a time.
 */
void rarog_owner_add(struct rarog_owner *owner, struct robust_list *entry);
void rarog_owner_remove(struct rarog_owner *owner, struct robust_list *entry);

#endif
