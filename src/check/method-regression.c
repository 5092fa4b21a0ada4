/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three checks of parametric models: the size of the change is the typical ratio of both curves
 * along x, and its kind what their difference does as x grows. They differ in how that is told:
 *
 *   polynomial   the lowest degree of a polynomial that the difference follows
 *   linear       from the straight lines through both sides alone
 *   fast         the family that fits the difference best
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "check/contrast.h"
#include "check/model-method.h"

enum { MAYBE, SURE, RESIDUAL, RULE, STORED };

static const struct rarog_threshold thresholds[] = {
	[MAYBE] = { "maybe", 0.05, 0, 1e6, "a change by more than that is maybe one" },
	[SURE] = { "sure", 0.25, 0, 1e6, "a change by more than that is one" },
	[RESIDUAL] = { "residual", 0.05, 0, 1, "what may be left of a difference that is told" },
	[RULE] = RAROG_THRESHOLD_RULE,
	[STORED] = RAROG_THRESHOLD_STORED,
	{ .name = NULL },
};

static const char *const kinds[] = {
	[RAROG_DIFFERENCE_NONE] = "none",
	[RAROG_DIFFERENCE_CONSTANT] = "constant",
	[RAROG_DIFFERENCE_LINEAR] = "linear",
	[RAROG_DIFFERENCE_QUADRATIC] = "quadratic",
	[RAROG_DIFFERENCE_OTHER] = "of another kind",
};

/* Slower here, faster there: the mean may hide it; what counts is where inputs grow to. */
static enum rarog_class class_of(const struct rarog_contrast *c, const double t[])
{
	enum rarog_class class = rarog_class_of_ratio(c->typical_ratio, t[MAYBE], t[SURE]);
	enum rarog_class end = rarog_class_of_ratio(c->end_ratio, t[MAYBE], t[SURE]);

	if (class != RAROG_CLASS_NO_CHANGE || rarog_class_is_certain(end) == false)
		return class;
	if (end == RAROG_CLASS_DEGRADATION)
		return RAROG_CLASS_MAYBE_DEGRADATION;
	return end == RAROG_CLASS_OPTIMIZATION ? RAROG_CLASS_MAYBE_OPTIMIZATION : class;
}

static int say(const struct rarog_model_pair *pair, const struct rarog_contrast *c,
	       const double t[], const char *kind, struct rarog_model_word *word)
{
	word->baseline = c->baseline;
	word->target = c->target;
	word->relative = c->typical_ratio - 1;
	word->class = class_of(c, t);
	snprintf(word->reason, sizeof(word->reason),
		 "%s against %s over %g to %g, R2 %.2f; the difference is %s",
		 pair->model[1]->family->name, pair->model[0]->family->name, c->from, c->to,
		 rarog_model_pair_trust(pair), kind);
	return 0;
}

static int judge_polynomial(const struct rarog_model_pair *pair, const double t[],
			    struct rarog_model_word *word)
{
	enum rarog_trend_kind kind = RAROG_DIFFERENCE_NONE;
	struct rarog_contrast c;
	int r = rarog_contrast(pair->model[0], pair->model[1], &c);

	if (r == 0)
		r = rarog_difference_polynomial(pair->model[0], pair->model[1], &c, t[RESIDUAL],
						&kind);
	return r < 0 ? r : say(pair, &c, t, kinds[kind], word);
}

static int judge_fast(const struct rarog_model_pair *pair, const double t[],
		      struct rarog_model_word *word)
{
	const struct rarog_model_family *family = NULL;
	enum rarog_trend_kind kind = RAROG_DIFFERENCE_NONE;
	struct rarog_contrast c;
	int r = rarog_contrast(pair->model[0], pair->model[1], &c);

	if (r == 0)
		r = rarog_difference_polynomial(pair->model[0], pair->model[1], &c, t[RESIDUAL],
						&kind);
	if (r == 0 && kind > RAROG_DIFFERENCE_CONSTANT)
		r = rarog_difference_family(pair->model[0], pair->model[1], &c,
					    rarog_model_method_rule(t[RULE]), &family);
	return r < 0 ? r : say(pair, &c, t, family ? family->name : kinds[kind], word);
}

static int judge_linear(const struct rarog_model_pair *pair, const double t[],
			struct rarog_model_word *word)
{
	struct rarog_model_pair lines = *pair;

	for (int side = 0; side < 2; side++)
		lines.model[side] = rarog_models_find(pair->all[side], "linear");
	if (!lines.model[0] || !lines.model[1])
		return rarog_fail(-EDOM, "no straight line fits");
	return judge_polynomial(&lines, t, word);
}

/* --- the table entries --- */

RAROG_MODEL_METHOD(polynomial, judge_polynomial, RAROG_CHOICE_PARAMETRIC, "polynomial-regression",
		   "PREG", "difference of the best models, by the degree of a polynomial");
RAROG_MODEL_METHOD(linear, judge_linear, RAROG_CHOICE_PARAMETRIC, "linear-regression", "LREG",
		   "difference of the straight lines through both sides");
RAROG_MODEL_METHOD(fast, judge_fast, RAROG_CHOICE_PARAMETRIC, "fast-regression", "FAST",
		   "difference of the best models, by the family that fits it");
