/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What engines that count blocks say of a whole run: in its profile, and to people. */
#ifndef RAROG_ENGINE_BLOCK_TOTALS_H
#define RAROG_ENGINE_BLOCK_TOTALS_H

#include "base/json-writer.h"
#include "engine/steps.h"

struct rarog_block_totals {
	uint64_t functions, called; /* with counters; of these, that ran */
	uint64_t blocks, executed;  /* of these, that ran */
	uint64_t calls, executions, instructions;
	uint64_t below_zero; /* blocks that came out below 0, and are 0 */
};

/** rarog_block_totals_add() - one block. */
void rarog_block_totals_add(struct rarog_block_totals *totals, uint64_t count,
			    uint32_t instructions);

/** rarog_block_totals_write() - as members of the object that is open. */
void rarog_block_totals_write(const struct rarog_block_totals *totals, struct rarog_json *json);

/** rarog_block_totals_describe() - the calls, and what was counted in a few words. */
void rarog_block_totals_describe(const struct rarog_block_totals *totals,
				 struct rarog_collected *collected);

#endif
