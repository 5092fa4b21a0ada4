/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/blocks/blocks.h"
#include "engine/engine.h"

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	(void)plan;
	rarog_blocks_write_parameters(json);
}

const struct rarog_engine rarog_engine_compiled = {
	.name = "compiled",
	.instead = "counts everything that rarog cc compiled",
	.write_parameters = write_parameters,
	.steps = &rarog_blocks_steps,
};
