/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "events/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"

#define CACHE_LINE 64

void *rarog_pages_zeroed(size_t n, size_t size)
{
	size_t alignment = CACHE_LINE, bytes;
	void *memory;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	if (bytes >= RAROG_HUGE_PAGE)
		alignment = RAROG_HUGE_PAGE;
	bytes = (bytes + alignment - 1) / alignment * alignment;
	memory = aligned_alloc(alignment, bytes ? bytes : alignment);
	if (!memory)
		return NULL;
	if (alignment == RAROG_HUGE_PAGE)
		madvise(memory, bytes, MADV_HUGEPAGE); /* without them it is only slower */
	return memset(memory, 0, bytes);
}

int rarog_pages_grow(void *array, size_t old, size_t n, size_t size)
{
	void **pointer = array;
	void *moved = rarog_pages_zeroed(n, size);

	if (!moved)
		return rarog_oom();
	if (old)
		memcpy(moved, *pointer, old * size);
	free(*pointer);
	*pointer = moved;
	return 0;
}
