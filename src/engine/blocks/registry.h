/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where processes tell that they cannot have a file for their counters: those that can make none
 * add themselves to memory; those that begin under a filter of system calls that is not rarog's,
 * too (a container has some), open a file.
 */
#ifndef RAROG_ENGINE_BLOCKS_REGISTRY_H
#define RAROG_ENGINE_BLOCKS_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/counter-file.h"

/* Zeroed: none. */
struct rarog_block_registry {
	int number; /* for those that look for it; -1: none */
	struct rarog_counter_registry *page;
	int notices; /* of the kernel, about opens of the file: a descriptor and 1; 0: no room */
};

/** rarog_block_registry_make() - where the kernel has no such memory there is none. */
void rarog_block_registry_make(struct rarog_block_registry *ret_registry);

/** rarog_block_registry_filters() - how many filters is rarog under? Programs that it starts may
 * call what it may; kernels before 5.9 only say that there are some, and so the runtime finds it.
 */
int rarog_block_registry_filters(void);

/** rarog_block_registry_listen() - make the file in @folder. */
void rarog_block_registry_listen(struct rarog_block_registry *registry, const char *folder);

/** rarog_block_registry_read() - how many have told; one more if none could tell of filters,
 * unless what is missing @is_watched otherwise. To be called once. */
uint64_t rarog_block_registry_read(const struct rarog_block_registry *registry, bool is_watched);

void rarog_block_registry_release(struct rarog_block_registry *registry);

#endif
