/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator of the program's own, as a part of it or, with -DPART, of a library with any name: search() runs while
 * malloc() holds its lock, step() does not.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "work.h"

#define CALLS 1000

void *malloc(size_t size);
void free(void *memory);

#if !defined(MAIN)
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char memory[1 << 24] __attribute__((aligned(16)));
static size_t used;

FUNCTION char *search(size_t size)
{
	char *found = memory + used;

	if (used > sizeof(memory) - size - 16) return 0;
	used += (size + 15) & ~(size_t)15;
	WORK(20000);
	return found;
}

void *malloc(size_t size)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = search(size);
	pthread_mutex_unlock(&lock);
	return found;
}

void *calloc(size_t n, size_t size)
{
	void *zeroed = malloc(n * size);

	return zeroed ? memset(zeroed, 0, n * size) : 0;
}

void *realloc(void *old, size_t size)
{
	void *new = malloc(size);

	return old && new ? memcpy(new, old, size) : new;
}

void free(void *old) { (void)old; }
#endif

#if !defined(PART)
FUNCTION void step(void) { WORK(50000); }

int main(void)
{
	for (int i = 0; i < CALLS; i++) {
		char *some = malloc(100);

		if (!some) return 2;
		some[0] = 1;
		work_sink = (uint64_t)some[0];
		step();
		free(some);
	}
	return 0;
}
#endif
