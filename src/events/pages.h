/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for tables that are read at random: on huge pages where it pays, because both page faults
 * and TLB misses cost more than what is done with the table.
 */
#ifndef RAROG_EVENTS_PAGES_H
#define RAROG_EVENTS_PAGES_H

#include <stddef.h>

#define RAROG_HUGE_PAGE ((size_t)2 << 20)

/** rarog_pages_zeroed() - n items of @size bytes, zeroed, aligned to a cache line; free() them.
 * NULL: no memory. */
void *rarog_pages_zeroed(size_t n, size_t size);

/** rarog_pages_grow() - the same with the first @old items of *@array copied, which is freed and
 * replaced. 0 or -ENOMEM (nothing has changed). */
int rarog_pages_grow(void *array, size_t old, size_t n, size_t size);

#endif
