/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace collector's engine vex: one run under the Valgrind tool, into one profile. */
#ifndef RAROG_ENGINE_VEX_VEX_H
#define RAROG_ENGINE_VEX_VEX_H

#include "base/json-writer.h"
#include "engine/steps.h"

/** rarog_vex_write_parameters() - members "collector", "engine", "detail" and "parameters" of the
 * header. */
void rarog_vex_write_parameters(struct rarog_json *json, const struct rarog_plan *plan);

extern const struct rarog_engine_steps rarog_vex_steps;

#endif
