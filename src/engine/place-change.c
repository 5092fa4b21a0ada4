/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/place-change.h"

#include <errno.h>

#include "base/error.h"
#include "engine/delay.h"
#include "plan/marks.h"
#include "plan/place-set.h"

uint32_t rarog_place_word(const struct rarog_place_change *change, uint32_t planned)
{
	const uint32_t words[RAROG_PLACE_ACTIONS] = {
		[RAROG_PLACE_OFF] = RAROG_GATE_OFF,
		[RAROG_PLACE_EVERY] = change->every,
		[RAROG_PLACE_COUNTED] = RAROG_GATE_COUNTED,
		[RAROG_PLACE_PLANNED] = planned,
		[RAROG_PLACE_DELAYED] = 0,
	};

	return change->action == RAROG_PLACE_DELAYED ? rarog_delay_word(change->delay_ns)
						     : words[change->action];
}

static uint32_t settle_bits(uint32_t settle)
{
	return (settle & RAROG_SETTLE_PAYS ? RAROG_GATE_PAYS : 0) |
	       (settle & RAROG_SETTLE_WAITS ? RAROG_GATE_WAITS : 0) |
	       (settle & RAROG_SETTLE_WAKES ? RAROG_GATE_WAKES : 0) |
	       (settle & RAROG_SETTLE_FIRST ? RAROG_GATE_FIRST : 0) |
	       (settle & RAROG_SETTLE_SECOND ? RAROG_GATE_SECOND : 0) |
	       (settle & RAROG_SETTLE_SEMAPHORE ? RAROG_GATE_SEMAPHORE : 0) |
	       (settle & RAROG_SETTLE_READS ? RAROG_GATE_READS : 0) |
	       (settle & RAROG_SETTLE_ONCE ? RAROG_GATE_ONCE : 0);
}

/* Of the actions that are noise; 0: it is none of them. */
static uint32_t late_word(const struct rarog_plan *plan, uint8_t action, uint32_t n)
{
	if (action == RAROG_ACTION_DELAY)
		return rarog_noise_word(plan->noise, n);
	if (action == RAROG_ACTION_GAIN || action == RAROG_ACTION_EVEN)
		return rarog_gain_word(n, action == RAROG_ACTION_EVEN);
	if (action == RAROG_ACTION_SETTLE)
		return RAROG_GATE_DELAY | RAROG_GATE_DEBTS | settle_bits(n);
	return 0;
}

uint32_t rarog_place_planned(const struct rarog_plan *plan, const struct rarog_plan_place *place)
{
	uint32_t late = late_word(plan, place->action, place->n);

	if (late)
		return late;
	if (place->action == RAROG_ACTION_SAMPLE && place->n > 1)
		return place->n;
	return place->action == RAROG_ACTION_COUNT && plan->detail != RAROG_DETAIL_COUNT
		       ? RAROG_GATE_COUNTED
		       : RAROG_GATE_EVERY;
}

uint32_t rarog_mark_planned(const struct rarog_plan *plan, const struct rarog_mark_name *name)
{
	uint32_t late = late_word(plan, name->action, name->n);

	if (late)
		return late;
	if (name->only_counts)
		return RAROG_GATE_COUNTED;
	return name->every > 1 ? name->every : RAROG_GATE_EVERY;
}

int rarog_place_check(const char *engine, const struct rarog_plan *plan,
		      const struct rarog_place_change *change)
{
	bool thins = change->action == RAROG_PLACE_EVERY && change->every != 1;

	if (!plan->switches)
		return rarog_fail(-ENOTSUP, "--engine=%s: probes of this run cannot be switched",
				  engine);
	if (change->action == RAROG_PLACE_DELAYED &&
	    (!plan->delays || plan->noise != RAROG_NOISE_BUSY || plan->roots.include.n > 0 ||
	     plan->detail == RAROG_DETAIL_COUNT))
		return rarog_fail(-ENOTSUP, "--engine=%s: calls of this run cannot begin late",
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
