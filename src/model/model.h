/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models: how an amount y (time, bytes) depends on an x (structure size, workload number, call
 * order). A family is one file and one line in rarog_model_families; parametric ones have
 * coefficients, the others are a curve through knots.
 *
 *   struct rarog_models models;
 *   r = rarog_models_fit(n, x, y, &models);
 *   const struct rarog_model *best = rarog_models_best(&models, RAROG_MODEL_AICC, true);
 */
#ifndef RAROG_MODEL_MODEL_H
#define RAROG_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#define RAROG_MODEL_COEFFICIENTS 4
#define RAROG_MODEL_FAMILIES_MAX 16

/* Complexity classes, by how fast they grow. */
enum rarog_growth {
	RAROG_GROWTH_CONSTANT,
	RAROG_GROWTH_LOGARITHMIC,
	RAROG_GROWTH_LINEAR,
	RAROG_GROWTH_LINEARITHMIC,
	RAROG_GROWTH_QUADRATIC,
	RAROG_GROWTH_CUBIC,
	RAROG_GROWTH_POWER, /* of a higher degree */
	RAROG_GROWTH_EXPONENTIAL,
};

/** rarog_growth_names - "constant", "logarithmic" …; NULL at the end. */
extern const char *const rarog_growth_names[];

struct rarog_model;

struct rarog_model_family {
	const char *name;      /* "quadratic" */
	const char *formula;   /* "b0 + b1 x + b2 x^2" */
	size_t n_coefficients; /* 0: non-parametric */
	/* Sets the coefficients or knots. x is sorted, n at least 3. -EDOM: the family does not fit
	 * such data; -ENOMEM. */
	int (*fit)(size_t n, const double x[], const double y[], struct rarog_model *model);
	double (*value)(const struct rarog_model *model, double x);
	/* The mean over from < to, exactly; NULL: by quadrature. */
	double (*mean)(const struct rarog_model *model, double from, double to);
	/* How fast this one grows, its coefficients considered; NULL: non-parametric. */
	enum rarog_growth (*growth)(const struct rarog_model *model);
};

/** rarog_model_families - parametric ones from few to many coefficients, then the others; NULL at
 * the end. */
extern const struct rarog_model_family *const rarog_model_families[];

/** rarog_model_family() - by its name; NULL: there is none. */
const struct rarog_model_family *rarog_model_family(const char *name);

struct rarog_model {
	const struct rarog_model_family *family;
	double b[RAROG_MODEL_COEFFICIENTS];
	double x_start, x_end; /* of the points it was fitted to */
	double x_floor;        /* below this x (logarithm of 0) the curve is level */
	size_t n;              /* points; 0: fitted elsewhere */
	double r2;             /* on the scale of y, whatever was fitted; rarog_r2() */
	double residual_ss, aicc;
	size_t n_knots; /* non-parametric: knots x[n_knots], y[n_knots] */
	double *knots_x, *knots_y;
};

/**
 * rarog_model_fit() - fit one family
 * @n: points, at least 3
 * @x: x[n], sorted
 *
 * The r2 of data without variance is 1 if the model goes through them.
 *
 * Return: 0; -EDOM the data do not determine such a model (the message says why); -EINVAL not
 * finite, not sorted; -ENOMEM.
 */
int rarog_model_fit(const struct rarog_model_family *family, size_t n, const double x[],
		    const double y[], struct rarog_model *ret_model);
void rarog_model_release(struct rarog_model *model);

double rarog_model_value(const struct rarog_model *model, double x);

/** rarog_model_mean() - the mean of the curve over @from < @to, which is its integral by to - from:
 * 0; -EDOM it is not finite there; -ENOMEM. */
int rarog_model_mean(const struct rarog_model *model, double from, double to, double *ret_mean);

/** rarog_model_growth() - its complexity class: a quadratic with nothing in front of x² is linear,
 * a power counts by its exponent. Non-parametric: constant. */
enum rarog_growth rarog_model_growth(const struct rarog_model *model);

/* --- all families of the same points --- */

struct rarog_models {
	size_t n;
	struct rarog_model v[RAROG_MODEL_FAMILIES_MAX];
};

enum rarog_model_rule {
	RAROG_MODEL_AICC, /* the corrected information criterion, simple models first */
	RAROG_MODEL_R2,   /* the most of the variance, however many coefficients it takes */
};

/** rarog_models_fit() - every family that fits such data, in the order of the table. Fewer than 3
 * points: none. 0; -EINVAL, -ENOMEM. */
int rarog_models_fit(size_t n, const double x[], const double y[], struct rarog_models *ret_models);
void rarog_models_release(struct rarog_models *models);

/** rarog_models_find() - the model of a family, NULL: none. */
const struct rarog_model *rarog_models_find(const struct rarog_models *models, const char *family);

/**
 * rarog_models_best() - the one to believe; NULL: there is none of that kind
 *
 * By AICc: more coefficients must lower the criterion by more than 2 (less is no evidence: Burnham,
 * Anderson 2002) and explain at least a fifth of what was left and a thousandth of all, which is
 * what keeps thousands of points from turning every line into a parabola. Of non-parametric ones,
 * which have no criterion, the largest r2. Models fitted elsewhere are compared by
 * r2; if none reaches 0.1, the constant is taken.
 */
const struct rarog_model *rarog_models_best(const struct rarog_models *models,
					    enum rarog_model_rule rule, bool is_parametric);

/**
 * rarog_models_rivals() - the growths, other than that of @best, that the points do not exclude
 * @ret_nearest: the first of them by AICc; untouched if there is none
 *
 * Models of at least two coefficients, and no more than it has, whose AICc is at most 10 larger. 2
 * would be enough if errors were of one size; those of times grow with the times, and the true one
 * of 400 was 5 to 9 behind in every twentieth (doc/design/methods.md). Return: 1 << growth for
 * each.
 */
unsigned rarog_models_rivals(const struct rarog_models *models, const struct rarog_model *best,
			     enum rarog_growth *ret_nearest);

/**
 * rarog_models_trust() - how well @model speaks for its points, 0 … 1
 *
 * Its r2; a constant, whose r2 is 0 by definition, is trusted as far as no other model of two
 * coefficients explains what it leaves: 1 - their largest r2. (More would follow the noise of a few
 * points.)
 */
double rarog_models_trust(const struct rarog_models *models, const struct rarog_model *model);

#endif
