/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/sample/events.h"
#include "engine/sample/sample.h"

static int open_here(struct rarog_sample_events *ret_events)
{
	static const struct rarog_sample_options options = RAROG_SAMPLE_OPTIONS_DEFAULT;

	return rarog_sample_events_open(&options, getpid(), true, ret_events);
}

static int check(void)
{
	struct rarog_sample_events events;
	int r = open_here(&events);

	if (r == 0)
		rarog_sample_events_release(&events);
	return r;
}

static int examine(struct rarog_str *found)
{
	struct rarog_sample_events events;
	int r = open_here(&events);

	if (r < 0)
		return r;
	r = rarog_str_addf(found, "%s, %s", rarog_sample_events_name(&events),
			   events.is_user ? "time in the kernel is not shown: sysctl "
					    "kernel.perf_event_paranoid=1 shows it"
					  : "time in the kernel included");
	rarog_sample_events_release(&events);
	return r;
}

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	const struct rarog_sample_options options = rarog_sample_options_of(plan);

	rarog_sample_write_parameters(json, plan, &options);
}

const struct rarog_engine rarog_engine_perf = {
	.name = "perf",
	.abilities = RAROG_ENGINE_ALONE | RAROG_ENGINE_ATTACHES | RAROG_ENGINE_SAMPLES,
	.instead = "looks at everything that runs",
	.word = "sample",
	.gives = "which tells shares of time and counts no calls",
	.doctor = "samples",
	.needed_for = "collect sample",
	.remedy = "sysctl kernel.perf_event_paranoid=2 allows samples of user mode, 1 those of the "
		  "kernel, too; in a container the seccomp profile must have perf_event_open",
	.check = check,
	.examine = examine,
	.write_parameters = write_parameters,
	.steps = &rarog_sample_steps,
};
