/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models: how an amount y (time, bytes) depends on an x (structure size, workload number, call
 * order). A family is one file and one line in rarog_model_families; parametric ones have
 * coefficients, the others are a curve through knots. All are fitted on the scale of y itself.
 *
 *   struct rarog_models models;
 *   struct rarog_choice choice;
 *   r = rarog_models_fit(n, x, y, &(struct rarog_model_options){ .errors = RAROG_ERRORS_AUTO },
 *                        &models);
 *   rarog_models_choose(&models, RAROG_MODEL_AICC, &choice);
 */
#ifndef RAROG_MODEL_MODEL_H
#define RAROG_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/options.h"

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
	RAROG_GROWTH_POWER, /* none of the others: model.b[1] is its exponent */
	RAROG_GROWTH_EXPONENTIAL,
};

/** rarog_growth_names - "constant", "logarithmic" …; NULL at the end. */
extern const char *const rarog_growth_names[];

struct rarog_model;
struct rarog_data;

struct rarog_model_family {
	const char *name;      /* "quadratic" */
	const char *formula;   /* "b0 + b1 x + b2 x^2"; NULL: non-parametric */
	size_t n_coefficients; /* 0: non-parametric */
	/* Sets coefficients and their covariance, or knots. x is sorted, n at least 3. -EDOM: the
	 * family does not fit such data; -ENOMEM. */
	int (*fit)(const struct rarog_data *data, struct rarog_model *model);
	double (*value)(const struct rarog_model *model, double x);
	/* How the value changes with each coefficient: bands come from it. NULL: non-parametric. */
	void (*gradient)(const struct rarog_model *model, double x, double row[]);
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
	double error[RAROG_MODEL_COEFFICIENTS]; /* standard errors of b; NAN: n is too small */
	double covariance[RAROG_MODEL_COEFFICIENTS * RAROG_MODEL_COEFFICIENTS]; /* of b, p × p */
	double shape;          /* as it was searched (family.h), of those that have one */
	double x_start, x_end; /* of the points it was fitted to */
	double x_floor;        /* below this x (logarithm of 0) the curve is level */
	size_t n;              /* points; 0: fitted elsewhere */
	size_t left_out;       /* of them, without a logarithm that it takes */
	double r2;             /* on the scale of y, whatever was weighted; rarog_r2() */
	double r2_logs;        /* fitted by logarithms: theirs, which is Perun's; else NAN */
	double rmse;           /* √(residual_ss / n), in the unit of y */
	double residual_ss;    /* Σ (y - fitted)² */
	double aicc;           /* of the weighted residuals: only of the same points and errors */
	double cv; /* √ of the mean square of each (weighted) y from what the others foretell */
	/* The deviation of one y from the curve is deviation · value^error_power. */
	double deviation, error_power;
	double parameters; /* coefficients, or what a smoother takes for one: its trace */
	double freedom;    /* degrees of freedom of .deviation: n - parameters */
	size_t n_knots;    /* non-parametric: knots x[n_knots], y[n_knots] */
	double *knots_x, *knots_y;
	double *knots_error;     /* standard error of knots_y; NAN: unknown */
	double *knots_deviation; /* how far one y is from the curve there */
	double *knots_count;     /* points (or their weights) of each; 0: an empty bucket */
	double width;            /* of a bucket, of the window in points, or the bandwidth */
	const char *words;       /* before the width: "medians of buckets, width"; static */
};

/**
 * rarog_model_fit() - fit one family
 * @n: points, at least 3; any number: a million take less than a second
 * @x: x[n], sorted
 * @options: NULL: the defaults
 *
 * The r2 of data without variance is 1 if the model goes through them.
 *
 * Return: 0; -EDOM the data do not determine such a model (the message says why); -EINVAL not
 * finite, not sorted, an option out of its range; -ENOMEM.
 */
int rarog_model_fit(const struct rarog_model_family *family, size_t n, const double x[],
		    const double y[], const struct rarog_model_options *options,
		    struct rarog_model *ret_model);
void rarog_model_release(struct rarog_model *model);

double rarog_model_value(const struct rarog_model *model, double x);

/** rarog_model_mean() - the mean of the curve over @from < @to, which is its integral by to - from:
 * 0; -EDOM it is not finite there; -ENOMEM. */
int rarog_model_mean(const struct rarog_model *model, double from, double to, double *ret_mean);

/** rarog_model_growth() - its complexity class: a quadratic with nothing in front of x² is linear,
 * a power counts by its exponent. Non-parametric: constant. */
enum rarog_growth rarog_model_growth(const struct rarog_model *model);

/** rarog_model_interval() - of coefficient @i, by Student's t. NAN if it has no error. */
void rarog_model_interval(const struct rarog_model *model, size_t i, double level, double *ret_low,
			  double *ret_high);

