/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/vex/tool.h"
#include "engine/vex/vex.h"

static int check(void)
{
	struct rarog_vex_tool tool;

	return rarog_vex_tool_find(&tool);
}

/* The tool contains the Valgrind that it was built on, so there is no version to agree with. */
static int examine(struct rarog_str *found)
{
	struct rarog_vex_tool tool;
	int r = rarog_vex_tool_find(&tool);

	if (r < 0)
		return r;
	return rarog_str_addf(found, "built on Valgrind %s; programs run some 6 times slower",
			      rarog_vex_tool_version());
}

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_vex_write_parameters(json, plan);
}

const struct rarog_engine rarog_engine_vex = {
	.name = "vex",
	.abilities = RAROG_ENGINE_ALONE | RAROG_ENGINE_ACCESSES | RAROG_ENGINE_VALUES |
		     RAROG_ENGINE_COUNTS,
	.instead = "counts everything that runs, each call exactly",
	.gives = "which counts exactly, some six times slower, and tells no times",
	.doctor = "vex engine",
	.needed_for = "collect --engine vex",
	.remedy = "install valgrind and build rarog again",
	.check = check,
	.examine = examine,
	.write_parameters = write_parameters,
	.steps = &rarog_vex_steps,
};
