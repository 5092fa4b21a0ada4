/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small texts that live as long as their owner: kept in chunks, freed together.
 */
#ifndef RAROG_BINARY_TEXT_POOL_H
#define RAROG_BINARY_TEXT_POOL_H

#include <stddef.h>

struct rarog_text_pool {
	char **v; /* chunks */
	size_t n, capacity;
	size_t used, room; /* of the last chunk */
};

/** rarog_text_pool_add() - keep a copy of @text's first @n bytes; borrowed; NULL: no memory. */
const char *rarog_text_pool_add(struct rarog_text_pool *texts, size_t n, const char *text);

void rarog_text_pool_release(struct rarog_text_pool *texts);

#endif
