/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sample collector: where the threads of a run are, looked at many times a second by the
 * kernel, into one profile. Nothing is put into the program. */
#ifndef RAROG_ENGINE_SAMPLE_SAMPLE_H
#define RAROG_ENGINE_SAMPLE_SAMPLE_H

#include "base/json-writer.h"
#include "engine/sample/options.h"
#include "engine/steps.h"

/** rarog_sample_write_parameters() - members "collector", "engine" and "parameters" of the header.
 */
void rarog_sample_write_parameters(struct rarog_json *json, const struct rarog_plan *plan,
				   const struct rarog_sample_options *options);

/** rarog_sample_options_of() - those of @plan. */
struct rarog_sample_options rarog_sample_options_of(const struct rarog_plan *plan);

extern const struct rarog_engine_steps rarog_sample_steps;

#endif
