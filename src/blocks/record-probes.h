/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a record has behind the flow: which probes were asked for besides the counters. */
#ifndef RAROG_BLOCKS_RECORD_PROBES_H
#define RAROG_BLOCKS_RECORD_PROBES_H

#include "blocks/record.h"
#include "profile/bytes.h"

/**
 * rarog_record_read_loops() - the loops whose rounds are counted
 * @c: behind the blocks; marked bad if they make no sense
 * @record: whose blocks are read
 *
 * Return: 0, -ENOMEM.
 */
int rarog_record_read_loops(struct rarog_byte_cursor *c, struct rarog_record *record);

#endif
