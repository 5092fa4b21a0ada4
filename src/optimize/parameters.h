/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What techniques can be told: the parameters of Table A.4 of the documents under their names, and
 * a few of our own. What nobody gives is predicted from the size of the call graph.
 */
#ifndef RAROG_OPTIMIZE_PARAMETERS_H
#define RAROG_OPTIMIZE_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rarog_technique_parameter {
	RAROG_PARAMETER_DIFF_VERSION,
	RAROG_PARAMETER_DIFF_KEEP_LEAF,
	RAROG_PARAMETER_DIFF_INSPECT_ALL,
	RAROG_PARAMETER_DIFF_CFG_MODE,
	RAROG_PARAMETER_SOURCE_FILES,
	RAROG_PARAMETER_SOURCE_DIRS,
	RAROG_PARAMETER_STATIC_COMPLEXITY,
	RAROG_PARAMETER_STATIC_KEEP_TOP,
	RAROG_PARAMETER_CG_MODE,
	RAROG_PARAMETER_CG_LEVELS,
	RAROG_PARAMETER_CG_TRIM_LEVELS,
	RAROG_PARAMETER_CG_TRIM_MIN_FUNCTIONS,
	RAROG_PARAMETER_CG_TRIM_KEEP_LEAF,
	RAROG_PARAMETER_CG_PRUNE_CHAIN_LENGTH,
	RAROG_PARAMETER_CG_PRUNE_KEEP_TOP,
	RAROG_PARAMETER_CG_PROJ_LEVELS,
	RAROG_PARAMETER_CG_PROJ_KEEP_LEAF,
	RAROG_PARAMETER_DYN_SAMPLE_STEP,
	RAROG_PARAMETER_DYN_SAMPLE_THRESHOLD,
	RAROG_PARAMETER_PROBING_THRESHOLD,
	RAROG_PARAMETER_PROBING_REATTACH,
	RAROG_PARAMETER_TIMED_SAMPLE_FREQ,
	RAROG_PARAMETER_DYN_BASE_SOFT_THRESHOLD,
	RAROG_PARAMETER_DYN_BASE_HARD_THRESHOLD,
	RAROG_PARAMETER_DYN_BASE_AGAIN,
	RAROG_PARAMETER_THRESHOLD_MODE,
	RAROG_PARAMETER_PREDICT,
	RAROG_PARAMETERS,
};

enum rarog_cg_mode {
	RAROG_CG_MATCH,
	RAROG_CG_PRUNE,
	RAROG_CG_SOFT,
	RAROG_CG_STRICT,
	RAROG_CG_TOP_DOWN,
	RAROG_CG_BOTTOM_UP,
};

enum rarog_diff_mode {
	RAROG_DIFF_SOFT,
	RAROG_DIFF_SEMISTRICT,
	RAROG_DIFF_STRICT,
	RAROG_DIFF_COLOUR,
};

enum rarog_complexity { RAROG_COMPLEXITY_ZERO, RAROG_COMPLEXITY_CONSTANT };

enum rarog_pipeline {
	RAROG_PIPELINE_CUSTOM, /* only what is switched on */
	RAROG_PIPELINE_BASIC,
	RAROG_PIPELINE_ADVANCED,
	RAROG_PIPELINE_FULL,
	RAROG_PIPELINES,
};

/** rarog_pipeline_names - "custom", "basic", "advanced", "full", NULL. */
extern const char *const rarog_pipeline_names[RAROG_PIPELINES + 1];

struct rarog_parameters {
	double number[RAROG_PARAMETERS];     /* of a choice its place, of a flag 0 or 1 */
	const char *given[RAROG_PARAMETERS]; /* "NAME=VALUE"; NULL: it is not */
	bool is_given[RAROG_PARAMETERS];
};

/** rarog_parameters_default() - what holds where nothing is given or predicted. */
struct rarog_parameters rarog_parameters_default(void);

/** rarog_parameters_set() - "NAME=VALUE", which is kept; 0; -EINVAL with message. */
int rarog_parameters_set(struct rarog_parameters *parameters, const char *text);

/* What is known of a call graph before the parameters are. */
struct rarog_graph_size {
	uint32_t functions, levels;
	uint32_t branch; /* the level of the first function below main that calls more than one */
};

/** rarog_parameters_predict() - fill in what was not given. */
void rarog_parameters_predict(struct rarog_parameters *parameters, enum rarog_pipeline pipeline,
			      const struct rarog_graph_size *size);

static inline uint32_t rarog_parameter_whole(const struct rarog_parameters *parameters,
					     enum rarog_technique_parameter parameter)
{
	return (uint32_t)parameters->number[parameter];
}

#endif
