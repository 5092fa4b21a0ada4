/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear models: y = b(0) c(0) + b(1) c(1) + … where columns c are whatever a model makes of x.
 */
#ifndef RAROG_NUM_LEAST_SQUARES_H
#define RAROG_NUM_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

struct rarog_fit {
	size_t n, p;               /* observations, coefficients */
	double *b, *error;         /* p each: coefficients and their standard errors */
	double *covariance;        /* p × p of the coefficients, row by row */
	double *fitted;            /* n */
	double residual_ss;        /* Σ (y - fitted)² */
	double residual_deviation; /* √(residual_ss / (n - p)); 0 when n = p */
	double r2, adjusted_r2;    /* see rarog_r2(); adjusted for the number of coefficients */
	double aicc; /* see rarog_aicc() with p + 1 parameters (the variance counts) */
};

/**
 * rarog_least_squares() - fit by ordinary least squares
 * @n: observations, at least @p
 * @p: coefficients, at least 1
 * @columns: n × p, row by row; a constant is a column of ones
 * @y: y[n]
 * @has_constant: r2 is about the mean of y, else about 0
 * @ret_fit: released by the caller with rarog_fit_release()
 *
 * By singular values of the balanced matrix (GSL), so that columns of unlike size do no harm.
 * Oracle: NIST StRD, linear regression.
 *
 * Return: 0; -EDOM when n < p or the columns depend on each other (singular values below 1e-15 of
 * the largest); -EINVAL, -ENOMEM.
 */
int rarog_least_squares(size_t n, size_t p, const double columns[], const double y[],
			bool has_constant, struct rarog_fit *ret_fit);
void rarog_fit_release(struct rarog_fit *fit);

/** rarog_fit_predict() - value and standard error of the mean at columns row[p] */
void rarog_fit_predict(const struct rarog_fit *fit, const double row[], double *ret_value,
		       double *ret_error);

/**
 * rarog_r2() - coefficient of determination on the scale of y, also of models that were fitted on
 * another (logarithms): 1 - Σ (y - fitted)² / Σ (y - mean)²
 * @about_mean: else the denominator is Σ y²
 *
 * Source: Kvålseth, "Cautionary note about R²", Am. Stat. 39, 1985 (his first definition).
 * Return: NAN when y has no variance; may be negative when the model is worse than the mean.
 */
double rarog_r2(size_t n, const double y[], const double fitted[], bool about_mean);

/**
 * rarog_aicc() - n ln(residual_ss / n) + 2k + 2k (k+1) / (n - k - 1)
 * @k: parameters estimated, the variance included; of smoothers, what they count for
 *
 * Smaller is better; only differences between models of the same y mean anything.
 * Source: Hurvich, Tsai, Biometrika 76, 1989. Return: INFINITY when n ≤ k + 1; -INFINITY for a
 * perfect fit.
 */
double rarog_aicc(double n, double k, double residual_ss);

#endif
