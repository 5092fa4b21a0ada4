/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arguments and results that the tool captures of the program's own functions. */
#ifndef RAROG_ENGINE_VEX_VALUES_H
#define RAROG_ENGINE_VEX_VALUES_H

#include "engine/vex/image.h"
#include "plan/plan.h"
#include "plan/value-table.h"

/* Zeroed: nothing is captured. */
struct rarog_vex_values {
	char path[PATH_MAX]; /* of the program, as the tool names it */
	struct rarog_binary *binary;
	struct rarog_wanted_values *of; /* by function of the binary */
	size_t n, n_wanted;             /* functions; of those, something is captured */
	struct rarog_value_table table;
	uint64_t unkept; /* calls whose values found no room */
};

/**
 * rarog_vex_values_choose() - what @plan wants of the functions of the program @path
 *
 * What is wanted and cannot be had is told in a warning each. Return: 0, -ENOMEM.
 */
int rarog_vex_values_choose(struct rarog_vex_values *values, const char *path,
			    struct rarog_plan *plan);

/** rarog_vex_values_ask() - write the file @path, which tells the tool. 0; -errno with message. */
int rarog_vex_values_ask(const struct rarog_vex_values *values, const char *path);

/**
 * rarog_vex_values_write() - what was captured
 * @maps: of the images of @harvest
 *
 * After the processes, whose order in the profile is that of the harvest.
 * Return: 0; negative with message.
 */
int rarog_vex_values_write(struct rarog_vex_values *values, const struct rarog_vex_harvest *harvest,
			   const struct rarog_vex_map maps[], struct rarog_profile_writer *writer);

void rarog_vex_values_release(struct rarog_vex_values *values);

#endif
