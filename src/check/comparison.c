/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "blocks/tally.h"
#include "check/alike.h"
#include "check/amounts.h"
#include "check/inlining.h"
#include "check/unknown.h"
#include "profile/effects.h"
#include "profile/off-cpu.h"

const struct rarog_row_form *rarog_row_form(const struct rarog_row *row)
{
	return &row->form[row->form[RAROG_TARGET].mangled ? RAROG_TARGET : RAROG_BASELINE];
}

const char *rarog_row_name(const struct rarog_row *row)
{
	return rarog_row_form(row)->name;
}

/* --- rows --- */

/* 1 it counted blocks, 0, -EBADMSG: what cannot be read is not taken for what is not there. */
static int counts_blocks(struct rarog_profile *profile)
{
	const struct rarog_block_count *blocks;
	long n = rarog_profile_blocks(profile, &blocks);

	return n < 0 ? (int)n : n > 0;
}

/* Control flow is known of both versions, or of none. */
static int read_alike(const struct rarog_comparison *c, struct rarog_alike **ret_alike)
{
	struct rarog_profile *profiles[2];

	for (size_t side = 0; side < 2; side++) {
		int r;

		profiles[side] = c->sides[side].runs.v[0].profile;
		r = counts_blocks(profiles[side]);
		if (r <= 0)
			return r;
	}
	return rarog_alike_new(profiles, ret_alike);
}

static int make_rows(struct rarog_comparison *c, struct rarog_entries entries[2])
{
	rarog_cleanup(rarog_freep) const char **words = NULL;
	rarog_cleanup(rarog_alike_freep) struct rarog_alike *alike = NULL;
	int r = read_alike(c, &alike);

	if (r == 0)
		r = rarog_match(entries, c->sides, alike, &words, &c->n);
	if (r < 0)
		return r;
	c->rows = calloc(c->n + 1, sizeof(*c->rows));
	if (!c->rows)
		return rarog_oom();
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < entries[side].list.n; i++) {
			const struct rarog_entry *entry = &entries[side].list.v[i];

			c->rows[entry->row].form[side] = entry->form;
		}
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].matched_by = words[i];
	return 0;
}

static int make_values(struct rarog_comparison *c)
{
	for (size_t side = 0; side < 2; side++) {
		size_t runs = c->sides[side].runs.n;

		c->total_ns[side] = calloc(runs, sizeof(double));
		c->waiting_ns[side] = calloc(runs, sizeof(double));
		if (!c->total_ns[side] || !c->waiting_ns[side])
			return rarog_oom();
		for (size_t i = 0; i < c->n; i++)
			for (size_t m = 0; m < RAROG_MEASURES; m++) {
				c->rows[i].values[side][m] = calloc(runs, sizeof(double));
				if (!c->rows[i].values[side][m])
					return rarog_oom();
			}
	}
	return 0;
}

/* Locations of the runs to rows: entries' indices are replaced in place. */
static int make_row_of(struct rarog_comparison *c, struct rarog_entries entries[2])
{
	for (size_t side = 0; side < 2; side++) {
		struct rarog_side *of = &c->sides[side];

		c->row_of[side] = calloc(of->runs.n, sizeof(*c->row_of[side]));
		if (!c->row_of[side])
			return rarog_oom();
		for (size_t run = 0; run < of->runs.n; run++) {
			const struct rarog_location *locations;
			long n = rarog_profile_locations(of->runs.v[run].profile, &locations);
			uint32_t *entry_of = entries[side].of.v[run];
			uint32_t *row_of = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*row_of));

			if (!row_of)
				return rarog_oom();
			for (long i = 0; i < n; i++)
				row_of[i] = entries[side].list.v[entry_of[i]].row;
			c->row_of[side][run] = row_of;
		}
	}
	return 0;
}

/* --- amounts --- */

/* CPU times are compared only if all runs have them, of everything, by context. */
static int choose_time(struct rarog_comparison *c)
{
	size_t runs = 0, alone = 0;

	c->runs_with_cpu = 0;
	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; run < c->sides[side].runs.n; run++, runs++) {
			struct rarog_profile *profile = c->sides[side].runs.v[run].profile;
			const struct rarog_strand *strands;
			struct rarog_off_cpu_table off_cpu;
			long n = rarog_profile_strands(profile, &strands);
			int r = n < 0 ? (int)n : rarog_off_cpu_table_load(profile, true, &off_cpu);

			if (r < 0)
				return r;
			alone += n == 1;
			c->runs_with_cpu +=
				off_cpu.is_known && off_cpu.is_whole && off_cpu.n_nodes > 1;
			rarog_off_cpu_table_release(&off_cpu);
		}
	c->is_cpu_time = c->runs_with_cpu == runs;
	c->has_waiting = c->is_cpu_time && alone == runs;
	return 0;
}

static int read_amounts(struct rarog_comparison *c)
{
	c->has_times = c->has_blocks = c->has_experiments = true;
	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; run < c->sides[side].runs.n; run++) {
			int r = rarog_amounts_read(c, side, run);
			int has_blocks =
				r < 0 ? r : counts_blocks(c->sides[side].runs.v[run].profile);

			if (has_blocks < 0)
				return has_blocks;
			c->has_times &= r > 0;
			c->has_blocks &= has_blocks;
			c->has_experiments &=
				rarog_effects_exist(c->sides[side].runs.v[run].profile);
		}
	return 0;
}

