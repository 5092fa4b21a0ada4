/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A budget for probes (--overhead): an engine tells how often each place was called, by which way,
 * and how long the program has run; the budget says which calls of which place are recorded from
 * there on. It knows nothing of engines.
 */
#ifndef RAROG_PLAN_BUDGET_H
#define RAROG_PLAN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* Of one call, in ns. Whose probe is off costs nothing. */
struct rarog_budget_costs {
	double recorded;
	double skipped; /* counted, while every N-th is recorded */
};

struct rarog_budget_place {
	/* What the engine tells: calls so far, recorded and not. */
	uint64_t recorded, counted;
	uint64_t ended;            /* of those that were recorded, and … */
	double lasted;             /* … how long these took together, in any unit */
	bool is_there;             /* it has a gate */
	bool stays;                /* dynamic probing leaves it alone */
	bool was_thinned, was_off; /* at any time */
	bool is_told;              /* the engine's: what it began with */

	uint32_t word;  /* agent/gate.h: what the gate says */
	uint32_t least; /* of the plan: never more calls than this word records */
	double rate;    /* calls per ns of the program's own time, lately … */
	double usual;   /* … and on average of a longer time */
	uint64_t seen_recorded, seen_counted;              /* when it was looked last */
	double off_since, off_until, tried_until, backoff; /* ns of the program's time */
};

struct rarog_budget {
	double share; /* of the program's own time: 0.05 */
	struct rarog_budget_costs costs;
	RAROG_VEC(struct rarog_budget_place) places;
	/* What the engine tells: how long the program was got ready, has waited for us so far, or
	 * stood still so that probes could be switched; of the time that it ran. */
	double lost_ns;
	double seen_lost_ns; /* when it was looked last */
	double ran_ns;       /* when it was looked last, with … */
	double spent_ns;     /* … what the probes took of it, and what was lost */
	/* Of the last step, per ns of the program's own; in ns but for the rate: */
	double rate;       /* recorded calls of a place per ns, at most */
	double room;       /* of the allowance, was left */
	double off_demand; /* would be taken by the gates of what is off */
	uint64_t exact;    /* first calls of a place are recorded */
	uint64_t changes;
};

/** rarog_budget_place() - the place @number, which the plan records every @least-th call of, has a
 * gate. 0; -ENOMEM. */
int rarog_budget_place(struct rarog_budget *budget, uint32_t number, uint32_t least);

/** rarog_budget_count() - places that not every call was recorded of at some time, and of these
 * those that were off. */
struct rarog_budget_left {
	size_t thinned, off;
};
struct rarog_budget_left rarog_budget_count(const struct rarog_budget *budget);

/** rarog_budget_own_ns() - what the program would have taken without probes, as far as is known. */
double rarog_budget_own_ns(const struct rarog_budget *budget);

/**
 * rarog_budget_step() - the program has run @ran_ns, and places have been told
 * @change: called for each place whose word is another from here on
 */
void rarog_budget_step(struct rarog_budget *budget, double ran_ns,
		       void (*change)(void *user, uint32_t number, uint32_t word), void *user);

void rarog_budget_release(struct rarog_budget *budget);

#endif
