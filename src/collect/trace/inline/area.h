/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code areas of an image, and the patches that lead into them. */
#ifndef RAROG_COLLECT_TRACE_INLINE_AREA_H
#define RAROG_COLLECT_TRACE_INLINE_AREA_H

#include "collect/trace/inline/image.h"

/**
 * rarog_area_install() - patch @module in a process of the image, where it lies at @bias
 *
 * Return: 0; -ENOMEM: no address space within reach; -E2BIG and others, with message.
 */
int rarog_area_install(struct rarog_image *image, struct rarog_remote *remote,
		       struct rarog_module *module, uint64_t bias);

void rarog_areas_release(struct rarog_image *image);

#endif
