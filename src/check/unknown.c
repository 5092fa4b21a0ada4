/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/unknown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "check/function-name.h"
#include "profile/measured.h"

/* What the runs of one version say of a binary. */
enum place { ABSENT, WHOLE, PARTLY };

static bool is_called(const char *path, const char *name)
{
	size_t n = rarog_binary_length(rarog_file_name(path));

	path = rarog_file_name(path);
	name = rarog_file_name(name);
	return rarog_binary_length(name) == n && strncmp(path, name, n) == 0;
}

/* Is the binary called @name there, with all of its functions? */
static int find_binary(const struct rarog_side_run *run,
		       const struct rarog_measured_table *measured, const char *name)
{
	const struct rarog_profile_binary *binaries;
	long n = rarog_profile_binaries(run->profile, &binaries);

	for (long i = 0; i < n; i++)
		if (binaries[i].path && name && is_called(binaries[i].path, name))
			return measured->others_off[i] ? PARTLY : WHOLE;
	return ABSENT;
}

/* Where a binary is not known by its name it may be by another; what is then not measured at all
 * is unknown. */
static bool is_any_off(const struct rarog_measured_table *measured)
{
	for (size_t i = 0; i < measured->n_binaries; i++)
		if (measured->others_off[i])
			return true;
	return false;
}

/* May @run have a function of @binary that is none of its locations? */
static bool may_hide(const struct rarog_side_run *run, const struct rarog_measured_table *measured,
		     const char *binary)
{
	int found = find_binary(run, measured, binary);

	return found == PARTLY || (found == ABSENT && is_any_off(measured));
}

static int note_entries(const struct rarog_side *other, struct rarog_entries *entries)
{
	struct rarog_measured_table measured;
	int r = rarog_measured_table_load(other->runs.v[0].profile, &measured);

	for (size_t i = 0; r == 0 && i < entries->list.n; i++) {
		struct rarog_entry *entry = &entries->list.v[i];

		entry->may_be_unknown = may_hide(&other->runs.v[0], &measured, entry->form.binary);
	}
	rarog_measured_table_release(&measured);
	return r;
}

int rarog_unknown_entries(const struct rarog_side sides[2], struct rarog_entries entries[2])
{
	int r = note_entries(&sides[RAROG_TARGET], &entries[RAROG_BASELINE]);

	return r < 0 ? r : note_entries(&sides[RAROG_BASELINE], &entries[RAROG_TARGET]);
}

/* --- rows --- */

/* What all runs of one side say of the rows. What one of them has left out, be it at times, is not
 * measured: it has no amount, which is not the amount 0. */
struct seen {
	bool *is_there, *is_measured, *is_timed, *is_left;
	bool *is_missed; /* in a run: its calls were counted, and none was recorded */
	bool *has_no_total;
	bool has_tree; /* else nothing at all is timed */
};

static void seen_release(struct seen *seen)
{
	free(seen->is_there);
	free(seen->is_measured);
	free(seen->is_timed);
	free(seen->is_missed);
	free(seen->has_no_total);
	free(seen->is_left);
}

static int see_run(const struct rarog_side_run *run, const uint32_t row_of[], struct seen *seen)
{
	rarog_cleanup(rarog_freep) bool *missed = NULL, *off = NULL, *no_total = NULL;
	const struct rarog_node *nodes;
	struct rarog_measured_table measured;
	int r = rarog_missed(run->profile, &missed);

	if (r >= 0)
		r = rarog_off_at_times(run->profile, &off);
	if (r >= 0)
		r = rarog_total_unknown(run->profile, &no_total);
	if (r < 0)
		return r;
	r = rarog_measured_table_load(run->profile, &measured);
	for (size_t i = 0; r == 0 && i < measured.n; i++) {
		uint32_t row = row_of[i];

		if (row == RAROG_NONE)
			continue;
		seen->is_there[row] = true;
		seen->is_measured[row] |= rarog_how_is_known(measured.how[i]);
		seen->is_left[row] |= measured.how[i] == RAROG_HOW_PRUNED || off[i];
		seen->is_timed[row] |= rarog_how_is_timed(measured.how[i]);
		seen->is_missed[row] |= missed[i];
		seen->has_no_total[row] |= no_total[i];
	}
	seen->has_tree |= rarog_profile_nodes(run->profile, &nodes) > 1;
	rarog_measured_table_release(&measured);
	return r;
}

