/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code areas of an image, and the patches that lead into them. */
#ifndef RAROG_ENGINE_INLINE_CODE_AREA_H
#define RAROG_ENGINE_INLINE_CODE_AREA_H

#include "engine/inline/code/image.h"

/**
 * rarog_area_install() - patch @module in a process of the image, where it lies at @bias
 *
 * Return: 0; -ENOMEM: no address space within reach; -E2BIG and others, with message.
 */
int rarog_area_install(struct rarog_image *image, struct rarog_remote *remote,
		       struct rarog_module *module, uint64_t bias);

/** rarog_area_restore() - write back what the patches replaced, wherever they still are. */
int rarog_area_restore(struct rarog_image *image, struct rarog_remote *remote);

/** rarog_area_unmap() - unmap the areas that this process of the image has. 0; of the first one
 * that cannot be: -errno, without message. */
int64_t rarog_area_unmap(struct rarog_image *image, struct rarog_remote *remote);

void rarog_areas_release(struct rarog_image *image);

#endif
