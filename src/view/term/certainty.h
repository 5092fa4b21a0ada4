/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure the amounts of functions are, of which not every call was recorded: within which bounds
 * the total is, and what was off at times.
 */
#ifndef RAROG_VIEW_TERM_CERTAINTY_H
#define RAROG_VIEW_TERM_CERTAINTY_H

#include "view/term/views.h"

/* By location. */
struct rarog_certainty {
	bool is_any_off, is_any_bound, is_any_unknown;
	bool *off;                        /* there were calls that were not even counted */
	bool *is_total_unknown;           /* rarog_total_unknown() */
	bool *is_total_unsure;            /* rarog_total_unsure() */
	const struct rarog_bound **total; /* NULL: nothing is told */
};

/** rarog_certainty_load() - of @show's profile. 0; -EBADMSG, -ENOMEM; release in any case. */
int rarog_certainty_load(const struct rarog_show *show, struct rarog_certainty *ret_certainty);
void rarog_certainty_release(struct rarog_certainty *certainty);

/** rarog_certainty_mean() - of all calls, where their total was estimated from calls that did not
 * count for as many each; else of those that were recorded, in ticks. */
uint64_t rarog_certainty_mean(const struct rarog_certainty *certainty,
			      const struct rarog_summary *s);

/** rarog_certainty_note() - which functions' amounts are the least, if there are such. */
void rarog_certainty_note(const struct rarog_certainty *certainty, struct rarog_show *show);

/** rarog_certainty_note_pooled() - of which functions recorded calls stand for different numbers of
 * calls, if there are such: quantiles and histograms take each for one. */
void rarog_certainty_note_pooled(const struct rarog_certainty *certainty, struct rarog_show *show);

/** rarog_quantile_ticks() - what @percent of the recorded calls do not exceed. Return: is it known?
 */
bool rarog_quantile_ticks(const struct rarog_summary *s, unsigned percent, uint64_t *ret_ticks);

#endif
