/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looking at the results while runs are still being made: alpha is spent over the looks, so that
 * the chance of any false alarm stays at alpha however often one looks and stops.
 */
#ifndef RAROG_NUM_SPENDING_H
#define RAROG_NUM_SPENDING_H

#include <stddef.h>

enum rarog_spending {
	/* almost nothing early, nearly all of alpha at the end: 2 - 2 Φ(Φ⁻¹(1 - α/2) / √t) */
	RAROG_SPENDING_OBRIEN_FLEMING,
	/* evenly: α ln(1 + (e - 1) t) */
	RAROG_SPENDING_POCOCK,
};

/** rarog_spending_spent() - part of @alpha (of one tail) spent at information time @t, 0 ≤ t ≤ 1 */
double rarog_spending_spent(enum rarog_spending spending, double alpha, double t);

#define RAROG_SPENDING_LOOKS_MAX 100
#define RAROG_SPENDING_STEP      0.002 /* looks nearer to each other are refused */

/**
 * rarog_spending_bounds() - at which |z| to stop at each look
 * @alpha: chance of any false alarm, both tails together
 * @looks: 1 … RAROG_SPENDING_LOOKS_MAX
 * @time: time[looks], ascending share of the planned information in (0, 1], e.g. runs made over
 * most runs. The last may be below 1 (stopped early by the clock): what is left is not spent. Looks
 * need not be planned: the bound at a look depends only on it and the looks before.
 * @ret_bounds: bounds[looks]; the sum of z's over runs stops at look k when |z| ≥ bound k. A bound
 * that would lie beyond 8.2 is infinite: no stop at that look, its alpha stays for the next
 *
 * The z of look k is that of all runs so far; increments must be independent and near normal
 * (means; also rank tests), which from about 8 runs a side on they are. For exact small-sample
 * tests compare p with 2 Q(bound) instead.
 *
 * Each tail gets α/2; the joint distribution by the recursive integral of Armitage, McPherson and
 * Rowe 1969 with Simpson's rule. Source: Lan, DeMets, "Discrete sequential boundaries", Biometrika
 * 70, 1983; Jennison, Turnbull, Group Sequential Methods, 7 and 19.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int rarog_spending_bounds(enum rarog_spending spending, double alpha, size_t looks,
			  const double time[], double ret_bounds[]);

#endif
