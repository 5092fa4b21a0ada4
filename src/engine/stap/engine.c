/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/stap/stap.h"
#include "engine/stap/tool.h"
#include "plan/parameters.h"

static int examine(struct rarog_str *found)
{
	int r = rarog_stap_check();

	return r < 0 ? r
		     : rarog_str_add(found,
				     "SystemTap and what it needs are there; making the module "
				     "of a run takes it up to minutes, once");
}

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write(json, "stap", plan);
}

const struct rarog_engine rarog_engine_stap = {
	.name = "stap",
	.abilities = RAROG_ENGINE_BREAKPOINTS | RAROG_ENGINE_CHOOSES | RAROG_ENGINE_DETAILS |
		     RAROG_ENGINE_PROGRAMS | RAROG_ENGINE_ALONE | RAROG_ENGINE_BOUNDED |
		     RAROG_ENGINE_ATTACHES | RAROG_ENGINE_MARKS | RAROG_ENGINE_SKIPS |
		     RAROG_ENGINE_VALUES | RAROG_ENGINE_WINDOWS | RAROG_ENGINE_CACHES,
	.doctor = "stap engine",
	.needed_for = "collect --engine stap",
	.remedy = "install systemtap and the kernel's headers, on a kernel that loads modules, and "
		  "run as root",
	.check = rarog_stap_check,
	.examine = examine,
	.write_parameters = write_parameters,
	.steps = &rarog_stap_steps,
};
