/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How cost grows in two versions: another class, or the same x that costs more than either model
 * expects. It does not matter whether both versions got the same x.
 */
#ifndef RAROG_CHECK_GROWTH_H
#define RAROG_CHECK_GROWTH_H

#include "check/effect.h"
#include "check/model-method.h"
#include "model/estimate.h"

struct rarog_growth_pair {
	const struct rarog_modelled *of[2]; /* of like x and y, by side */
	const char *x;                      /* what formulas call it */
	bool is_exact;                      /* y has no noise: counts */
	bool is_of_growth_alone;            /* what costs more at each x alike is said elsewhere */
	struct rarog_effect effect;
};

/**
 * rarog_growth_judge() - at x that both versions have
 *
 * A class that both models state and that is another one is a change for sure if at the largest
 * common x each version lies outside of the interval in which the other one expects a measurement;
 * so is, whatever the classes, what costs twice as much more at the largest x as at the smallest.
 * Within a class this is a maybe, since measurements of one run have its machine in common; of
 * counts it is sure. What sittings do is not looked at here.
 */
void rarog_growth_judge(const struct rarog_growth_pair *pair, struct rarog_model_word *ret_word);

#endif
