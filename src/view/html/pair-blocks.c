/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of functions whose counts of blocks changed: which blocks, before and now, by the first run of
 * each. */
#include <stdlib.h>

#include "base/error.h"
#include "check/block-match.h"
#include "view/html/columns.h"
#include "view/html/pair-data.h"

#define MOST_FUNCTIONS 500
#define MOST_BLOCKS    40 /* of a function */

struct writing {
	const struct rarog_comparison *c;
	struct rarog_json *json;
	struct rarog_tally tallies[2];
	const struct rarog_tally_function **of[2]; /* by row; NULL: none, or several */
};

static void writing_release(struct writing *w)
{
	for (size_t side = 0; side < 2; side++) {
		rarog_tally_release(&w->tallies[side]);
		free(w->of[side]);
	}
}

static int index_side(struct writing *w, size_t side)
{
	const struct rarog_tally *tally = &w->tallies[side];
	const uint32_t *row_of = w->c->row_of[side][0];
	rarog_cleanup(rarog_freep) bool *is_twice = calloc(w->c->n + 1, sizeof(*is_twice));

	w->of[side] = calloc(w->c->n + 1, sizeof(*w->of[side]));
	if (!is_twice || !w->of[side])
		return rarog_oom();
	for (size_t i = 0; i < tally->n; i++) {
		uint32_t row = row_of[tally->functions[i].location];

		if (row == RAROG_NONE)
			continue;
		is_twice[row] |= w->of[side][row] != NULL;
		w->of[side][row] = &tally->functions[i];
	}
	for (size_t row = 0; row < w->c->n; row++)
		if (is_twice[row])
			w->of[side][row] = NULL;
	return 0;
}

/* Its number, size, count and line; number -1: this version has none. */
static void write_side(struct writing *w, size_t side, size_t row, uint32_t number)
{
	const struct rarog_block_count *block =
		number == RAROG_NONE ? NULL
				     : &w->tallies[side].blocks[w->of[side][row]->first + number];

	rarog_html_index(w->json, number);
	rarog_json_uint(w->json, NULL, block ? block->instructions : 0);
	rarog_json_uint(w->json, NULL, block ? block->count : 0);
	rarog_json_uint(w->json, NULL, block ? block->line : 0);
}

static void write_pairs(struct writing *w, size_t row, const struct rarog_block_pairs *pairs)
{
	size_t n = 0;

	while (n < pairs->list.n && pairs->list.v[n].gain != 0)
		n++;
	rarog_json_object(w->json, NULL);
	rarog_json_uint(w->json, "row", row);
	rarog_json_uint(w->json, "left_out", n > MOST_BLOCKS ? n - MOST_BLOCKS : 0);
	rarog_json_array(w->json, "blocks");
	for (size_t i = 0; i < n && i < MOST_BLOCKS; i++) {
		rarog_json_array(w->json, NULL);
		for (size_t side = 0; side < 2; side++)
			write_side(w, side, row, pairs->list.v[i].block[side]);
		rarog_json_end_array(w->json);
	}
	rarog_json_end_array(w->json);
	rarog_json_end_object(w->json);
}

static int write_row(struct writing *w, size_t row)
{
	const struct rarog_tally *const tallies[2] = { &w->tallies[0], &w->tallies[1] };
	const struct rarog_tally_function *const functions[2] = { w->of[0][row], w->of[1][row] };
	const struct rarog_row_form *form = w->c->rows[row].form;
	const uint32_t lines[2] = { form[0].line, form[1].line };
	struct rarog_block_pairs pairs;
	int r;

	if (!functions[0] || !functions[1])
		return 0;
	r = rarog_blocks_match(tallies, functions, lines, &pairs);
	if (r < 0)
		return r;
	write_pairs(w, row, &pairs);
	rarog_block_pairs_release(&pairs);
	return 0;
}

static int write_changes(struct writing *w, const struct rarog_verdict *verdict)
{
	size_t written = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < verdict->changes.n && written < MOST_FUNCTIONS; i++) {
		const struct rarog_change *change = &verdict->changes.v[i];

		if (change->metric != &rarog_metric_instructions || change->row >= w->c->n ||
		    change->baseline == change->target)
			continue;
		written++;
		r = write_row(w, change->row);
	}
	return r;
}

int rarog_pair_blocks_write(const struct rarog_check *check, struct rarog_json *json)
{
	const struct rarog_comparison *c = &check->comparison;
	rarog_cleanup(writing_release) struct writing w = { .c = c, .json = json };
	int r = 0;

	rarog_json_array(json, "blocks");
	for (size_t side = 0; r == 0 && c->has_blocks && side < 2; side++) {
		r = rarog_tally_read(c->sides[side].runs.v[0].profile, &w.tallies[side]);
		if (r == 0)
			r = index_side(&w, side);
	}
	if (r == 0 && c->has_blocks)
		r = write_changes(&w, &check->verdict);
	if (r == 0)
		rarog_json_end_array(json);
	return r;
}
