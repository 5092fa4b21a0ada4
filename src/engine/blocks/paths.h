/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paths that were taken, from what the program counted, in a profile. */
#ifndef RAROG_ENGINE_BLOCKS_PATHS_H
#define RAROG_ENGINE_BLOCKS_PATHS_H

#include "blocks/record.h"
#include "profile/writer.h"

/**
 * rarog_block_paths_write() - add the paths of one function
 * @first_block: row of its first block
 * @counters: the function's own, rarog_record_cells() of them
 *
 * Return: 0, also if none were counted; -EINVAL: the record does not fit its graph; -ENOMEM.
 */
int rarog_block_paths_write(struct rarog_profile_writer *writer,
			    const struct rarog_block_record *record, uint32_t first_block,
			    const uint64_t *counters);

#endif
