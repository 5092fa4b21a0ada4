/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the code of blocks was inlined from, in a profile. */
#ifndef RAROG_ENGINE_BLOCKS_INLINED_H
#define RAROG_ENGINE_BLOCKS_INLINED_H

#include "binary/binary.h"
#include "blocks/record.h"
#include "profile/writer.h"

/**
 * rarog_block_inlined_write() - add the frames and origins of one function's blocks
 * @first_block: row of its first block
 * @binary: that it is of
 * @function: it; NULL: not known, as if all of it was inlined elsewhere (LTO)
 *
 * Return: 0, also if nothing was inlined, or a negative error.
 */
int rarog_block_inlined_write(struct rarog_profile_writer *writer,
			      const struct rarog_block_record *record, uint32_t first_block,
			      struct rarog_binary *binary, const struct rarog_function *function);

#endif
