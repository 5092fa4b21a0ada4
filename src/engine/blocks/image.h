/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counters of one program or library as counts of its functions' blocks, in a profile. */
#ifndef RAROG_ENGINE_BLOCKS_IMAGE_H
#define RAROG_ENGINE_BLOCKS_IMAGE_H

#include "engine/block-totals.h"
#include "engine/blocks/harvest.h"
#include "process/software.h"
#include "profile/writer.h"

struct rarog_image_totals {
	struct rarog_block_totals counted;
	uint64_t without;                     /* functions beside them that have no counters */
	uint64_t machine_functions;           /* called ones whose machine code was read … */
	uint64_t machine_known;               /* … and all of its blocks are known */
	uint64_t machine_least, machine_most; /* instructions that those read executed, and … */
	uint64_t machine_counting;            /* … at least so many of them that counted */
	uint64_t relaxed; /* functions that ran whose threads lose counts, if there are several */
	bool was_left;    /* some function was, that others may have called */
	bool may_stop;    /* a block ran whose calls may not have returned to its rest */
};

/**
 * rarog_block_image_write() - add binary, locations, blocks, edges and summaries
 * @writer: no other thread adds blocks to it
 * @software: the binary is noted there
 * @totals: of this image; added to
 *
 * Return: 0; -ENOENT, -ESTALE: the binary is not there any more, or another one is; -ENODATA,
 * -EINVAL, -ENOTSUP: its records cannot be read; all with message, and nothing was added. Else
 * -errno.
 */
int rarog_block_image_write(struct rarog_profile_writer *writer,
			    const struct rarog_harvest_image *counted,
			    struct rarog_software *software, struct rarog_image_totals *totals);

/** rarog_block_image_is_lost() - is that a code of one binary that cannot be read? */
bool rarog_block_image_is_lost(int r);

#endif
