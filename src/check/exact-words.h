/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executed instructions by row, and what to say of a function that executed more or less. */
#ifndef RAROG_CHECK_EXACT_WORDS_H
#define RAROG_CHECK_EXACT_WORDS_H

#include "blocks/tally.h"
#include "check/comparison.h"

struct rarog_exact_run {
	struct rarog_tally tally;
	uint64_t *instructions; /* by row */
};

struct rarog_exact_side {
	size_t n_runs;
	size_t n_lossy; /* of which the profile lacks something */
	struct rarog_exact_run *runs;
};

/** rarog_exact_side_read() - of all runs. 0; -EBADMSG, -ENOMEM; release it in any case. */
int rarog_exact_side_read(const struct rarog_comparison *comparison, size_t side,
			  struct rarog_exact_side *ret_side);
void rarog_exact_side_release(struct rarog_exact_side *side);

/**
 * rarog_exact_explain() - why a function executed another number of instructions, the same in every
 * run of a side
 * @whole: what to add of the program as a whole, NULL: nothing
 * @line: in and out: the block's that changed most, if it has one
 * @ret_reason: calls, instructions a call, the blocks that changed most, by the first run of each
 *	side; the caller frees
 *
 * Return: 0, -ENOMEM.
 */
int rarog_exact_explain(const struct rarog_comparison *comparison,
			const struct rarog_exact_side sides[2], size_t row, const char *whole,
			uint32_t *line, char **ret_reason);

#endif
