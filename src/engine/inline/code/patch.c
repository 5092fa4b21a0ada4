/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory is read in runs of patches that are close together, a system call for each run; written is
 * nothing but the bytes that change.
 */
#include "engine/inline/code/patch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/inline/code/island-place.h"

#define PAGE     4096ull
#define RUN_MOST (64 * 1024) /* bytes of code read or written at once */

#define JMP_REL32  0xe9
#define CALL_REL32 0xe8

static bool is_breakpoint(const struct rarog_patch *patch, int i, uint8_t now)
{
	return now == RAROG_INT3 && patch->starts >> i & 1;
}

bool rarog_patch_is_call(const struct rarog_patch *patch, const uint8_t now[])
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return patch->n == sizeof(nop) && memcmp(patch->original, nop, sizeof(nop)) == 0 &&
	       now[0] == CALL_REL32;
}

/* @has_jump: bytes of the jump are allowed as well */
static bool is_mixture(const struct rarog_patch *patch, const uint8_t now[], bool has_jump)
{
	for (int i = 0; i < patch->n; i++)
		if (now[i] != patch->original[i] && !is_breakpoint(patch, i, now[i]) &&
		    !(has_jump && now[i] == patch->bytes[i]))
			return false;
	return true;
}

enum rarog_patch_state rarog_patch_state(const struct rarog_patch *patch, const uint8_t now[])
{
	if (memcmp(now, patch->bytes, patch->n) == 0)
		return RAROG_PATCH_OURS;
	if (memcmp(now, patch->original, patch->n) == 0)
		return RAROG_PATCH_AS_FILE;
	if (is_mixture(patch, now, false) || rarog_patch_is_call(patch, now))
		return RAROG_PATCH_BREAKPOINT;
	return is_mixture(patch, now, true) ? RAROG_PATCH_CHANGED : RAROG_PATCH_FOREIGN;
}

