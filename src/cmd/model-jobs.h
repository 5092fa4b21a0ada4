/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job's member `postprocess`: models of what was measured, made when all of it is there.
 *
 *   postprocess: regression
 *   postprocess: [{name: regression, parameters: {x: workload, func: sort}}, regressogram]
 */
#ifndef RAROG_CMD_MODEL_JOBS_H
#define RAROG_CMD_MODEL_JOBS_H

#include "cmd/command.h"
#include "run/matrix.h"

/** rarog_model_jobs_check() - is all of it understood? 0; -EINVAL with file:line:column. */
int rarog_model_jobs_check(const struct rarog_run_spec *spec);

struct rarog_model_jobs {
	const struct rarog_context *context;
	const struct rarog_run_spec *spec;
	size_t n; /* jobs; 0: all */
	const char *const *names;
	const char *version; /* NULL: the work tree */
	bool is_quiet;       /* keep them, print nothing */
};

/** rarog_model_jobs_run() - make, keep and print the models. 0; the first that could not be made,
 * after the others; -ENOMEM … */
int rarog_model_jobs_run(const struct rarog_model_jobs *jobs);

#endif