struct rarog_band {
	double value;
	double low, high;         /* of the curve itself */
	double low_one, high_one; /* of one more y: what is to be expected of a measurement */
	double beyond;            /* how many times x lies outside of the points' range: 1 inside;
				     x / x_end, or x_start / x (spans where they are not above 0) */
};

/** rarog_model_band() - the curve at @x with its uncertainty; NAN where there is none to give. */
void rarog_model_band(const struct rarog_model *model, double x, double level,
		      struct rarog_band *ret_band);

/** rarog_model_text() - "12.1 + 0.502 n^2", @x is the name of the variable. Non-parametric: "means
 * of 14 buckets". Returns @text. */
const char *rarog_model_text(const struct rarog_model *model, const char *x, size_t size,
			     char text[size]);

/* --- all families of the same points --- */

struct rarog_models {
	size_t n;
	struct rarog_model v[RAROG_MODEL_FAMILIES_MAX];
	double error_power; /* that they were fitted with */
	/* Σ w (y - mean of its x)² and its degrees of freedom: what repeats at one x differ by,
	 * which no function of x explains. 0: nothing was repeated. */
	double pure_ss, pure_freedom;
	bool are_counts; /* as the options said */
	double repeats;
};

enum rarog_model_rule {
	RAROG_MODEL_AICC, /* the corrected information criterion, simple models first */
	RAROG_MODEL_R2,   /* the most of the variance, however many coefficients it takes */
	RAROG_MODEL_CV,   /* the smallest error on points that it was not fitted to */
};

/** rarog_models_fit() - every family that fits such data, in the order of the table. Fewer than 3
 * points: none. @options: NULL: the defaults. 0; -EINVAL, -ENOMEM. */
int rarog_models_fit(size_t n, const double x[], const double y[],
		     const struct rarog_model_options *options, struct rarog_models *ret_models);
void rarog_models_release(struct rarog_models *models);

/** rarog_models_find() - the model of a family, NULL: none. */
const struct rarog_model *rarog_models_find(const struct rarog_models *models, const char *family);

/**
 * rarog_models_best() - the one to believe; NULL: there is none of that kind
 *
 * By AICc: more coefficients must lower the criterion by more than 2 (less is no evidence: Burnham,
 * Anderson 2002) and explain at least a fifth of what was left and a thousandth of all (or nearly
 * all of what was left), which is what keeps thousands of points from turning every line into a
 * parabola. Of non-parametric ones,
 * which have no criterion, the largest r2. Models fitted elsewhere are compared by
 * r2; if none reaches 0.1, the constant is taken.
 */
const struct rarog_model *rarog_models_best(const struct rarog_models *models,
					    enum rarog_model_rule rule, bool is_parametric);

/* So far behind the best of all, a model of no more coefficients is excluded. */
#define RAROG_CHOICE_EXCLUDED 8.0

/* One family, and what speaks for it. */
struct rarog_candidate {
	const struct rarog_model *model;
	enum rarog_growth growth;
	double behind; /* of the criterion, to the first: AICc, or the error as a factor - 1 */
	double weight; /* how well the points speak for it: all candidates' sum is 1 */
	bool is_rival; /* of another class than the best, and not excluded */
};

struct rarog_choice {
	const struct rarog_model *best; /* NULL: there is none */
	enum rarog_growth growth;       /* of the best */
	bool is_told;                   /* the class is certain enough to be stated */
	double certainty;               /* the weight of all candidates of that class */
	size_t n;
	struct rarog_candidate candidates[RAROG_MODEL_FAMILIES_MAX]; /* parametric, best first */
	char reason[200];                                            /* !is_told: why not */
};

/**
 * rarog_models_choose() - the parametric model to believe, and whether its class can be stated
 * @rule: RAROG_MODEL_R2 always states one, as Perun does
 *
 * A class is stated when no simpler or equally large model of another class comes near, when the
 * term that makes it is there beyond doubt, and when the model leaves no more than repeated
 * measurements of one x differ by. Else "cannot tell", with the reason: of classes that are stated
 * 95 of 100 are to be right (doc/design/models.md has the trials).
 */
void rarog_models_choose(const struct rarog_models *models, enum rarog_model_rule rule,
			 struct rarog_choice *ret_choice);

/**
 * rarog_models_trust() - how well @model speaks for its points, 0 … 1
 *
 * Its r2; a constant, whose r2 is 0 by definition, is trusted as far as no other model of two
 * coefficients explains what it leaves: 1 - their largest r2. (More would follow the noise of a few
 * points.)
 */
double rarog_models_trust(const struct rarog_models *models, const struct rarog_model *model);

#endif
