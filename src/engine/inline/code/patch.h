/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The jumps over functions' first bytes: written, compared with memory, written back. */
#ifndef RAROG_ENGINE_INLINE_CODE_PATCH_H
#define RAROG_ENGINE_INLINE_CODE_PATCH_H

#include "engine/inline/code/image.h"

enum rarog_patch_state {
	RAROG_PATCH_OURS,       /* the jump, whole */
	RAROG_PATCH_AS_FILE,    /* what the file has */
	RAROG_PATCH_BREAKPOINT, /* … but for foreign breakpoints */
	RAROG_PATCH_CHANGED,    /* a jump that was changed by others */
	RAROG_PATCH_FOREIGN,    /* neither: foreign, whatever it is */
};

/** rarog_patch_state() - @now: what memory has, as many bytes as the patch. */
enum rarog_patch_state rarog_patch_state(const struct rarog_patch *patch, const uint8_t now[]);

/** rarog_patch_is_call() - is it in the place of a nop of five bytes of which Linux 6.18 has made a
 * call, when it met its breakpoint there? */
bool rarog_patch_is_call(const struct rarog_patch *patch, const uint8_t now[]);

/** rarog_patches_sort() - by address, as all others want them. */
void rarog_patches_sort(size_t n, struct rarog_patch patches[]);

/** rarog_patches_find() - the patch whose bytes @address is among; NULL: none. */
struct rarog_patch *rarog_patches_find(size_t n, struct rarog_patch patches[], uint64_t address);

/** rarog_patches_visit() - hand each patch to @visit with what memory has there, patch->length
 * bytes, of which it may change those of the patch. @changes: write it back. Return: 0; -errno with
 * message. */
typedef void rarog_patch_visit(void *context, struct rarog_patch *patch, uint8_t *now);
int rarog_patches_visit(struct rarog_remote *remote, const struct rarog_installed *installed,
			bool changes, rarog_patch_visit *visit, void *context);

/** rarog_patch_found - memory, @now, which may be changed, is not as the file has it where @patch
 * was to be: by a breakpoint. */
typedef void rarog_patch_found(struct rarog_image *image, const struct rarog_installed *installed,
			       struct rarog_patch *patch, uint8_t now[]);

/** rarog_patches_write() - put the jumps of @installed in. 0; -errno with message. */
int rarog_patches_write(struct rarog_image *image, struct rarog_remote *remote,
			const struct rarog_installed *installed, rarog_patch_found *found);

/** rarog_patches_restore() - take them out, while all threads stand still. @but_hooks: those stay.
 * Return: 0; -errno. */
int rarog_patches_restore(struct rarog_remote *remote, const struct rarog_installed *installed,
			  bool but_hooks);

#endif