static int see_side(const struct rarog_comparison *c, size_t side, struct seen *seen)
{
	int r = 0;

	seen->is_there = calloc(c->n + 1, sizeof(bool));
	seen->is_measured = calloc(c->n + 1, sizeof(bool));
	seen->is_timed = calloc(c->n + 1, sizeof(bool));
	seen->is_missed = calloc(c->n + 1, sizeof(bool));
	seen->is_left = calloc(c->n + 1, sizeof(bool));
	seen->has_no_total = calloc(c->n + 1, sizeof(bool));
	if (!seen->is_there || !seen->is_measured || !seen->is_timed || !seen->is_missed ||
	    !seen->is_left || !seen->has_no_total)
		return rarog_oom();
	for (size_t run = 0; r == 0 && run < c->sides[side].runs.n; run++)
		r = see_run(&c->sides[side].runs.v[run], c->row_of[side][run], seen);
	for (size_t i = 0; i < c->n; i++)
		seen->is_measured[i] &= !seen->is_left[i];
	return r;
}

/* Those that only the other side knows of, if their entry says that they may be here, too. */
static void mark_hidden(struct rarog_comparison *c, const struct rarog_entries *others,
			const struct seen *seen)
{
	for (size_t i = 0; i < others->list.n; i++) {
		const struct rarog_entry *entry = &others->list.v[i];

		if (!seen->is_there[entry->row] && entry->may_be_unknown)
			c->rows[entry->row].is_unknown = true;
	}
}

/* What one side counts and the other times is in the times of its callers there, and so here. */
static bool is_timed_once(const struct seen seen[2], size_t row)
{
	return seen[0].has_tree && seen[1].has_tree && seen[0].is_measured[row] &&
	       seen[1].is_measured[row] && seen[0].is_timed[row] != seen[1].is_timed[row];
}

static void mark(struct rarog_comparison *c, const struct rarog_entries entries[2],
		 const struct seen seen[2])
{
	for (size_t i = 0; i < c->n; i++) {
		c->rows[i].has_no_total = seen[0].has_no_total[i] || seen[1].has_no_total[i];
		c->rows[i].is_unknown = c->rows[i].has_no_total ||
					(seen[0].is_there[i] && !seen[0].is_measured[i]) ||
					(seen[1].is_there[i] && !seen[1].is_measured[i]) ||
					seen[0].is_missed[i] || seen[1].is_missed[i] ||
					is_timed_once(seen, i);
	}
	mark_hidden(c, &entries[RAROG_TARGET], &seen[RAROG_BASELINE]);
	mark_hidden(c, &entries[RAROG_BASELINE], &seen[RAROG_TARGET]);
}

int rarog_unknown_rows(struct rarog_comparison *comparison, const struct rarog_entries entries[2])
{
	struct seen seen[2] = { { 0 } };
	int r = see_side(comparison, RAROG_BASELINE, &seen[RAROG_BASELINE]);

	if (r == 0)
		r = see_side(comparison, RAROG_TARGET, &seen[RAROG_TARGET]);
	if (r == 0)
		mark(comparison, entries, seen);
	seen_release(&seen[0]);
	seen_release(&seen[1]);
	return r;
}

/* --- probes that only one version had --- */

#define LEAST 0.02 /* of a function's time: less than that is not looked for (method-runs.c) */

static double least_of(const struct rarog_comparison *c, const struct rarog_row *row)
{
	double least = INFINITY;

	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; run < c->sides[side].runs.n; run++)
			least = fmin(least, row->values[side][RAROG_MEASURE_EXCLUSIVE][run]);
	return least;
}

void rarog_unknown_drop(struct rarog_comparison *comparison)
{
	for (size_t i = 0; i < comparison->n; i++) {
		struct rarog_row *row = &comparison->rows[i];

		if (!(row->unlike_ns > LEAST * least_of(comparison, row)))
			continue;
		row->is_unknown = row->was_called = true;
		for (size_t side = 0; side < 2; side++)
			for (size_t m = 0; m < RAROG_MEASURES; m++)
				memset(row->values[side][m], 0,
				       comparison->sides[side].runs.n * sizeof(double));
	}
}

/* --- what is said --- */

int rarog_unknown_note(const struct rarog_comparison *comparison, struct rarog_verdict *verdict)
{
	size_t unknown = 0, inclusive = 0;
	int r = 0;

	for (size_t i = 0; i < comparison->n; i++) {
		const struct rarog_row *row = &comparison->rows[i];

		unknown += row->is_unknown && row->was_called;
		inclusive += row->is_inclusive && !row->is_unknown;
	}
	if (unknown > 0)
		r = rarog_verdict_note(verdict,
				       "%zu function%s unknown: not measured in both versions, or "
				       "called functions that were not; nothing is said of %s",
				       unknown, unknown == 1 ? " is" : "s are",
				       unknown == 1 ? "it" : "them");
	if (r == 0 && inclusive > 0)
		r = rarog_verdict_note(verdict,
				       "%zu function%s compared with what %s: of calls that are "
				       "sampled exclusive times are not known",
				       inclusive, inclusive == 1 ? " is" : "s are",
				       inclusive == 1 ? "it calls" : "they call");
	return r;
}
