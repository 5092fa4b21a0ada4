/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Filters of system calls that a program that counts begins under: those of rarog itself (a
 * container has some), and others.
 */
#ifndef RAROG_COLLECT_BLOCKS_FILTERS_H
#define RAROG_COLLECT_BLOCKS_FILTERS_H

#include <stdint.h>

/** rarog_block_filters_number() - how many filters is rarog under? Programs that it starts may call
 * what it may; kernels before 5.9 only say that there are some, and so the runtime finds it. */
int rarog_block_filters_number(void);

/* Of the kernel, about those that tell of others: a descriptor and 1; 0: there was no room. */
struct rarog_block_filters {
	int notices;
};

/** rarog_block_filters_listen() - make the file that they open in @folder. */
void rarog_block_filters_listen(const char *folder, struct rarog_block_filters *ret_filters);

/** rarog_block_filters_read() - how many have told since this was asked last; 1 if nobody could. */
uint64_t rarog_block_filters_read(const struct rarog_block_filters *filters);

void rarog_block_filters_release(struct rarog_block_filters *filters);

#endif
