/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks collector's engine rewrite: one run of a program whose functions are copied with
 * counters, into one profile. */
#ifndef RAROG_ENGINE_REWRITE_REWRITE_H
#define RAROG_ENGINE_REWRITE_REWRITE_H

#include "base/json-writer.h"
#include "engine/steps.h"

/** rarog_rewrite_write_parameters() - members "collector", "engine" and "parameters" of the
 * header. */
void rarog_rewrite_write_parameters(struct rarog_json *json, const struct rarog_plan *plan);

extern const struct rarog_engine_steps rarog_rewrite_steps;

#endif
