/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/place-change.h"

#include <errno.h>

#include "base/error.h"
#include "plan/place-set.h"

uint32_t rarog_place_planned(const struct rarog_plan *plan, const struct rarog_plan_place *place)
{
	if (place->action == RAROG_ACTION_SAMPLE && place->n > 1)
		return place->n;
	return place->action == RAROG_ACTION_COUNT && plan->detail != RAROG_DETAIL_COUNT
		       ? RAROG_GATE_COUNTED
		       : RAROG_GATE_EVERY;
}

int rarog_place_check(const char *engine, const struct rarog_plan *plan,
		      const struct rarog_place_change *change)
{
	bool thins = change->action == RAROG_PLACE_EVERY && change->every != 1;

	if (!plan->switches || plan->roots.include.n > 0)
		return rarog_fail(-ENOTSUP, "--engine=%s: probes of this run cannot be switched",
				  engine);
	if (thins && (change->every == 0 || change->every > RAROG_CALL_SAMPLING_MAX))
		return rarog_fail(-ENOTSUP,
				  "--engine=%s: every %u-th call: from 1 to %d is possible", engine,
				  change->every, RAROG_CALL_SAMPLING_MAX);
	if (thins && plan->detail == RAROG_DETAIL_COUNT)
		return rarog_fail(-ENOTSUP,
				  "--engine=%s: --detail=count counts every call, or none", engine);
	return 0;
}
