/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program or library in the profile: counts of its functions' blocks and ways. */
#ifndef RAROG_ENGINE_REWRITE_PROFILE_H
#define RAROG_ENGINE_REWRITE_PROFILE_H

#include "engine/block-totals.h"
#include "engine/rewrite/module.h"
#include "engine/rewrite/times.h"
#include "plan/value-table.h"
#include "profile/writer.h"

struct rarog_rewrite_totals {
	struct rarog_block_totals counted;
	uint64_t left; /* functions that stay as they are */
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
