/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiles of `rarog model`: of one run, of many, of a range of versions. */
#ifndef RAROG_CMD_MODEL_PROFILES_H
#define RAROG_CMD_MODEL_PROFILES_H

#include "cmd/option-choice.h"
#include "cmd/project.h"
#include "model/normal-form.h"
#include "profile/reader.h"

struct rarog_model_operands {
	const char *job, *collector; /* only of these; NULL: of all */
	size_t n_x_options;          /* options that are x: in these alone they may differ */
	const char *x_options[RAROG_NORMAL_VARIABLES];
	bool is_any_x;      /* all options are, whichever there are: then there are none above */
	bool is_workload_x; /* then workloads may, too, where options are x */
	bool is_measured_x; /* what a run did is x, whatever it was given */
	const struct rarog_option_choice *options;
	size_t n;
	char *const *operands; /* files, profiles, versions, ranges; one may be a function */
};

/* Released before the project. */
struct rarog_model_profiles {
	const char *func; /* an operand that names no profile; NULL: none */
	bool has_named;   /* a profile was named; else all are of versions */
	RAROG_VEC(struct rarog_profile *) list;
	RAROG_VEC(struct rarog_hash) objects; /* of those that are in the store */
};

/**
 * rarog_model_profiles_open() - what @choice names
 *
 * Without profiles: the newest one of the store, with all others of the same version and job if its
 * workload has a number, or x is an option.
 *
 * Return: 0, one at least; -ENOENT, -EINVAL with message; as rarog_profile_open().
 */
int rarog_model_profiles_open(const struct rarog_project *project,
			      const struct rarog_model_operands *choice,
			      struct rarog_model_profiles *ret_profiles);
/** rarog_model_profiles_check() - are all of one configuration, but for the option that is x, and
 * then of one workload? 0; -EINVAL, with message: they are not; -ENOENT: one is not of the options
 * that were chosen. */
int rarog_model_profiles_check(const struct rarog_model_operands *choice,
			       const struct rarog_model_profiles *profiles);
void rarog_model_profiles_release(struct rarog_model_profiles *profiles);

#endif
