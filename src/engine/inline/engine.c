/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/engine.h"
#include "engine/inline/able.h"
#include "engine/inline/attach/attach-check.h"
#include "engine/inline/measure.h"
#include "engine/inline/probe-cost.h"
#include "plan/parameters.h"

/* The engine is tried, in this process. */
static int examine(struct rarog_str *found)
{
	struct rarog_cost_ns cost;
	int r = rarog_cost_measure(/* is_ordered= */ false, &cost);

	if (r < 0)
		return r;
	return rarog_str_addf(found,
			      "%.1f ns a call, two readings of the clock being %.1f ns; --overhead "
			      "10%% bounds what they come to",
			      cost.call, 2 * cost.clock);
}

static int allows(const struct rarog_plan *plan, const char *program,
		  const struct rarog_attachment *attachment)
{
	(void)plan;
	(void)program;
	return attachment && attachment->pid > 0 ? rarog_attach_allows(attachment->pid) : 0;
}

static void write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write(json, "inline", plan);
}

const struct rarog_engine rarog_engine_inline = {
	.name = "inline",
	.abilities = RAROG_ENGINE_CHOOSES | RAROG_ENGINE_SKIPS | RAROG_ENGINE_DETAILS |
		     RAROG_ENGINE_LIBRARIES | RAROG_ENGINE_ROOTS | RAROG_ENGINE_PROGRAMS |
		     RAROG_ENGINE_ALONE | RAROG_ENGINE_BOUNDED | RAROG_ENGINE_WAITS |
		     RAROG_ENGINE_COMPENSATES | RAROG_ENGINE_ATTACHES | RAROG_ENGINE_VALUES |
		     RAROG_ENGINE_MARKS | RAROG_ENGINE_DRY | RAROG_ENGINE_WINDOWS |
		     RAROG_ENGINE_SWITCHES | RAROG_ENGINE_THINS | RAROG_ENGINE_TURNS_OFF |
		     RAROG_ENGINE_WRITES | RAROG_ENGINE_QUICK,
	.gives = "the time of every call",
	.doctor = "inline engine",
	.needed_for = "collect trace",
	.remedy = "run where programs may make code (W^X is enforced by some sandboxes) and may "
		  "call arch_prctl",
	.check = rarog_inline_able,
	.allows = allows,
	.examine = examine,
	.write_parameters = write_parameters,
	.steps = &rarog_inline_steps,
};
