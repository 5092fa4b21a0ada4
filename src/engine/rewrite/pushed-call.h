/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A call that cannot stay in the original: the copy pushes the original's return address and jumps.
 */
#ifndef RAROG_ENGINE_REWRITE_PUSHED_CALL_H
#define RAROG_ENGINE_REWRITE_PUSHED_CALL_H

#include "engine/rewrite/copying.h"

/** rarog_pushed_call_is_possible() - of the call @in, whose code is @code */
bool rarog_pushed_call_is_possible(const uint8_t *code, const struct rarog_instruction *in);

/** rarog_pushed_call_put() - of the call @in that ends block @b */
void rarog_pushed_call_put(struct rarog_copying *copying, const struct rarog_rewrite_shape_block *b,
			   const uint8_t *code, const struct rarog_instruction *in);

#endif
