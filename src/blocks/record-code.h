/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a record says of its function, as few bytes. */
#ifndef RAROG_BLOCKS_RECORD_CODE_H
#define RAROG_BLOCKS_RECORD_CODE_H

#include "blocks/arithmetic-coder.h"
#include "blocks/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * rarog_record_code() - write @record, or read it
 * @record: reading: only its placement is set; what was allocated until an error is freed by
 *          rarog_record_release(). Writing: each new frame stands after its parent, the frames
 *          that a block needs first stand together, in the order of the blocks; a block with a
 *          frame has line and column of that one's outermost
 *
 * An error is @s->error. Numbers of texts are not checked.
 */
void rarog_record_code(struct rarog_coder *s, struct rarog_block_record *record);

#ifdef __cplusplus
}
#endif
#endif
