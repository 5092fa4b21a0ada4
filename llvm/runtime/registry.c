/* SPDX-License-Identifier: MIT */
/*
 * A process that cannot have a file says so, at least: only to be counted, by a word of memory that
 * is attached for a moment. The number comes from the environment, so it may lead to any memory
 * that this process may write to: nothing is touched that does not begin as ours does.
 */
#include "runtime.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>

/* "/…/NUMBER-…"; -1: there is none. */
static int number_of(const char *folder)
{
	const char *name = strrchr(folder, '/') + 1;
	char *end;
	long number = strtol(name, &end, 10);

	return end > name && *end == '-' && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

void rarog_runtime_register(const char *folder)
{
	int number = number_of(folder);
	struct rarog_counter_registry *registry;

	if (number < 0)
		return;
	registry = shmat(number, NULL, 0);
	if (registry == (void *)-1)
		return;
	if (memcmp(registry->magic, RAROG_REGISTRY_MAGIC, sizeof(registry->magic)) == 0)
		__atomic_fetch_add(&registry->n_without, 1, __ATOMIC_RELAXED);
	shmdt(registry);
}
