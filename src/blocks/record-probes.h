/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a record has after the flow: which probes were asked for besides the counters. */
#ifndef RAROG_BLOCKS_RECORD_PROBES_H
#define RAROG_BLOCKS_RECORD_PROBES_H

#include "blocks/record.h"
#include "profile/bytes.h"

/**
 * rarog_record_read_probes() - loops whose rounds are counted, and how many paths are
 * @c: after the blocks; marked bad if they make no sense
 * @flags: of the record's head
 * @record: whose blocks are read
 *
 * Return: 0, -ENOMEM.
 */
int rarog_record_read_probes(struct rarog_byte_cursor *c, unsigned flags,
			     struct rarog_block_record *record);

#endif
