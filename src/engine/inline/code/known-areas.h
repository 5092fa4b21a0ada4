/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code areas a process of an image has. */
#ifndef RAROG_ENGINE_INLINE_CODE_KNOWN_AREAS_H
#define RAROG_ENGINE_INLINE_CODE_KNOWN_AREAS_H

#include "engine/inline/code/image.h"

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

/**
 * rarog_known_sweep() - what none of the image's processes has any more is not known any more
 * @pids: all of its processes, which may end meanwhile
 *
 * Called by who may make areas. Return: 0; -errno with message: nothing is forgotten.
 *
 * rarog_known_is_due() - have so many areas been made since the last time?
 */
int rarog_known_sweep(struct rarog_image *image, size_t n, const pid_t pids[]);
bool rarog_known_is_due(const struct rarog_image *image);

#endif
