/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calling contexts of both versions as one tree: which function called which, by which way, and
 * what that took in each. Functions are rows of the comparison, so that a renamed one is one frame.
 */
#ifndef RAROG_CHECK_CONTEXTS_H
#define RAROG_CHECK_CONTEXTS_H

#include "check/comparison.h"

/* Means of the runs, so that they add up: of a row over all contexts they give the mean of
 * values[side][RAROG_MEASURE_EXCLUSIVE]. */
struct rarog_context_pair {
	uint32_t parent, row; /* parents come first; row RAROG_NONE: the root */
	double exclusive_ns[2], inclusive_ns[2], calls[2];
	double margin_ns; /* inclusive times may differ by so much by chance (95 %, t over runs,
			   * Welch's or of pairs); INFINITY: a side has one run: unknown */
};

struct rarog_contexts {
	size_t n;            /* v[0] is the root */
	size_t without_tree; /* runs that have no contexts: if there are any, all is left out */
	struct rarog_context_pair *v;
};

/** rarog_contexts_read() - of a filled comparison. 0; -EBADMSG a damaged tree; -ENOMEM. */
int rarog_contexts_read(const struct rarog_comparison *comparison,
			struct rarog_contexts *ret_contexts);
void rarog_contexts_release(struct rarog_contexts *contexts); /* fits rarog_cleanup() */

#endif
