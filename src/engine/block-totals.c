/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/block-totals.h"

#include <stdio.h>

#include "base/units.h"

void rarog_block_totals_add(struct rarog_block_totals *totals, uint64_t count,
			    uint32_t instructions)
{
	totals->blocks++;
	totals->executed += count > 0;
	totals->executions += count;
	totals->instructions += count * instructions;
}

void rarog_block_totals_write(const struct rarog_block_totals *totals, struct rarog_json *json)
{
	rarog_json_uint(json, "calls", totals->calls);
	rarog_json_uint(json, "instructions", totals->instructions);
	rarog_json_uint(json, "block_executions", totals->executions);
	rarog_json_uint(json, "functions", totals->functions);
	rarog_json_uint(json, "functions_executed", totals->called);
	rarog_json_uint(json, "blocks", totals->blocks);
	rarog_json_uint(json, "blocks_executed", totals->executed);
}

void rarog_block_totals_describe(const struct rarog_block_totals *totals,
				 struct rarog_collected *collected)
{
	collected->calls = totals->calls;
	snprintf(collected->what, sizeof(collected->what), "%s instructions in %s of %s blocks",
		 rarog_format_count(totals->instructions).text,
		 rarog_format_count(totals->executed).text,
		 rarog_format_count(totals->blocks).text);
}
