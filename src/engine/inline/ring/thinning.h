/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --overhead and dynamic probing: the drain sees which calls come, and what gates have counted, and
 * writes what the budget (plan/budget.h) or the threshold (plan/probing.h) says into the gates. By
 * the drain's thread, its lock is held.
 */
#ifndef RAROG_ENGINE_INLINE_RING_THINNING_H
#define RAROG_ENGINE_INLINE_RING_THINNING_H

#include <stdbool.h>

#include "engine/inline/code/image.h"
#include "plan/probing.h"

struct rarog_drain;
struct rarog_drained;

#define RAROG_THINNING_DEPTH                                                                       \
	64 /* of calls in each other, of which it is known how long they last */
#define RAROG_THINNING_STRANDS 32 /* at a time; of more of them less is known */

struct rarog_thinning_call {
	uint32_t location; /* RAROG_NONE: it has no gate */
	uint64_t entry;
};

/* Calls of a strand that are open in the words that came, the outermost first. */
struct rarog_thinning_strand {
	uint32_t strand; /* of the recorder */
	struct rarog_thinning_call open[RAROG_THINNING_DEPTH];
	size_t depth;
	uint64_t now; /* ticks */
};

struct rarog_thinning {
	struct rarog_budget budget; /* its places are locations */
	struct rarog_probing probing;
	RAROG_VEC(uint64_t)
	ended; /* calls that strands which have ended had counted, by location */
	struct rarog_thinning_strand strands[RAROG_THINNING_STRANDS]; /* each by its number */
	uint64_t start_ticks, start_ns;
	uint64_t waited_ticks; /* for room in a ring */
	uint64_t stood_ns;     /* for jumps to be taken out or put in; by the tracer's thread */
	uint64_t ready_ns;     /* that they had run when they were met */
	uint64_t ran_ns;       /* of all processes since then */
	uint64_t next_ticks;   /* when it is looked again … */
	uint64_t unseen;       /* … and what has been recorded since it was looked last */
	int result;            /* of telling the recorder what changes */
};

/** rarog_thinning_begin() - with neither a budget nor dynamic probing in @plan the other functions
 * do nothing */
void rarog_thinning_begin(struct rarog_thinning *thinning, const struct rarog_plan *plan,
			  const struct rarog_budget_costs *costs);

/** rarog_thinning_words() - these words of @image's strand @strand (of the recorder) came; whole
 * records. */
void rarog_thinning_words(struct rarog_thinning *thinning, const struct rarog_image *image,
			  uint32_t strand, size_t n, const uint16_t words[n]);

/** rarog_thinning_ended() - a strand that ends had counted @n calls of @location. 0; -ENOMEM. */
int rarog_thinning_ended(struct rarog_thinning *thinning, uint32_t location, uint64_t n);

/** rarog_thinning_met() - @process is measured from here on. */
void rarog_thinning_met(struct rarog_thinning *thinning, struct rarog_drained *process);

/** rarog_thinning_gone() - @process has ended, and may not have been reaped yet. */
void rarog_thinning_gone(struct rarog_thinning *thinning, struct rarog_drained *process);

/** rarog_thinning_is_due() - is it time to look, or has so much been recorded that it cannot wait?
 */
bool rarog_thinning_is_due(const struct rarog_thinning *thinning);

/** rarog_thinning_look() - is it time? Then change what is to be changed. 0; -errno with message.
 */
int rarog_thinning_look(struct rarog_drain *d);

void rarog_thinning_release(struct rarog_thinning *thinning);

#endif
