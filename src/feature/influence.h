/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Influence of options on an amount: y = b0 + Σ bi ci + Σ bij ci cj + …, from few configurations.
 * A switch is 0 or 1. An option with other values than numbers is a switch for each value but the
 * first; of a number also its square, root and logarithm may be terms, and steps: 1 from a value
 * on. Source: Siegmund, Grebhahn, Apel, Kästner: Performance-Influence Models, ESEC/FSE 2015.
 */
#ifndef RAROG_FEATURE_INFLUENCE_H
#define RAROG_FEATURE_INFLUENCE_H

#include "base/vec.h"
#include "num/least-squares.h"
#include "store/configuration.h"

#define RAROG_INFLUENCE_TERMS 40 /* at most */

struct rarog_influence_run {
	struct rarog_configuration configuration;
	double y;
};

enum rarog_influence_shape {
	RAROG_INFLUENCE_VALUE, /* the number, or 1 if the option has the value */
	RAROG_INFLUENCE_SQUARE,
	RAROG_INFLUENCE_ROOT,
	RAROG_INFLUENCE_LOG, /* of 1 and the number */
	RAROG_INFLUENCE_SHAPES,
	RAROG_INFLUENCE_STEP = RAROG_INFLUENCE_SHAPES, /* 1 if the number is at least the value */
};

/* One option in one shape. */
struct rarog_influence_factor {
	char *option, *value; /* value: NULL: it is a number or a truth; else see .shape */
	uint8_t shape;        /* enum rarog_influence_shape */
};

/* What was measured of an option. */
struct rarog_influence_option {
	char *name;
	char *first; /* its first value */
	size_t n_values;
	bool is_number; /* a truth is 0 or 1 */
	double low, high;
};

struct rarog_influence_term {
	size_t n;           /* factors; 0: the constant */
	uint32_t factor[3]; /* numbers of them, ascending */
};

struct rarog_influence {
	RAROG_VEC(struct rarog_influence_option) options;
	RAROG_VEC(struct rarog_influence_factor) factors;
	RAROG_VEC(struct rarog_influence_term) terms; /* the first is the constant */
	struct rarog_fit fit;                         /* a coefficient a term */
	size_t n_configurations;
	double freedom;   /* of the intervals, of configurations; 0: there are none */
	double deviation; /* of a single run from what is told; NAN: not known */
	double own_error; /* mean error on what was measured, as a part of its mean amount */
	double cv_error;  /* … of each configuration, told from the others; NAN: not to be told */
	size_t n_cv;      /* how many could be told so */
};

/**
 * rarog_influence_fit() - choose terms and fit them
 *
 * Terms are added one after the other, the best first, an interaction with what it consists of; the
 * corrected Akaike criterion says when there are enough, of means of configurations. Of fewer than
 * 8 of these the errors themselves do. Of options with more than two values there are fewer terms
 * than configurations. Return: 0; -EDOM: fewer than two configurations; -ENOMEM; with message.
 * Release in any case.
 */
int rarog_influence_fit(size_t n, const struct rarog_influence_run runs[n],
			struct rarog_influence *ret_influence);
void rarog_influence_release(struct rarog_influence *influence);

/** rarog_influence_predict() - @ret_half: of the 95 % interval of a single run, NAN: not known. 0;
 * -EINVAL with message: an option is not said, is none of the runs', or has a value that is not
 * known. Warns of numbers beyond what was measured, and of those where a step is. */
int rarog_influence_predict(const struct rarog_influence *influence,
			    const struct rarog_configuration *configuration, double *ret_y,
			    double *ret_half);

/** rarog_influence_in_gap() - does the model have a step between two measured numbers of @option
 * and
 * @number lies between them? Where in there the step is nobody knows. */
bool rarog_influence_in_gap(const struct rarog_influence *influence, const char *option,
			    double number, double *ret_low, double *ret_high);

/** rarog_influence_half() - of the 95 % interval of coefficient @term; NAN: not known. */
double rarog_influence_half(const struct rarog_influence *influence, size_t term);

/** rarog_influence_name() - append "A*B", "level^2", "mode=fast"; "1" of the constant. 0, -ENOMEM.
 */
int rarog_influence_name(const struct rarog_influence *influence, size_t term,
			 struct rarog_str *text);

#endif
