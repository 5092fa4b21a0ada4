/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/time/time.h"

const struct rarog_engine rarog_engine_kernel = {
	.name = "kernel",
	.instead = "measures the whole program",
	.write_parameters = rarog_time_write_parameters,
	.steps = &rarog_time_steps,
};
