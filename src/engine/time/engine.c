/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "base/units.h"
#include "engine/engine.h"
#include "engine/time/time.h"

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	(void)plan;
	rarog_time_write_parameters(json);
}

static int measure(const struct rarog_trace_options *from, struct rarog_collected *ret_collected)
{
	const struct rarog_time_options options = {
		.command = from->command,
		.output = from->output,
		.keep = from->keep,
		.describe = from->describe,
		.user = from->user,
	};
	struct rarog_time_result result = { 0 };
	int r = rarog_time(&options, &result);

	*ret_collected = (struct rarog_collected){ .run = result.run,
						   .profile_bytes = result.profile_bytes };
	snprintf(ret_collected->what, sizeof(ret_collected->what), "%s of processor time",
		 rarog_format_ns(rarog_run_cpu_ns(&result.run)).text);
	return r;
}

const struct rarog_engine rarog_engine_kernel = {
	.name = "kernel",
	.instead = "measures the whole program",
	.write_parameters = write_parameters,
	.measure = measure,
};
