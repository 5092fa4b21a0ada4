/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/exact-words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/units.h"
#include "check/block-match.h"

#define BLOCKS_NAMED 3

/* --- amounts --- */

static int read_run(const struct rarog_comparison *c, size_t side, size_t run,
		    struct rarog_exact_run *ret_run)
{
	const uint32_t *row_of = c->row_of[side][run];
	int r = rarog_tally_read(c->sides[side].runs.v[run].profile, &ret_run->tally);

	if (r < 0)
		return r;
	ret_run->instructions = calloc(c->n + 1, sizeof(*ret_run->instructions));
	if (!ret_run->instructions)
		return rarog_oom();
	for (size_t i = 0; i < ret_run->tally.n; i++) {
		const struct rarog_tally_function *function = &ret_run->tally.functions[i];

		if (row_of[function->location] != RAROG_NONE)
			ret_run->instructions[row_of[function->location]] += function->instructions;
	}
	return 0;
}

/* Does the profile say that counts are missing? -EBADMSG, -ENOMEM. */
static int is_lossy(struct rarog_profile *profile)
{
	const struct rarog_loss *losses;
	long n = rarog_profile_losses(profile, &losses);

	return n < 0 ? (int)n : n > 0;
}

int rarog_exact_side_read(const struct rarog_comparison *comparison, size_t side,
			  struct rarog_exact_side *ret_side)
{
	size_t n = comparison->sides[side].runs.n;
	int r = 0;

	*ret_side = (struct rarog_exact_side){ .runs = calloc(n, sizeof(*ret_side->runs)) };
	if (!ret_side->runs)
		return rarog_oom();
	ret_side->n_runs = n;
	for (size_t run = 0; r == 0 && run < n; run++) {
		r = read_run(comparison, side, run, &ret_side->runs[run]);
		if (r == 0)
			r = is_lossy(comparison->sides[side].runs.v[run].profile);
		if (r < 0)
			return r;
		ret_side->n_lossy += (size_t)r;
		r = 0;
	}
	return 0;
}

void rarog_exact_side_release(struct rarog_exact_side *side)
{
	for (size_t i = 0; i < side->n_runs; i++) {
		rarog_tally_release(&side->runs[i].tally);
		free(side->runs[i].instructions);
	}
	free(side->runs);
	*side = (struct rarog_exact_side){ 0 };
}

/* --- words --- */

/* The function of a row in the first run, NULL: there is none, or there are several (clones). */
static const struct rarog_tally_function *only_function(const struct rarog_comparison *c,
							size_t side, size_t row,
							const struct rarog_tally *tally)
{
	const struct rarog_tally_function *found = NULL;

	for (size_t i = 0; i < tally->n; i++) {
		if (c->row_of[side][0][tally->functions[i].location] != row)
			continue;
		if (found)
			return NULL;
		found = &tally->functions[i];
	}
	return found;
}

/* Every digit of what is large: to six of them two versions may look alike. */
static struct rarog_amount per_call(const struct rarog_tally_function *function)
{
	uint64_t whole = function->instructions / function->calls;
	struct rarog_amount amount = rarog_format_count(whole);

	if (whole < 100000 && function->instructions % function->calls != 0)
		snprintf(amount.text, sizeof(amount.text), "%.6g",
			 (double)function->instructions / (double)function->calls);
	return amount;
}

static int say_calls(const struct rarog_tally_function *const functions[2], struct rarog_str *text)
{
	uint64_t before = functions[0]->calls, now = functions[1]->calls;
	int r = 0;

	if (before != now)
		r = rarog_str_addf(text, "%s calls instead of %s", rarog_format_count(now).text,
				   rarog_format_count(before).text);
	if (r < 0 || before == 0 || now == 0)
		return r;
	return rarog_str_addf(text, "%s%s instructions a call, before %s",
			      text->length > 0 ? ", " : "", per_call(functions[1]).text,
			      per_call(functions[0]).text);
}

static const struct rarog_block_count *block_of(const struct rarog_tally *tally,
						const struct rarog_tally_function *function,
						uint32_t block)
{
	return &tally->blocks[function->first + block];
}

/* What the block of the newer version was inlined from (of the older one, if it is gone); NULL:
 * from nothing. */
static const char *inlined_name(const struct rarog_tally *const tallies[2],
				const struct rarog_tally_function *const functions[2],
				const struct rarog_block_pair *pair)
{
	size_t side = pair->block[1] == RAROG_NONE ? 0 : 1;
	const struct rarog_block_origin *origin =
		rarog_tally_origin(tallies[side], functions[side]->first + pair->block[side]);

	return origin ? tallies[side]->frames[origin->frame].name : NULL;
}

static bool has_other_size(const struct rarog_tally *const tallies[2],
			   const struct rarog_tally_function *const functions[2],
			   const struct rarog_block_pair *pair)
{
	return pair->block[0] == RAROG_NONE || pair->block[1] == RAROG_NONE ||
	       block_of(tallies[0], functions[0], pair->block[0])->instructions !=
		       block_of(tallies[1], functions[1], pair->block[1])->instructions;
}

