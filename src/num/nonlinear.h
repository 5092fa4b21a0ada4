/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models that are not linear in their coefficients, by least squares on the scale of y. */
#ifndef RAROG_NUM_NONLINEAR_H
#define RAROG_NUM_NONLINEAR_H

#include <stdbool.h>
#include <stddef.h>

struct rarog_nonlinear {
	size_t n, p;               /* observations, coefficients */
	const double *y, *weights; /* weights NULL: 1 each */
	/* The model's value for observation @i at coefficients b[p]. */
	double (*value)(const void *arg, const double b[], size_t i);
	/* Its derivatives by each coefficient; NULL: by differences. */
	void (*gradient)(const void *arg, const double b[], size_t i, double row[]);
	const void *arg;
	bool is_near;  /* the start is: one way of going down is enough */
	size_t rounds; /* … and so many steps of it; 0: until it comes to rest */
};

struct rarog_nonlinear_fit {
	double residual_ss; /* Σ weights (y - value)² */
	double deviation;   /* √(residual_ss / (n - p)); 0 when n = p */
};

/**
 * rarog_nonlinear_fit() - least squares from a start
 * @b: b[p], the start; the best coefficients on success
 * @ret_covariance: p × p
 *
 * Levenberg-Marquardt of GSL with Moré's scaling and QR, until neither coefficients nor gradient
 * change by more than rounding; with geodesic acceleration and with the scaling of Levenberg and of
 * Marquardt too, the smallest sum counts.
 * Oracle: NIST StRD, nonlinear regression.
 *
 * Return: 0; -EDOM n < p, the model is not finite at the start, or no way leads down to a minimum;
 * -EINVAL, -ENOMEM.
 */
int rarog_nonlinear_fit(const struct rarog_nonlinear *problem, double b[], double ret_covariance[],
			struct rarog_nonlinear_fit *ret_fit);

#endif
