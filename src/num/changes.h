/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Change points of a series (a metric over commits): where its level moves and stays. Values in
 * between are exchangeable, so a dependent series is prewhitened first (autocorrelation.h).
 */
#ifndef RAROG_NUM_CHANGES_H
#define RAROG_NUM_CHANGES_H

#include <stdbool.h>

#include "base/vec.h"
#include "num/random.h"

struct rarog_change_point {
	size_t at; /* index of the first value after the change */
	double p;  /* of the permutation test; 0 from a method that has none */
};

/* In the order of @at. Zeroed is empty. */
struct rarog_changes {
	RAROG_VEC(struct rarog_change_point) list;
};

void rarog_changes_release(struct rarog_changes *changes);

#define RAROG_EDIVISIVE_MAX 4096 /* time grows with the square */

struct rarog_edivisive {
	double alpha;      /* a split with p ≤ alpha is a change */
	size_t draws;      /* permutations for a p; 1/alpha and more, else nothing is found */
	size_t least_size; /* values between changes, at least 2 */
	bool is_ranked;    /* ranks in place of values: outliers of any size do not matter */
};

/**
 * rarog_edivisive() - hierarchical division by energy distance
 * @n: 0 … RAROG_EDIVISIVE_MAX values; less than 2 least_size have no change
 * @random: for the permutations, within the parts found so far
 * @ret_changes: released by the caller; set only on success
 *
 * The split of a part into m and k values that maximises
 * m k / (m + k) (2 mean|x - y| - mean|x - x'| - mean|y - y'|); the best of all parts is kept if its
 * p = (1 + permutations as good) / (1 + draws) is at most alpha, and so on. So the whole series is
 * taken for unchanged with probability 1 - alpha when it is. Source: Matteson, James, "A
 * nonparametric approach for multiple change point analysis", JASA 109, 2014 (the right part always
 * reaches to the end of its part, as in Daly et al., ICPE 2020).
 *
 * Return: 0, -EDOM (too many values), -EINVAL, -ENOMEM.
 */
int rarog_edivisive(size_t n, const double x[], const struct rarog_edivisive *how,
		    struct rarog_random *random, struct rarog_changes *ret_changes);

struct rarog_pelt {
	bool is_median;    /* cost Σ|x - median| in place of Σ(x - mean)²: robust to outliers */
	double penalty;    /* of a change; 0: 4 ln n */
	double scale;      /* deviation of the noise; 0: from the differences of neighbours */
	size_t least_size; /* values between changes, at least 1 */
};

/**
 * rarog_pelt() - the division with the least cost, by pruned exact linear time
 * @n: any number of values; less than 2 least_size have no change
 * @ret_changes: released by the caller; p is 0
 *
 * Costs are in units in which a change that is none gains a χ² of one degree: Σ(x - mean)²/σ², or
 * 4/√(2π) Σ|x - median|/σ. σ, if not given: 1.4826 median|difference| / √2. Exact: no division into
 * parts of at least least_size has a lower cost + penalty × changes.
 * Source: Killick, Fearnhead, Eckley, JASA 107, 2012.
 *
 * Return: 0; -EDOM when σ would be 0 (most neighbours are equal: compare exactly); -EINVAL,
 * -ENOMEM.
 */
int rarog_pelt(size_t n, const double x[], const struct rarog_pelt *how,
	       struct rarog_changes *ret_changes);

/* Values that are analysed at once, and the fewest in which a change can be seen. */
#define RAROG_CHANGES_WINDOW 512
#define RAROG_CHANGES_LEAST  8

/**
 * rarog_changes_find() - the changes of a series of measurements, as checks use it
 * @n: 0 … RAROG_CHANGES_WINDOW values; less than RAROG_CHANGES_LEAST have no change
 * @ret_changes: released by the caller; p: that chance makes such a change at any place of the two
 * parts beside it, if noise is normal; set only on success
 *
 * Needs no setting: noise, memory and drift are estimated from the series. Single wild values, a
 * steady drift and AR(1) noise are no changes. Deterministic. doc/design/history.md has what was
 * tried and how well it does.
 *
 * Return: 0, -EDOM (too many values), -EINVAL, -ENOMEM.
 */
int rarog_changes_find(size_t n, const double x[], struct rarog_changes *ret_changes);

/* How far a series of any length has been settled. Zeroed: nothing. */
struct rarog_change_scan {
	size_t start;   /* values before are of no more use */
	size_t settled; /* changes before that index will stay */
	struct rarog_changes changes;
};

void rarog_change_scan_release(struct rarog_change_scan *scan);

/**
 * rarog_change_scan() - the changes of a series of any length, going on from an earlier scan
 * @n: length of the whole series
 * @first: @x[0] is value @first of the series, at most @scan->start
 * @x: n - first values
 * @scan: goes on; to be kept with the series for the next time
 * @ret_changes: all of them, settled or not; released by the caller
 *
 * The same as from the beginning, and no more than one and a half windows are read for a new value.
 * Errors as above.
 */
int rarog_change_scan(size_t n, size_t first, const double x[], struct rarog_change_scan *scan,
		      struct rarog_changes *ret_changes);

/** rarog_change_settle() - only as far as changes are final: what is left has at most
 * RAROG_CHANGES_WINDOW values. As above. */
int rarog_change_settle(size_t n, size_t first, const double x[], struct rarog_change_scan *scan);

#endif
