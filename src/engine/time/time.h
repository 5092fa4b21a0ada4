/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time collector: one run of a program as it is, nothing in it, and what the kernel says of it
 * at its end. */
#ifndef RAROG_ENGINE_TIME_TIME_H
#define RAROG_ENGINE_TIME_TIME_H

#include "base/json-writer.h"
#include "engine/steps.h"

/** rarog_time_write_parameters() - members "collector", "engine" and "parameters" of the header. */
void rarog_time_write_parameters(struct rarog_json *json, const struct rarog_plan *plan);

/* The profile is a header: "end" has the amounts. */
extern const struct rarog_engine_steps rarog_time_steps;

#endif
