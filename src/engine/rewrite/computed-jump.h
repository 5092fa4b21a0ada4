/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RAROG_ENGINE_REWRITE_COMPUTED_JUMP_H
#define RAROG_ENGINE_REWRITE_COMPUTED_JUMP_H

#include "engine/rewrite/shape.h"

/**
 * rarog_jump_is_computed() - may the indirect jump at the end of @block go to an address that is
 * nowhere in the file?
 *
 * An address that was loaded, or that a caller gave, has been taken somewhere, so that it is known.
 * One that was added up (offsets to a label) need not be.
 */
bool rarog_jump_is_computed(const struct rarog_rewrite_shape *shape, uint32_t block);

#endif
