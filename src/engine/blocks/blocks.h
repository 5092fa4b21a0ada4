/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks collector: one run of a program that rarog cc compiled, into one profile. */
#ifndef RAROG_ENGINE_BLOCKS_BLOCKS_H
#define RAROG_ENGINE_BLOCKS_BLOCKS_H

#include "base/json-writer.h"
#include "engine/steps.h"

/** rarog_blocks_write_parameters() - members "collector", "engine" and "parameters" of the header.
 */
void rarog_blocks_write_parameters(struct rarog_json *json, const struct rarog_plan *plan);

/* Processes that the program leaves behind are counted as far as they have come. Where nothing was
 * counted there is no profile: -ENODATA. */
extern const struct rarog_engine_steps rarog_blocks_steps;

#endif
