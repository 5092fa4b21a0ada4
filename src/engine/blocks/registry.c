/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * It is marked as removed at once: then it ends with rarog, however that ends, and Linux lets
 * others attach it until then. Set-user-ID programs and other users have to write to it, so anybody
 * may; that takes no more than "exact" from the counts.
 */
#include "engine/blocks/registry.h"

#include <errno.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "base/log.h"

void rarog_block_registry_make(struct rarog_block_registry *ret_registry)
{
	int number = shmget(IPC_PRIVATE, sizeof(struct rarog_counter_registry), IPC_CREAT | 0666);
	void *page = number < 0 ? (void *)-1 : shmat(number, NULL, 0);

	*ret_registry = (struct rarog_block_registry){ .number = -1 };
	if (page == (void *)-1)
		rarog_debug(RAROG_LOG_DRAIN, "no memory to be shared with others: %s",
			    strerror(errno));
	if (number >= 0)
		shmctl(number, IPC_RMID, NULL);
	if (page == (void *)-1)
		return;
	*ret_registry = (struct rarog_block_registry){ number, page };
	memcpy(ret_registry->page->magic, RAROG_REGISTRY_MAGIC, sizeof(ret_registry->page->magic));
}

uint64_t rarog_block_registry_read(const struct rarog_block_registry *registry)
{
	return registry->page ? __atomic_load_n(&registry->page->n_without, __ATOMIC_ACQUIRE) : 0;
}

void rarog_block_registry_release(struct rarog_block_registry *registry)
{
	if (registry->page)
		shmdt(registry->page);
	*registry = (struct rarog_block_registry){ .number = -1 };
}
