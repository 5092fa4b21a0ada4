/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dynamic probing: a place that has been called so often is off from there on; or for a while, and
 * is on again until it has been called as often again, each while twice as long as the one before.
 */
#ifndef RAROG_PLAN_PROBING_H
#define RAROG_PLAN_PROBING_H

#include "base/json-writer.h"
#include "plan/budget.h"
#include "plan/plan.h"

/** rarog_probing_step() - as rarog_budget_step(), of the same places. */
void rarog_probing_step(struct rarog_budget *budget, const struct rarog_probing *probing,
			double ran_ns, void (*change)(void *user, uint32_t number, uint32_t word),
			void *user);

/** rarog_probing_write() - member "dynamic_probing" of a profile's header; nothing if it was not
 * on. */
void rarog_probing_write(struct rarog_json *json, const struct rarog_probing *probing,
			 uint64_t changes);

#endif
