/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/blocks/blocks.h"

const struct rarog_engine rarog_engine_compiled = {
	.name = "compiled",
	.instead = "counts everything that rarog cc compiled",
	.write_parameters = rarog_blocks_write_parameters,
	.steps = &rarog_blocks_steps,
};