static int compare_patches(const void *a, const void *b)
{
	const struct rarog_patch *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

void rarog_patches_sort(size_t n, struct rarog_patch patches[])
{
	if (n > 0)
		qsort(patches, n, sizeof(*patches), compare_patches);
}

struct rarog_patch *rarog_patches_find(size_t n, struct rarog_patch patches[], uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (patches[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address - patches[low - 1].address < patches[low - 1].n
		       ? &patches[low - 1]
		       : NULL;
}

/* --- runs --- */

/* A short jump is in the run of the long one that it leads to. Return: patches in the run. */
static size_t run_length(size_t n, const struct rarog_patch patches[], uint64_t *ret_size)
{
	uint64_t start = patches[0].address, end = start;
	size_t i = 0;

	while (i < n && (patches[i].n == RAROG_SHORT_PATCH_SIZE ||
			 (patches[i].address + patches[i].length - start <= RUN_MOST &&
			  patches[i].address - end < 2 * PAGE))) {
		end = patches[i].address + patches[i].length;
		i++;
	}
	*ret_size = end - start;
	return i;
}

/* Only what was changed: breakpoints come and go while we are here, and a byte that was one when it
 * was read may not be written back. */
static int write_changed(struct rarog_remote *remote, const struct rarog_patch *patch,
			 const uint8_t was[], const uint8_t now[])
{
	int r = 0;

	for (int i = 0, end; r == 0 && i < patch->n; i = end) {
		for (end = i; end < patch->n && was[end] != now[end]; end++)
			;
		if (end > i)
			r = rarog_remote_write(remote, patch->address + (uint64_t)i,
					       (size_t)(end - i), now + i);
		else
			end++;
	}
	return r;
}

int rarog_patches_visit(struct rarog_remote *remote, const struct rarog_installed *installed,
			bool changes, rarog_patch_visit *visit, void *context)
{
	uint8_t buffer[RUN_MOST + RAROG_SHORT_PATCH_SIZE];
	struct rarog_patch *patches = installed->patches;
	size_t n = installed->n_patches;
	uint64_t size;
	int r = 0;

	for (size_t done = 0, length; r == 0 && done < n; done += length) {
		uint64_t start = patches[done].address;

		length = run_length(n - done, patches + done, &size);
		r = rarog_remote_read(remote, start, size, buffer);
		for (size_t i = done; r == 0 && i < done + length; i++) {
			uint8_t *now = buffer + (patches[i].address - start);
			uint8_t was[RAROG_PATCH_SIZE];

			memcpy(was, now, patches[i].n);
			visit(context, &patches[i], now);
			if (changes)
				r = write_changed(remote, &patches[i], was, now);
		}
	}
	return r;
}

/* --- in --- */

struct writing {
	struct rarog_image *image;
	const struct rarog_installed *installed;
	rarog_patch_found *found;
};

static bool is_avoided(const struct rarog_image *image, uint64_t entry)
{
	for (size_t i = 0; i < image->avoid.n; i++)
		if (image->avoid.v[i] == entry)
			return true;
	return false;
}

/* Only what is as the file has it is replaced: another tool may have been here. And a short jump
 * only where the long one was put. What was taken out stays out: a library that others have opened
 * something beside is looked at again, and runs. A jump that is changed is taken out soon. */
static void put_patch(void *context, struct rarog_patch *patch, uint8_t *at)
{
	const struct writing *w = context;
	enum rarog_patch_state state = rarog_patch_state(patch, at);
	bool leads = patch->n != RAROG_SHORT_PATCH_SIZE || at[-RAROG_PATCH_SIZE] == JMP_REL32;

	if ((patch->is_out || patch->is_turned || w->installed->is_lost) && !patch->is_hook)
		return;
	if (state == RAROG_PATCH_AS_FILE && leads && !is_avoided(w->image, patch->address))
		memcpy(at, patch->bytes, patch->n);
	else if (state == RAROG_PATCH_BREAKPOINT)
		w->found(w->image, w->installed, patch, at);
	else if (state != RAROG_PATCH_OURS && state != RAROG_PATCH_CHANGED && leads)
		w->image->avoided++;
}

int rarog_patches_write(struct rarog_image *image, struct rarog_remote *remote,
			const struct rarog_installed *installed, rarog_patch_found *found)
{
	struct writing w = { .image = image, .installed = installed, .found = found };

	return rarog_patches_visit(remote, installed, true, put_patch, &w);
}

/* --- out --- */

struct restoring {
	bool but_hooks, is_short;
};

/* A breakpoint is not ours to take away. */
static void put_original(void *context, struct rarog_patch *patch, uint8_t *at)
{
	const struct restoring *r = context;
	enum rarog_patch_state state = rarog_patch_state(patch, at);

	if ((state != RAROG_PATCH_OURS && state != RAROG_PATCH_CHANGED) ||
	    (r->but_hooks && patch->is_hook) || (r->is_short && patch->n != RAROG_SHORT_PATCH_SIZE))
		return;
	for (int i = 0; i < patch->n; i++)
		if (!is_breakpoint(patch, i, at[i]) || patch->bytes[i] == RAROG_INT3)
			at[i] = patch->original[i];
}

static bool has_short(const struct rarog_installed *installed)
{
	for (size_t i = 0; i < installed->n_patches; i++)
		if (installed->patches[i].n == RAROG_SHORT_PATCH_SIZE)
			return true;
	return false;
}

/* Short jumps first: should we be killed before the rest, one to bytes that do not lead on any more
 * would come back to itself for ever. */
int rarog_patches_restore(struct rarog_remote *remote, const struct rarog_installed *installed,
			  bool but_hooks)
{
	struct restoring all = { but_hooks, false }, short_ones = { but_hooks, true };
	int r = 0;

	if (has_short(installed))
		r = rarog_patches_visit(remote, installed, true, put_original, &short_ones);
	return r < 0 ? r : rarog_patches_visit(remote, installed, true, put_original, &all);
}
