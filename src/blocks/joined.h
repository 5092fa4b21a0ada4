/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of nodes that grow together (union-find). */
#ifndef RAROG_BLOCKS_JOINED_H
#define RAROG_BLOCKS_JOINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** rarog_joined_new() - @n sets of one node each; NULL without memory; the caller's to free(). */
uint32_t *rarog_joined_new(size_t n);

/** rarog_joined_find() - the set of @node: one of its nodes, the same for all. */
uint32_t rarog_joined_find(uint32_t *sets, uint32_t node);

/** rarog_joined_join() - make one set of two; false if they were one. */
bool rarog_joined_join(uint32_t *sets, uint32_t one, uint32_t other);

#endif
