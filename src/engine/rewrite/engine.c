/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/rewrite/rewrite.h"

const struct rarog_engine rarog_engine_rewrite = {
	.name = "rewrite",
	.abilities = RAROG_ENGINE_CHOOSES | RAROG_ENGINE_LIBRARIES | RAROG_ENGINE_PROGRAMS |
		     RAROG_ENGINE_COUNTS | RAROG_ENGINE_TIMES | RAROG_ENGINE_COMPENSATES |
		     RAROG_ENGINE_ROOTS | RAROG_ENGINE_VALUES,
	.instead = "counts the blocks of any program, exactly",
	.write_parameters = rarog_rewrite_write_parameters,
	.steps = &rarog_rewrite_steps,
};