static double row_calls(const struct rarog_comparison *c, const struct rarog_row *row)
{
	double calls = 0;

	for (size_t side = 0; side < 2; side++)
		for (size_t run = 0; run < c->sides[side].runs.n; run++)
			calls += row->values[side][RAROG_MEASURE_CALLS][run];
	return calls;
}

static int name_folded(struct rarog_comparison *c)
{
	const struct rarog_inlining *inlining = c->inlining;

	for (size_t i = 0; i < inlining->edges.n; i++) {
		const struct rarog_inlined_edge *edge = &inlining->edges.v[i];
		struct rarog_row *host = &c->rows[edge->host], *callee = &c->rows[edge->callee];
		char *text;

		if (!edge->is_used)
			continue;
		callee->is_folded = row_calls(c, callee) == 0;
		text = rarog_asprintf("%s%s%s", host->folded ? host->folded : "",
				      host->folded ? ", " : "", rarog_row_name(callee));
		if (!text)
			return rarog_oom();
		free(host->folded);
		host->folded = text;
	}
	for (size_t i = 0; i < c->n; i++)
		c->rows[i].is_folded |= inlining->may_be[i] && row_calls(c, &c->rows[i]) == 0;
	return 0;
}

/* By the mean of the shares, so that a run that took longer does not count more. */
static void set_shares(struct rarog_comparison *c)
{
	size_t runs = c->sides[RAROG_BASELINE].runs.n + c->sides[RAROG_TARGET].runs.n;

	for (size_t i = 0; i < c->n; i++)
		for (size_t side = 0; side < 2; side++)
			for (size_t run = 0; run < c->sides[side].runs.n; run++) {
				double total = c->total_ns[side][run];
				double whole = total + c->waiting_ns[side][run];
				double *const *of = c->rows[i].values[side];

				if (total > 0)
					c->rows[i].share += of[RAROG_MEASURE_EXCLUSIVE][run] /
							    total / (double)runs;
				if (whole > 0)
					c->rows[i].waiting_share += of[RAROG_MEASURE_WAITING][run] /
								    whole / (double)runs;
			}
}

/* A method that asks for exclusive times gets these. */
static void take_inclusive(struct rarog_comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t side = 0; c->rows[i].is_inclusive && side < 2; side++)
			memcpy(c->rows[i].values[side][RAROG_MEASURE_EXCLUSIVE],
			       c->rows[i].values[side][RAROG_MEASURE_INCLUSIVE],
			       c->sides[side].runs.n * sizeof(double));
}

static void release_entries(struct rarog_entries entries[2])
{
	rarog_entries_release(&entries[RAROG_BASELINE]);
	rarog_entries_release(&entries[RAROG_TARGET]);
}

static int fill(struct rarog_comparison *c, struct rarog_entries entries[2])
{
	int r = 0;

	c->inlining = calloc(1, sizeof(*c->inlining));
	if (!c->inlining)
		return rarog_oom();

	for (size_t side = 0; r == 0 && side < 2; side++)
		r = rarog_entries_read(&c->sides[side], &entries[side]);
	if (r == 0)
		r = rarog_unknown_entries(c->sides, entries);
	if (r == 0)
		r = make_rows(c, entries);
	if (r == 0)
		r = make_values(c);
	if (r == 0)
		r = make_row_of(c, entries);
	if (r == 0)
		r = rarog_unknown_rows(c, entries);
	if (r == 0)
		r = rarog_inlining_find(c, entries, c->inlining);
	if (r == 0)
		r = choose_time(c);
	if (r == 0)
		r = read_amounts(c);
	if (r == 0)
		r = name_folded(c);
	if (r == 0)
		take_inclusive(c);
	if (r == 0)
		rarog_unknown_drop(c);
	if (r == 0)
		set_shares(c);
	return r;
}

int rarog_comparison_fill(struct rarog_comparison *comparison)
{
	struct rarog_entries entries[2] = { { { 0 } }, { { 0 } } };
	int r;

	for (size_t side = 0; side < 2; side++)
		if (comparison->sides[side].runs.n == 0)
			return rarog_fail(-EINVAL, "%s: there is no run to compare",
					  comparison->sides[side].name);
	r = fill(comparison, entries);
	release_entries(entries);
	return r;
}

void rarog_comparison_release(struct rarog_comparison *comparison)
{
	struct rarog_comparison *c = comparison;

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; c->rows && i < c->n; i++)
			for (size_t m = 0; m < RAROG_MEASURES; m++)
				free(c->rows[i].values[side][m]);
		for (size_t run = 0; c->row_of[side] && run < c->sides[side].runs.n; run++)
			free(c->row_of[side][run]);
		free(c->row_of[side]);
		free(c->total_ns[side]);
		free(c->waiting_ns[side]);
		rarog_side_release(&c->sides[side]);
	}
	for (size_t i = 0; c->rows && i < c->n; i++)
		free(c->rows[i].folded);
	free(c->rows);
	if (c->inlining)
		rarog_inlining_release(c->inlining);
	free(c->inlining);
	*c = (struct rarog_comparison){ 0 };
}

double rarog_row_steady_calls(const struct rarog_comparison *comparison,
			      const struct rarog_row *row, enum rarog_side_index side)
{
	const double *calls = row->values[side][RAROG_MEASURE_CALLS];

	for (size_t i = 1; i < comparison->sides[side].runs.n; i++)
		if (calls[i] != calls[0])
			return NAN;
	return calls[0];
}
