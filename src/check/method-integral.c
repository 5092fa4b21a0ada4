/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Integral comparison: how much more is below the target's curve than below the baseline's, over
 * the interval that both know.
 */
#include <stdio.h>

#include "check/contrast.h"
#include "check/model-method.h"

enum { MAYBE, SURE, TRUST, MODELS, RULE, STORED };

static const struct rarog_threshold thresholds[] = {
	[MAYBE] = { "maybe", 0.1, 0, 1e6, "a change by more than that is maybe one" },
	[SURE] = { "sure", 0.25, 0, 1e6, "a change by more than that is one" },
	[TRUST] = { "trust", 0.15, 0, 1, "least R2 of the models" },
	[MODELS] = { "models", 2, 0, 3, "0 best parametric, 1 best other, 2 both, 3 all families" },
	[RULE] = RAROG_THRESHOLD_RULE,
	[STORED] = RAROG_THRESHOLD_STORED,
	{ .name = NULL },
};

static int judge(const struct rarog_model_pair *pair, const double t[],
		 struct rarog_model_word *word)
{
	struct rarog_contrast c;
	double trust;
	int r = rarog_contrast(pair->model[0], pair->model[1], &c);

	if (r < 0)
		return r;
	trust = rarog_model_word_set(word, pair, &c, t[MAYBE], t[SURE], t[TRUST]);
	snprintf(word->reason, sizeof(word->reason), "%s against %s over %g to %g, R2 %.2f%s",
		 pair->model[1]->family->name, pair->model[0]->family->name, c.from, c.to, trust,
		 c.covered < 0.5 ? "; most x are on one side only" : "");
	return 0;
}

RAROG_MODEL_METHOD(integral, judge, (enum rarog_model_choice)t[MODELS], "integral-comparison",
		   "INT", "areas below the curves of time by input");
