/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory in which processes that cannot have a file for their counters add themselves. */
#ifndef RAROG_ENGINE_BLOCKS_REGISTRY_H
#define RAROG_ENGINE_BLOCKS_REGISTRY_H

#include <stdint.h>

#include "blocks/counter-file.h"

/* Zeroed: none. */
struct rarog_block_registry {
	int number; /* for those who look for it; -1: none */
	struct rarog_counter_registry *page;
};

/** rarog_block_registry_make() - where the kernel has no such memory there is none. */
void rarog_block_registry_make(struct rarog_block_registry *ret_registry);

/** rarog_block_registry_read() - how many have added themselves. */
uint64_t rarog_block_registry_read(const struct rarog_block_registry *registry);

void rarog_block_registry_release(struct rarog_block_registry *registry);

#endif
