/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a strand's calls wait until there are enough for a block. Pieces of any size come in; full
 * blocks go to the press, each with the calls open at its start.
 */
#ifndef RAROG_PROFILE_LANES_H
#define RAROG_PROFILE_LANES_H

#include "profile/press.h"

struct rarog_lane {
	struct rarog_press_calls calls; /* waiting; n = 0: nothing known about the strand */
	RAROG_VEC(uint32_t) stack;      /* open after the waiting calls */
	uint64_t end_ticks;             /* the strand's clock after them */
};

struct rarog_lanes {
	RAROG_VEC(struct rarog_lane) lane; /* by strand */
	struct rarog_press_calls spare[4]; /* vectors to be used again */
	size_t held;                       /* events for which lanes hold memory */
	int (*before)(void *context);      /* called before a block goes to the press */
	void *context;
};

/** rarog_lanes_add() - append; what is full goes to @press. */
int rarog_lanes_add(struct rarog_lanes *lanes, struct rarog_press *press,
		    const struct rarog_calls *calls);

/** rarog_lanes_flush() - everything that waits goes to @press, by strand. */
int rarog_lanes_flush(struct rarog_lanes *lanes, struct rarog_press *press);

void rarog_lanes_release(struct rarog_lanes *lanes);

#endif
