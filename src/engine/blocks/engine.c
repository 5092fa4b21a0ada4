/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "base/units.h"
#include "engine/blocks/blocks.h"
#include "engine/engine.h"

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	(void)plan;
	rarog_blocks_write_parameters(json);
}

static int measure(const struct rarog_trace_options *from, struct rarog_collected *ret_collected)
{
	const struct rarog_blocks_options options = {
		.command = from->command,
		.output = from->output,
		.keep = from->keep,
		.describe = from->describe,
		.user = from->user,
	};
	struct rarog_blocks_result result = { 0 };
	int r = rarog_blocks(&options, &result);

	*ret_collected = (struct rarog_collected){ .run = result.run,
						   .calls = result.totals.calls,
						   .lost = !result.is_exact,
						   .profile_bytes = result.profile_bytes };
	if (r < 0)
		return r;
	snprintf(ret_collected->what, sizeof(ret_collected->what),
		 "%s instructions in %s of %s blocks",
		 rarog_format_count(result.totals.instructions).text,
		 rarog_format_count(result.totals.executed).text,
		 rarog_format_count(result.totals.blocks).text);
	snprintf(ret_collected->kept, sizeof(ret_collected->kept), "%s",
		 result.is_exact ? ", exact" : "");
	return 0;
}

const struct rarog_engine rarog_engine_compiled = {
	.name = "compiled",
	.instead = "counts everything that rarog cc compiled",
	.write_parameters = write_parameters,
	.measure = measure,
};
