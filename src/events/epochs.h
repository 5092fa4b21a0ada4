/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Of places whose weight changes while the program runs (--overhead): epochs, in which it was one
 * and the same. Durations are weighed within their epoch, so that phases of a program in which more
 * is recorded do not count for more.
 */
#ifndef RAROG_EVENTS_EPOCHS_H
#define RAROG_EVENTS_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct rarog_epoch {
	uint64_t from;      /* ticks */
	uint32_t word;      /* agent/gate.h */
	uint64_t skipped;   /* calls that were not recorded before it */
	uint64_t timed;     /* calls that began in it and were recorded, … */
	double sum, square; /* … their ticks, and the squares of these */
};

struct rarog_epochs_of {
	RAROG_VEC(struct rarog_epoch) v; /* none: nothing was told */
	bool was_off;                    /* at any time */
};

/* Zeroed: there are none. */
struct rarog_epochs {
	RAROG_VEC(struct rarog_epochs_of) of; /* by location */
	bool is_broken;                       /* there was no memory for what was recorded */
};

/** rarog_epochs_begin() - from @ticks on the gate of @location says @word; @skipped calls were not
 * recorded before. 0; -ENOMEM. */
int rarog_epochs_begin(struct rarog_epochs *epochs, uint32_t location, uint64_t ticks,
		       uint32_t word, uint64_t skipped);

/** rarog_epochs_add() - a call that began at @entry lasted @ticks */
void rarog_epochs_add(struct rarog_epochs *epochs, uint32_t location, uint64_t entry,
		      uint64_t ticks);

struct rarog_epochs_total {
	/* Ticks of all calls, with the ends of its 95 % interval; high is infinite where nothing
	 * says how much calls differ. */
	double total, low, high;
};

/**
 * rarog_epochs_total() - of all calls of @location, recorded or not
 * @skipped: that were not, all together
 *
 * Stratified expansion; strata of fewer than two recorded calls are taken together with the next.
 * Source: Cochran, Sampling Techniques, 3rd ed., 5.4 and 5A.12.
 *
 * Return: false: it has no epochs, or no call was recorded.
 */
bool rarog_epochs_total(const struct rarog_epochs *epochs, uint32_t location, uint64_t skipped,
			struct rarog_epochs_total *ret_total);

void rarog_epochs_release(struct rarog_epochs *epochs);

#endif
