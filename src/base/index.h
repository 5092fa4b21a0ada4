/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where entries of a list stand, found by what tells them apart. */
#ifndef RAROG_BASE_INDEX_H
#define RAROG_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rarog_index_slot {
	uint32_t hash;
	uint32_t entry; /* its number, and 1; 0: none */
};

/* Zeroed: empty. */
struct rarog_index {
	size_t size, n; /* of slots, a power of two; of entries, at most half as many */
	struct rarog_index_slot *slots;
};

/* Is entry @number of @list the one of @key? */
typedef bool rarog_index_is(const void *list, size_t number, const void *key);

/**
 * rarog_index_at() - where the entry of @key stands, or is to stand
 * @hash: of @key; any bits may tell
 *
 * Return: a slot that is good until the next call. If it has no entry the caller appends one to the
 * list and sets .entry to its number and 1. NULL: no memory.
 */
struct rarog_index_slot *rarog_index_at(struct rarog_index *index, uint64_t hash,
					rarog_index_is *is, const void *list, const void *key);

static inline uint64_t rarog_index_hash(uint32_t a, uint32_t b)
{
	return ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
}

void rarog_index_release(struct rarog_index *index);

#endif
