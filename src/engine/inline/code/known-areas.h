/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code areas a process of an image has. */
#ifndef RAROG_ENGINE_INLINE_CODE_KNOWN_AREAS_H
#define RAROG_ENGINE_INLINE_CODE_KNOWN_AREAS_H

#include "engine/inline/code/image.h"

/** rarog_known_lock() - no other thread alters patches, or what is known of them. It may be held by
 * the caller already. */
void rarog_known_lock(void);
void rarog_known_unlock(void);

/** rarog_known_add() - @now is one of the image's from here on; its patches are sorted. 0; -ENOMEM.
 */
int rarog_known_add(struct rarog_image *image, const struct rarog_installed *now);

/**
 * rarog_known_add_place() - what is at @place is in our code from here on
 * rarog_known_drop_place() - the place added last is one that was known
 *
 * Return: 0; -ENOMEM.
 */
int rarog_known_add_place(struct rarog_image *image, const struct rarog_area_place *place);
void rarog_known_drop_place(struct rarog_image *image);

enum rarog_known_code {
	RAROG_CODE_PROGRAMS, /* none of ours */
	RAROG_CODE_ISLANDS,  /* on the way to a stub */
	RAROG_CODE_STUBS,
	RAROG_CODE_AGENT, /* what all stubs share */
};

/** rarog_known_code_at() - what may be at @address in a process of the image?
 * @ret_at: that far from the start of its area, if it is one of ours */
enum rarog_known_code rarog_known_code_at(const struct rarog_image *image, uint64_t address,
					  uint64_t *ret_at);

/** rarog_area_is_there() - does this process of the image have the area? One forked before it was
 * made does not. */
bool rarog_area_is_there(struct rarog_remote *remote, const struct rarog_image *image,
			 const struct rarog_area_place *place);

/** rarog_area_serves() - does it have the area that the patches lead into? */
bool rarog_area_serves(struct rarog_remote *remote, const struct rarog_image *image,
		       const struct rarog_installed *installed);

/** rarog_known_find() - what it has of @module at @bias; NULL: nothing yet. */
struct rarog_installed *rarog_known_find(struct rarog_image *image, struct rarog_remote *remote,
					 const struct rarog_module *module, uint64_t bias);

/** rarog_known_like() - the same patches, leading to the same places; NULL: there are none. */
const struct rarog_installed *rarog_known_like(const struct rarog_image *image,
					       const struct rarog_installed *like);

/** rarog_known_add_gates() - @size bytes of whole pages at @take_gates, which its processes have,
 * are the words of its gates; they are brought up to date. 0; -ENOMEM. */
int rarog_known_add_gates(struct rarog_installed *installed, void *take_gates, size_t size);

struct rarog_gate_change;

/** rarog_known_set_gates() - write the words that @change is about, wherever they are in processes
 * of the image. Locked. */
void rarog_known_set_gates(struct rarog_image *image, const struct rarog_gate_change *change);

/** rarog_known_release() - of what is not known any more. */
void rarog_known_release(struct rarog_installed *installed);

/**
 * rarog_known_sweep() - what none of the image's processes has any more is not known any more
 * @pids: all of its processes, which may end meanwhile
 *
 * Called where areas may be made. Return: 0; -errno with message: nothing is forgotten.
 *
 * rarog_known_is_due() - have so many areas been made since the last time?
 */
int rarog_known_sweep(struct rarog_image *image, size_t n, const pid_t pids[]);
bool rarog_known_is_due(const struct rarog_image *image);

#endif
