/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Best-model order: does the function belong to another class of complexity? How steep a curve
 * of the same class is does not matter here.
 */
#include <stdio.h>

#include "check/model-method.h"

enum { TRUST, RULE, STORED };

static const struct rarog_threshold thresholds[] = {
	[TRUST] = { "trust", 0.9, 0, 1, "least R2 of both models" },
	[RULE] = RAROG_THRESHOLD_RULE,
	[STORED] = RAROG_THRESHOLD_STORED,
	{ .name = NULL },
};

static enum rarog_class compare(enum rarog_growth baseline, enum rarog_growth target)
{
	if (baseline == target)
		return RAROG_CLASS_NO_CHANGE;
	return target > baseline ? RAROG_CLASS_DEGRADATION : RAROG_CLASS_OPTIMIZATION;
}

static int judge(const struct rarog_model_pair *pair, const double t[],
		 struct rarog_model_word *word)
{
	enum rarog_growth baseline = rarog_model_growth(pair->model[0]);
	enum rarog_growth target = rarog_model_growth(pair->model[1]);
	double trust = rarog_model_pair_trust(pair);
	bool is_sure = trust >= t[TRUST];

	word->class = compare(baseline, target);
	if (word->class != RAROG_CLASS_NO_CHANGE && !is_sure)
		word->class = RAROG_CLASS_UNKNOWN;
	snprintf(word->reason, sizeof(word->reason), "%s (%s) before, %s (%s) now, R2 %.2f%s",
		 rarog_growth_names[baseline], pair->model[0]->family->name,
		 rarog_growth_names[target], pair->model[1]->family->name, trust,
		 is_sure ? "" : ": no model fits well enough");
	return 0;
}

RAROG_MODEL_METHOD(order, judge, RAROG_CHOICE_PARAMETRIC, "best-model-order", "BMOE",
		   "another class of complexity: linear before, quadratic now");
