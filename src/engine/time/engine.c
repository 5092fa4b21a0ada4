/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/time/time.h"

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	(void)plan;
	rarog_time_write_parameters(json);
}

const struct rarog_engine rarog_engine_kernel = {
	.name = "kernel",
	.instead = "measures the whole program",
	.write_parameters = write_parameters,
	.steps = &rarog_time_steps,
};
