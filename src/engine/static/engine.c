/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/static/static.h"
#include "plan/parameters.h"

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write(json, "static", plan);
}

const struct rarog_engine rarog_engine_static = {
	.name = "static",
	.abilities = RAROG_ENGINE_DETAILS | RAROG_ENGINE_BOUNDED | RAROG_ENGINE_REGIONS,
	.instead = "measures the regions that rarog cc --rarog-regions compiled in",
	.gives = "the time of every region that was compiled in",
	.write_parameters = write_parameters,
	.steps = &rarog_static_steps,
};
