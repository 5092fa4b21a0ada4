/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which combinations of its options a job is measured with, as .rarog.yml says it:
 *
 *   configurations: pair-wise           # feature-wise, random, regions, all (the usual)
 *   configurations:
 *     plan: random
 *     count: 20
 *     seed: 7
 *     model: features.yml               # what it forbids is never proposed
 *     program: build/prog               # regions: where its features are found
 */
#ifndef RAROG_RUN_CONFIGURATIONS_H
#define RAROG_RUN_CONFIGURATIONS_H

#include "run/matrix.h"

/* Numbers of combinations, see rarog_run_value_in(). */
struct rarog_run_chosen {
	RAROG_VEC(size_t) list;
};

/** rarog_run_configurations_check() - is @node well-formed? 0; -EINVAL with file:line:column. */
int rarog_run_configurations_check(const struct rarog_yaml *node);

/**
 * rarog_run_configurations_choose() - those of @matrix, in the order of its plan
 * @root: of the project, where paths begin; NULL: the current directory
 *
 * Return: 0; -EINVAL, -ENOENT, -EDOM, -E2BIG with message. Release in any case.
 */
int rarog_run_configurations_choose(const struct rarog_matrix *matrix, const char *root,
				    struct rarog_run_chosen *ret_chosen);
void rarog_run_chosen_release(struct rarog_run_chosen *chosen);

#endif
