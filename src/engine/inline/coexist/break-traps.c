/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Somewhere among the bytes of a jump that a breakpoint has changed, or where that led, a thread
 * has met a trap. Several threads may at once, and one of them may have been quicker: so what
 * memory has now is asked, and whether there was a jump that has gone.
 */
#include "engine/inline/coexist/break-traps.h"

#include <string.h>

#include "engine/inline/code/island-place.h"
#include "engine/inline/code/known-areas.h"
#include "engine/inline/code/patch.h"
#include "engine/inline/coexist/breaks.h"

#define RETRIES 64

/* Where threads were told to try again although nothing was to be taken out: another tool may have
 * been quicker, or the fault is the program's own, which comes again. */
static struct retry {
	pid_t tid;
	uint64_t address;
} retries[RETRIES];
static unsigned next_retry;

static bool is_second(pid_t tid, uint64_t address)
{
	for (unsigned i = 0; i < RETRIES; i++)
		if (retries[i].tid == tid && retries[i].address == address) {
			retries[i] = (struct retry){ 0 };
			return true;
		}
	retries[next_retry++ % RETRIES] = (struct retry){ tid, address };
	return false;
}

/* Wrong ways lead among the steps, or to where nothing runs: no memory, or data, or what is no
 * address (SI_KERNEL; where there is memory that is a fault of the instruction there). */
static bool is_trap_at(struct rarog_remote *remote, uint64_t address, const siginfo_t *fault)
{
	uint8_t byte;
	bool is_memory = rarog_remote_read(remote, address, 1, &byte) == 0;

	if (fault->si_signo == SIGILL)
		return is_memory && byte == RAROG_TRAP;
	return !is_memory || fault->si_code != SI_KERNEL;
}

struct place {
	struct rarog_installed *installed;
	struct rarog_patch *patch;
	bool is_wrong; /* the address is where the changed jump leads */
};

static bool find_window(const struct rarog_image *image, struct rarog_remote *remote,
			uint64_t address, struct place *ret)
{
	for (size_t i = 0; i < image->installed.n; i++) {
		struct rarog_installed *installed = &image->installed.v[i];
		struct rarog_patch *patch =
			rarog_patches_find(installed->n_patches, installed->patches, address);

		if (!patch || !rarog_area_serves(remote, image, installed))
			continue;
		*ret = (struct place){ installed, patch, false };
		return true;
	}
	return false;
}

static bool leads_now(struct rarog_remote *remote, const struct rarog_patch *patch,
		      uint64_t address)
{
	uint8_t now[RAROG_PATCH_SIZE];
	int32_t distance;

	if (rarog_remote_read(remote, patch->address, sizeof(now), now) < 0 ||
	    now[0] != patch->bytes[0])
		return false;
	memcpy(&distance, now + 1, sizeof(distance));
	return patch->address + RAROG_PATCH_SIZE + (uint64_t)(int64_t)distance == address;
}

static bool could_lead(const struct rarog_patch *patch, uint64_t address)
{
	struct rarog_jump_window window = { .address = patch->address, .starts = patch->starts };
	const struct rarog_island_range there = { address, address + 1 };

	if (patch->n != RAROG_PATCH_SIZE || patch->starts == 1)
		return false;
	memcpy(window.original, patch->original, sizeof(window.original));
	return rarog_jump_window_meets(&window, patch->place, 1, &there);
}

static enum rarog_patch_state state_of(struct rarog_remote *remote, const struct rarog_patch *patch)
{
	uint8_t now[RAROG_PATCH_SIZE];

	return rarog_remote_read(remote, patch->address, patch->n, now) < 0
		       ? RAROG_PATCH_FOREIGN
		       : rarog_patch_state(patch, now);
}

static bool has_been_changed(struct rarog_remote *remote, const struct rarog_patch *patch)
{
	return patch->is_changed || state_of(remote, patch) == RAROG_PATCH_CHANGED;
}

/* The jump that leads there now is the right one, else one that may have until a moment ago: it was
 * taken out or changed again. */
static bool find_wrong(const struct rarog_image *image, struct rarog_remote *remote,
		       uint64_t address, struct place *ret)
{
	bool is_found = false;

	for (size_t i = 0; i < image->installed.n; i++)
		for (size_t k = 0; k < image->installed.v[i].n_patches; k++) {
			struct rarog_patch *patch = &image->installed.v[i].patches[k];

			if (!could_lead(patch, address) ||
			    !rarog_area_serves(remote, image, &image->installed.v[i]))
				continue;
			if (leads_now(remote, patch, address)) {
				*ret = (struct place){ &image->installed.v[i], patch, true };
				return true;
			}
			if (is_found || !has_been_changed(remote, patch))
				continue;
			*ret = (struct place){ &image->installed.v[i], patch, true };
			is_found = true;
		}
	return is_found;
}

static bool is_jumps(struct rarog_image *image, struct rarog_remote *remote,
		     const struct place *place, pid_t tid, uint64_t address)
{
	enum rarog_patch_state state = state_of(remote, place->patch);

	if (state != RAROG_PATCH_CHANGED && state != RAROG_PATCH_OURS)
		return (place->installed->is_lost || place->patch->is_out) &&
		       !is_second(tid, address);
	rarog_breaks_lose(image, place->installed, place->patch, remote->process);
	return true;
}

bool rarog_breaks_trap(struct rarog_image *image, pid_t pid, pid_t tid, const siginfo_t *fault,
		       uint64_t address, uint64_t *ret_address)
{
	struct rarog_remote remote = { .memory = -1 };
	struct place place;
	bool is_trap;

	if (rarog_remote_open_memory(pid, &remote) < 0)
		return false;
	rarog_known_lock();
	is_trap = (find_window(image, &remote, address, &place) ||
		   (is_trap_at(&remote, address, fault) &&
		    find_wrong(image, &remote, address, &place))) &&
		  is_jumps(image, &remote, &place, tid, address);
	if (is_trap)
		*ret_address = place.is_wrong ? place.patch->address : address;
	rarog_known_unlock();
	rarog_remote_close(&remote);
	return is_trap;
}

/* May a jump of this process have led to @address? The lock is held. */
static bool may_have_led(const struct rarog_image *image, struct rarog_remote *remote,
			 uint64_t address)
{
	for (size_t i = 0; i < image->installed.n; i++)
		for (size_t k = 0; k < image->installed.v[i].n_patches; k++) {
			const struct rarog_patch *patch = &image->installed.v[i].patches[k];

			if (patch->is_changed && could_lead(patch, address) &&
			    rarog_area_serves(remote, image, &image->installed.v[i]))
				return true;
		}
	return false;
}

/* Where one process has an area another may have code of its own. */
static bool is_in_areas(const struct rarog_image *image, struct rarog_remote *remote,
			uint64_t address)
{
	for (size_t i = 0; i < image->places.n; i++)
		if (address - image->places.v[i].address < image->places.v[i].size &&
		    rarog_area_is_there(remote, image, &image->places.v[i]))
			return true;
	return false;
}

bool rarog_breaks_is_astray(const struct rarog_image *image, struct rarog_remote *remote,
			    uint64_t address)
{
	bool is_astray;

	rarog_known_lock();
	is_astray = is_in_areas(image, remote, address) || may_have_led(image, remote, address);
	rarog_known_unlock();
	return is_astray;
}
