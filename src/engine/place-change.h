/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a running engine is told of a place: struct rarog_engine.set_place(). */
#ifndef RAROG_ENGINE_PLACE_CHANGE_H
#define RAROG_ENGINE_PLACE_CHANGE_H

#include <stdint.h>

#include "agent/gate.h"

/* What becomes of its calls. */
enum rarog_place_action {
	RAROG_PLACE_OFF,     /* it is not even counted */
	RAROG_PLACE_EVERY,   /* every N-th is recorded, the others are counted */
	RAROG_PLACE_COUNTED, /* it is counted only */
	RAROG_PLACE_PLANNED, /* what the plan said at the start */
	RAROG_PLACE_DELAYED, /* it is counted, and begins some ns late; plan->delays */
	RAROG_PLACE_ACTIONS,
};

struct rarog_place_change {
	const char
		*module;  /* path of the file, as in the profile; NULL: every place of all files */
	uint64_t address; /* in the file: of a function or, with all of its name, of a mark */
	enum rarog_place_action action;
	uint32_t every;    /* of RAROG_PLACE_EVERY: 1 … RAROG_CALL_SAMPLING_MAX */
	uint64_t delay_ns; /* of RAROG_PLACE_DELAYED */
};

/** rarog_place_word() - of a gate, for what @change says; @planned: which calls the plan wants. */
uint32_t rarog_place_word(const struct rarog_place_change *change, uint32_t planned);

struct rarog_plan;
struct rarog_plan_place;
struct rarog_mark_name;

/** rarog_place_planned() - word of the gate of @place as long as nobody changes it. */
uint32_t rarog_place_planned(const struct rarog_plan *plan, const struct rarog_plan_place *place);

/** rarog_mark_planned() - the same of all places of a mark's name. */
uint32_t rarog_mark_planned(const struct rarog_plan *plan, const struct rarog_mark_name *name);

/** rarog_place_check() - can @engine, whose probes have gates, do that under @plan? 0; -ENOTSUP
 * with message. */
int rarog_place_check(const char *engine, const struct rarog_plan *plan,
		      const struct rarog_place_change *change);

#endif
