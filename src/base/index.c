/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing, at most half full. Slots know their hashes, so that it grows by itself. */
#include "base/index.h"

#include <stdlib.h>

static int grow(struct rarog_index *index)
{
	struct rarog_index larger = { .size = index->size ? 2 * index->size : 256, .n = index->n };

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < index->size; i++) {
		size_t at = index->slots[i].hash & (larger.size - 1);

		while (larger.slots[at].entry)
			at = (at + 1) & (larger.size - 1);
		if (index->slots[i].entry)
			larger.slots[at] = index->slots[i];
	}
	free(index->slots);
	*index = larger;
	return 0;
}

struct rarog_index_slot *rarog_index_at(struct rarog_index *index, uint64_t hash,
					rarog_index_is *is, const void *list, const void *key)
{
	uint32_t folded = (uint32_t)(hash ^ hash >> 32);

	if (2 * index->n >= index->size && grow(index) < 0)
		return NULL;
	for (size_t at = folded;; at++) {
		struct rarog_index_slot *slot = &index->slots[at & (index->size - 1)];

		if (!slot->entry) {
			slot->hash = folded;
			index->n++; /* also if the caller cannot append it: a little room is lost */
			return slot;
		}
		if (slot->hash == folded && is(list, slot->entry - 1, key))
			return slot;
	}
}

void rarog_index_release(struct rarog_index *index)
{
	free(index->slots);
	*index = (struct rarog_index){ 0 };
}
