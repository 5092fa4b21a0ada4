/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of n versions in a row changed a noisy amount? Every measurement says something about all
 * of them: the probability of each is known at any time, the next version to measure is the one
 * whose answer is least foreseeable, and the search ends when one is likely enough.
 *
 * Positions are 0 (known to be good) … n (known to be bad); change c, 1 … n, means that position c
 * is the first of the new level.
 */
#ifndef RAROG_CHECK_SEARCH_H
#define RAROG_CHECK_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct rarog_search_position {
	RAROG_VEC(double) values; /* one a run */
	bool is_broken;           /* cannot be measured */
};

struct rarog_search {
	size_t n;
	struct rarog_search_position *positions; /* n + 1 */
	double *likely;                          /* likely[c], Σ = 1; likely[0] is 0 */
};

/** rarog_search_init() - @n ≥ 1 candidates. 0 or -ENOMEM; release in any case. */
int rarog_search_init(struct rarog_search *search, size_t n);
void rarog_search_release(struct rarog_search *search); /* fits rarog_cleanup() */

/** rarog_search_add() - a run of position @at gave @value. 0, -EINVAL not finite, -ENOMEM. */
int rarog_search_add(struct rarog_search *search, size_t at, double value);

/**
 * rarog_search_update() - how likely each change is by what was measured
 *
 * Noise by a double exponential distribution (wild runs count little), its size unknown and the
 * same on both sides, all changes equally likely before. 0 or -ENOMEM.
 */
int rarog_search_update(struct rarog_search *search);

/** rarog_search_next() - the position to measure next: that which divides best; one that was
 * measured is worth less the more runs it has, another one costs a build. SIZE_MAX: there is none.
 * @runs_most: a position with as many is not measured again. */
size_t rarog_search_next(const struct rarog_search *search, size_t runs_most);

struct rarog_search_result {
	size_t first, last;   /* the changes it may be: more than one where versions are broken */
	double likely;        /* together */
	double before, after; /* medians of all runs on either side */
};

/** rarog_search_result() - the best so far. 0 or -ENOMEM. */
int rarog_search_result(const struct rarog_search *search, struct rarog_search_result *ret_result);

/**
 * rarog_search_differs() - do the ends differ beyond noise?
 * @ret_is_exact: all runs of an end gave the same, so more of them will not tell more
 *
 * Else by ranks (Mann, Whitney) at 1 %: five runs a side can tell. Return: 1, 0, -errno.
 */
int rarog_search_differs(const struct rarog_search *search, bool *ret_is_exact);

#endif
