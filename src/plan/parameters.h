/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plan asks for, in the header of a profile. */
#ifndef RAROG_PLAN_PARAMETERS_H
#define RAROG_PLAN_PARAMETERS_H

#include "base/json-writer.h"
#include "plan/plan.h"

/** rarog_plan_write_collector() - members "collector" and "engine" of the header of a run under
 * @plan. */
void rarog_plan_write_collector(struct rarog_json *json, const char *engine,
				const struct rarog_plan *plan);

/** rarog_plan_write() - members "collector", "engine", "detail" and "parameters" of the header of a
 * run under @plan by an engine that follows plans. */
void rarog_plan_write(struct rarog_json *json, const char *engine, const struct rarog_plan *plan);

/** rarog_plan_write_values() - of "parameters" the member "values". */
void rarog_plan_write_values(struct rarog_json *json, const struct rarog_value_requests *requests);

#endif
