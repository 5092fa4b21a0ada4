/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arbitrary bytes as the section of records: what is accepted can be solved, with any counters. And
 * as the section of code: all of it is inside. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "blocks/ir.h"
#include "blocks/record-texts.h"
#include "blocks/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void solve(const struct rarog_block_record *record)
{
	rarog_cleanup(rarog_freep) struct rarog_flow_count *counts =
		calloc(record->flow.n_edges, sizeof(*counts));
	rarog_cleanup(rarog_freep) uint64_t *counters =
		calloc(record->n_counters + 1, sizeof(*counters));

	for (uint32_t i = 0; counters && i < record->n_counters; i++)
		counters[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	if (counts && counters)
		rarog_flow_solve(&record->flow, counters, counts);
}

static void read_code(const uint8_t *data, size_t size)
{
	rarog_cleanup(rarog_ir_release) struct rarog_ir ir = { 0 };
	char *copy = malloc(size + 1);

	if (!copy)
		return;
	memcpy(copy, data, size);
	if (rarog_ir_parse(size, copy, &ir) < 0)
		return;
	for (size_t i = 0; i < ir.blocks.n; i++)
		if (ir.blocks.v[i].text + ir.blocks.v[i].n > ir.bytes + size)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* texts stand before or after them, wherever a record says */
	struct rarog_name_pool pool = { .bytes = data, .size = size };

	read_code(data, size);
	for (size_t at = 0; at < size;) {
		struct rarog_block_record record;
		long n = rarog_record_read(data + at, size - at, at, &pool, &record);

		if (n < 0)
			break;
		solve(&record);
		rarog_record_release(&record);
		at += (size_t)n;
	}
	rarog_name_pool_release(&pool);
	return 0;
}
