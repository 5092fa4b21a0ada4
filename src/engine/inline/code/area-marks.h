/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stubs of a module's marks. */
#ifndef RAROG_ENGINE_INLINE_CODE_AREA_MARKS_H
#define RAROG_ENGINE_INLINE_CODE_AREA_MARKS_H

#include "engine/inline/code/image.h"
#include "engine/inline/code/module-marks.h"

/**
 * rarog_area_emit_marks() - the stubs of the marks in @block, each going on at the next
 * @first_id: of the module's names of marks
 * @ret_stub: the first one's address
 *
 * Return: 0; errors of rarog_emit_mark().
 */
int rarog_area_emit_marks(struct rarog_emitter *emitter, const struct rarog_module *module,
			  uint64_t bias, uint32_t first_id, const struct rarog_displaced *block,
			  uint64_t *ret_stub);

/** rarog_area_emit_block() - the same for a block of marks only, with what stands before them. */
int rarog_area_emit_block(struct rarog_emitter *emitter, const struct rarog_module *module,
			  uint64_t bias, uint32_t first_id, const struct rarog_displaced *block,
			  uint64_t *ret_stub);

#endif
