/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A counter goes with its patch: a forked child inherits both, a library that is loaded again has
 * neither. So what was written is what counts, not how often it was to be written.
 */
#include "engine/inline/code/semaphores.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/inline/code/patch.h"

#define LOWER UINT16_MAX /* added to 16 bits */

/* Also one that a foreign breakpoint has changed since. */
static bool is_patched(struct rarog_remote *remote, const struct rarog_patch *patch)
{
	uint8_t now[RAROG_PATCH_SIZE];
	enum rarog_patch_state state;

	if (rarog_remote_read(remote, patch->address, patch->n, now) < 0)
		return false;
	state = rarog_patch_state(patch, now);
	return state == RAROG_PATCH_OURS || state == RAROG_PATCH_CHANGED;
}

int rarog_semaphores_look(struct rarog_remote *remote, const struct rarog_installed *installed,
			  struct rarog_semaphores *ret_semaphores)
{
	*ret_semaphores = (struct rarog_semaphores){ .installed = installed };
	if (!installed->semaphores)
		return 0;
	ret_semaphores->was_patched =
		calloc(installed->n_patches, sizeof(*ret_semaphores->was_patched));
	if (!ret_semaphores->was_patched)
		return rarog_oom();
	for (size_t i = 0; i < installed->n_patches; i++)
		if (installed->patches[i].n_semaphores > 0)
			ret_semaphores->was_patched[i] = is_patched(remote, &installed->patches[i]);
	return 0;
}

/* What is 0 already stays so: one below would count for ever. */
static int add(struct rarog_remote *remote, uint64_t address, uint16_t change)
{
	uint16_t value;
	int r = rarog_remote_read(remote, address, sizeof(value), &value);

	if (r < 0 || (value == 0 && change == LOWER))
		return r;
	value = (uint16_t)(value + change);
	return rarog_remote_write(remote, address, sizeof(value), &value);
}

static int add_all(struct rarog_remote *remote, const struct rarog_installed *installed,
		   const struct rarog_patch *patch, uint16_t change)
{
	int r = 0;

	for (uint8_t i = 0; r == 0 && i < patch->n_semaphores; i++)
		r = add(remote, installed->semaphores[patch->semaphores + i], change);
	return r;
}

int rarog_semaphores_lower(struct rarog_remote *remote, const struct rarog_installed *installed,
			   const struct rarog_patch *patch)
{
	return add_all(remote, installed, patch, LOWER);
}

int rarog_semaphores_settle(struct rarog_remote *remote, const struct rarog_semaphores *semaphores)
{
	const struct rarog_installed *installed = semaphores->installed;
	int r = 0;

	if (!semaphores->was_patched)
		return 0;
	for (size_t i = 0; r == 0 && i < installed->n_patches; i++) {
		const struct rarog_patch *patch = &installed->patches[i];
		bool was = semaphores->was_patched[i];

		if (patch->n_semaphores == 0 || is_patched(remote, patch) == was)
			continue;
		r = add_all(remote, installed, patch, was ? LOWER : 1);
	}
	return r;
}

void rarog_semaphores_release(struct rarog_semaphores *semaphores)
{
	free(semaphores->was_patched);
}
