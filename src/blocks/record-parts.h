/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of a record: lines that its blocks have elsewhere, in functions that were inlined and in other
 * files, and where blocks may stop. */
#ifndef RAROG_BLOCKS_RECORD_PARTS_H
#define RAROG_BLOCKS_RECORD_PARTS_H

#include "blocks/arithmetic-coder.h"
#include "blocks/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* @n_frames: so many are coded already, those that blocks begin in. An error is @s->error. */
void rarog_record_code_parts(struct rarog_coder *s, struct rarog_block_record *record,
			     uint32_t n_frames);

#ifdef __cplusplus
}
#endif
#endif
