/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blocks/record-probes.h"

#include <stdlib.h>

#include "base/error.h"
#include "blocks/path-number.h"
#include "blocks/trips.h"

/* The next header; never one again. */
static uint32_t next_header(struct rarog_byte_cursor *c, const struct rarog_block_record *record,
			    uint32_t i)
{
	uint64_t difference = rarog_get_varint(c);
	uint64_t before = i == 0 ? 0 : record->loops[i - 1];

	if ((i > 0 && difference == 0) || difference >= record->flow.n_blocks - before) {
		c->bad = true;
		return 0;
	}
	return (uint32_t)(before + difference);
}

static int read_loops(struct rarog_byte_cursor *c, struct rarog_block_record *record)
{
	uint64_t n = rarog_get_varint(c);

	if (n > record->flow.n_blocks)
		c->bad = true;
	if (c->bad)
		return 0;
	record->loops = calloc(n + 1, sizeof(*record->loops));
	if (!record->loops)
		return rarog_oom();
	record->n_loops = (uint32_t)n;
	for (uint32_t i = 0; !c->bad && i < n; i++)
		record->loops[i] = next_header(c, record, i);
	return 0;
}

int rarog_record_read_probes(struct rarog_byte_cursor *c, unsigned flags,
			     struct rarog_block_record *record)
{
	int r = flags & RAROG_RECORD_HAS_TRIPS ? read_loops(c, record) : 0;

	if (r < 0 || c->bad || !(flags & RAROG_RECORD_HAS_PATHS))
		return r;
	record->has_paths = true;
	record->n_paths = rarog_get_varint(c);
	c->bad |= record->n_paths > RAROG_PATHS_MOST;
	return 0;
}

uint64_t rarog_record_paths(const struct rarog_block_record *record)
{
	return record->n_counters + (uint64_t)record->n_loops * RAROG_TRIPS_CELLS;
}

uint64_t rarog_record_cells(const struct rarog_block_record *record)
{
	return rarog_record_paths(record) + (record->n_paths > 0 ? record->n_paths + 1 : 0);
}
