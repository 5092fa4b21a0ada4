/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many tests at once: adjusted p-values. Rejecting where the adjusted value is at most alpha keeps
 * the error rate of the procedure at alpha.
 */
#ifndef RAROG_NUM_MULTIPLE_H
#define RAROG_NUM_MULTIPLE_H

#include <stddef.h>

enum rarog_multiple {
	/* false-discovery rate, tests independent or positively dependent; Benjamini, Hochberg 1995
	 */
	RAROG_MULTIPLE_BH,
	/* false-discovery rate, any dependence; Benjamini, Yekutieli 2001 */
	RAROG_MULTIPLE_BY,
	/* any false rejection at all, any dependence; Holm 1979 */
	RAROG_MULTIPLE_HOLM,
};

/**
 * rarog_multiple_adjust() - q-values (BH, BY) or adjusted p-values (Holm)
 * @m: number of tests made, also those of no interest; 0 does nothing
 * @p: p[m], each in [0, 1]
 * @ret_q: q[m] in the order of @p; may be @p itself; set only on success
 *
 * With p sorted: BH min over j ≥ i of p(j) m/j; BY that times 1 + 1/2 + … + 1/m; Holm max over
 * j ≤ i of p(j) (m-j+1); each at most 1.
 *
 * Return: 0, -EINVAL if a p is not in [0, 1] or not a number, -ENOMEM.
 */
int rarog_multiple_adjust(enum rarog_multiple procedure, size_t m, const double p[],
			  double ret_q[]);

#endif
