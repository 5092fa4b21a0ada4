/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A judge of places for tests: RAROG_TEST_PLACES="leaf=pruned odd=count even=sample:5" names
 * functions, and what is to be done at them.
 */
#ifndef RAROG_PLAN_PLACE_TEST_H
#define RAROG_PLAN_PLACE_TEST_H

#include "plan/plan.h"

/** rarog_place_test() - let it judge @plan if the environment asks for it. 0; -EINVAL: it asks for
 * something else. */
int rarog_place_test(struct rarog_plan *plan);

#endif
