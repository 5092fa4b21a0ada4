/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program or library in the profile: counts of its functions' blocks and ways. */
#ifndef RAROG_ENGINE_REWRITE_PROFILE_H
#define RAROG_ENGINE_REWRITE_PROFILE_H

#include "engine/rewrite/times.h"
#include "plan/value-table.h"
#include "profile/writer.h"

struct rarog_rewrite_totals {
	uint64_t functions, called, left, blocks, executed;
	uint64_t calls, executions, instructions;
	uint64_t below_zero; /* blocks that were left midway */
	uint64_t counters;
	struct rarog_rewrite_times times;
	struct rarog_value_table values;
	uint32_t rows; /* of blocks, in the profile */
};

/** rarog_rewrite_profile_add() - 0; negative with message. */
int rarog_rewrite_profile_add(struct rarog_profile_writer *writer,
			      struct rarog_rewrite_module *module,
			      struct rarog_rewrite_totals *totals);

#endif
