/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a profile says of places whose weight changed while the program ran: how each was measured,
 * all together; the interval of its total; and, as a note, when which word began to hold.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/str.h"
#include "events/recorder-state.h"

#define REASON     "overhead"
#define REASON_OFF "overhead, off at times"
#define BY_PROBING "dynamic-probing, off at times"
#define NOTE       "overhead"

static uint64_t timed_of(const struct rarog_epochs_of *of)
{
	uint64_t timed = 0;

	for (size_t i = 0; i < of->v.n; i++)
		timed += of->v.v[i].timed;
	return timed;
}

static struct rarog_measured measured_of(struct rarog_recorder *r, uint32_t location,
					 const struct rarog_epochs_of *of)
{
	uint64_t timed = timed_of(of);
	uint64_t skipped = rarog_weights_skipped(&r->weights, location);
	struct rarog_measured row = { .location = location,
				      .binary = RAROG_NONE,
				      .reason = REASON };

	if (of->was_off) {
		row.how = RAROG_HOW_OFF;
		row.reason = r->plan->overhead > 0 ? REASON_OFF : BY_PROBING;
	} else if (timed == 0 && skipped > 0) {
		row.how = RAROG_HOW_COUNTED;
	} else if (skipped > 0) {
		row.how = RAROG_HOW_SAMPLED;
		row.every = (timed + skipped + timed / 2) / timed;
	}
	return row;
}

static int add_lines(struct rarog_str *text, uint32_t location, const struct rarog_epochs_of *of)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < of->v.n; i++)
		r = rarog_str_addf(text, "%" PRIu64 " %" PRIu32 " %" PRIu32 "\n", of->v.v[i].from,
				   location, of->v.v[i].word);
	return r;
}

int rarog_recorder_write_epochs(struct rarog_recorder *r)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	const struct rarog_epochs *epochs = &r->weights.epochs;
	int result = 0;

	for (uint32_t i = 0; result == 0 && i < epochs->of.n; i++) {
		const struct rarog_epochs_of *of = &epochs->of.v[i];
		struct rarog_measured row;

		if (of->v.n <= 1)
			continue; /* one word held, the plan's */
		row = measured_of(r, i, of);
		if (row.how != RAROG_HOW_RECORDED)
			result = rarog_profile_add_measured(r->writer, 1, &row);
		if (result == 0)
			result = add_lines(&text, i, of);
	}
	if (result == 0 && r->weights.totals.n > 0)
		result = rarog_profile_add_bounds(r->writer, r->weights.totals.n,
						  r->weights.totals.v);
	return result < 0 || text.length == 0
		       ? result
		       : rarog_profile_add_note(r->writer, NOTE, text.length, text.text);
}
