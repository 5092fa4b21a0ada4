/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the code of blocks was inlined from, in a profile. */
#ifndef RAROG_COLLECT_BLOCKS_INLINED_H
#define RAROG_COLLECT_BLOCKS_INLINED_H

#include "blocks/record.h"
#include "profile/writer.h"

/**
 * rarog_block_inlined_write() - add the frames and origins of one function's blocks
 * @first_block: row of its first block
 * @file: full path of the record's file, if it is known; NULL
 *
 * Return: 0, also if nothing was inlined, or a negative error.
 */
int rarog_block_inlined_write(struct rarog_profile_writer *writer,
			      const struct rarog_record *record, uint32_t first_block,
			      const char *file);

#endif