static int say_place(const struct rarog_tally *tally, uint32_t block, struct rarog_str *text)
{
	uint32_t line = tally->blocks[block].line;
	const struct rarog_block_part *part = line > 0 ? NULL : rarog_tally_elsewhere(tally, block);
	const char *slash = part ? strrchr(part->file, '/') : NULL;

	if (part)
		return rarog_str_addf(text, " (%s:%" PRIu32 ")", slash ? slash + 1 : part->file,
				      part->line);
	return line > 0 ? rarog_str_addf(text, " (line %" PRIu32 ")", line) : 0;
}

static int say_block(const struct rarog_tally *const tallies[2],
		     const struct rarog_tally_function *const functions[2],
		     const struct rarog_block_pair *pair, struct rarog_str *text)
{
	size_t side = pair->block[1] == RAROG_NONE ? 0 : 1;
	const struct rarog_block_count *block =
		block_of(tallies[side], functions[side], pair->block[side]);
	const struct rarog_block_count *before;
	int r = rarog_str_addf(text, "; %sblock %" PRIu32, side == 0 ? "gone: " : "",
			       pair->block[side]);

	if (r == 0)
		r = say_place(tallies[side], functions[side]->first + pair->block[side], text);
	if (r == 0 && pair->block[0] == RAROG_NONE)
		r = rarog_str_add(text, " is new");
	if (r == 0)
		r = rarog_str_addf(text, ": %s of %" PRIu32 " instructions",
				   rarog_format_count(block->count).text, block->instructions);
	if (r < 0 || pair->block[0] == RAROG_NONE || pair->block[1] == RAROG_NONE)
		return r;
	before = block_of(tallies[0], functions[0], pair->block[0]);
	return rarog_str_addf(text, ", before %s of %" PRIu32,
			      rarog_format_count(before->count).text, before->instructions);
}

/* --- what was inlined --- */

/* Of the instructions by which blocks of another size, or of one version only, differ: those of
 * what was inlined as @name. NULL: of all of them. */
static int64_t differing(const struct rarog_tally *const tallies[2],
			 const struct rarog_tally_function *const functions[2],
			 const struct rarog_block_pairs *pairs, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < pairs->list.n; i++) {
		const struct rarog_block_pair *pair = &pairs->list.v[i];
		const char *of = inlined_name(tallies, functions, pair);

		if (has_other_size(tallies, functions, pair) &&
		    (!name || (of && strcmp(of, name) == 0)))
			sum += llabs(pair->gain);
	}
	return sum;
}

/* A caller did not change if what was inlined into it did: by half of the difference or more. */
static int say_inlined(const struct rarog_tally *const tallies[2],
		       const struct rarog_tally_function *const functions[2],
		       const struct rarog_block_pairs *pairs, struct rarog_str *text)
{
	int64_t all = differing(tallies, functions, pairs, NULL);

	for (size_t i = 0; i < pairs->list.n && i < BLOCKS_NAMED; i++) {
		const char *name = inlined_name(tallies, functions, &pairs->list.v[i]);

		if (name && has_other_size(tallies, functions, &pairs->list.v[i]) &&
		    2 * differing(tallies, functions, pairs, name) >= all)
			return rarog_str_addf(text, "; inlined %s changed", name);
	}
	return 0;
}

static int say_blocks(const struct rarog_tally *const tallies[2],
		      const struct rarog_tally_function *const functions[2],
		      const uint32_t lines[2], uint32_t *line, struct rarog_str *text)
{
	rarog_cleanup(rarog_block_pairs_release) struct rarog_block_pairs pairs = { 0 };
	int r = rarog_blocks_match(tallies, functions, lines, &pairs);

	for (size_t i = 0; r == 0 && i < pairs.list.n && i < BLOCKS_NAMED; i++) {
		const struct rarog_block_pair *pair = &pairs.list.v[i];

		if (pair->gain == 0)
			break;
		r = say_block(tallies, functions, pair, text);
		if (i == 0 && pair->block[1] != RAROG_NONE &&
		    block_of(tallies[1], functions[1], pair->block[1])->line > 0)
			*line = block_of(tallies[1], functions[1], pair->block[1])->line;
	}
	return r < 0 ? r : say_inlined(tallies, functions, &pairs, text);
}

int rarog_exact_explain(const struct rarog_comparison *comparison,
			const struct rarog_exact_side sides[2], size_t row, const char *whole,
			uint32_t *line, char **ret_reason)
{
	const struct rarog_tally *const tallies[2] = { &sides[0].runs[0].tally,
						       &sides[1].runs[0].tally };
	const struct rarog_tally_function *const functions[2] = {
		only_function(comparison, 0, row, tallies[0]),
		only_function(comparison, 1, row, tallies[1]),
	};
	const struct rarog_row_form *form = comparison->rows[row].form;
	const uint32_t lines[2] = { form[0].line, form[1].line };
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	if (functions[0] && functions[1]) {
		r = say_calls(functions, &text);
		if (r == 0)
			r = say_blocks(tallies, functions, lines, line, &text);
	}
	if (r == 0 && whole)
		r = rarog_str_addf(&text, "%s%s", text.length > 0 ? "; " : "", whole);
	if (r < 0)
		return rarog_oom();
	*ret_reason = text.length > 0 ? rarog_str_take(&text) : NULL;
	return 0;
}
