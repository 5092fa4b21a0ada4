/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collectors: what a run can be measured by. Code that measures, or wants to know what was
 * measured, walks this table (doc/howto/add-a-collector.md).
 */
#ifndef RAROG_COLLECT_COLLECTOR_H
#define RAROG_COLLECT_COLLECTOR_H

#include <jansson.h>

#include "collect/engine-needs.h"
#include "feature/places.h"
#include "optimize/optimize.h"
#include "plan/feature-options.h"

enum rarog_collector_traits {
	RAROG_COLLECTOR_EXACT = 1 << 0,    /* it counts: two runs differ only if the program does */
	RAROG_COLLECTOR_UNTRACED = 1 << 1, /* its wall time is that of a run without probes */
	RAROG_COLLECTOR_BLOCKS = 1 << 2,   /* it counts basic blocks */
	RAROG_COLLECTOR_SAMPLES = 1 << 3,
	RAROG_COLLECTOR_HOOKED = 1 << 4,   /* of functions only those that rarog cc --hooks built */
	RAROG_COLLECTOR_FEATURES = 1 << 5, /* regions of features, and no functions */
	/* by its engine: */
	RAROG_COLLECTOR_MACHINE = 1 << 6, /* it counts instructions of the machine, not of the
					   * compiler's intermediate code */
	RAROG_COLLECTOR_WRITES = 1 << 7,  /* its probes are written into the code of functions, and
					   * not each has room for one */
};

/* What one can be told; each reads its part. */
struct rarog_collector_parameters {
	struct rarog_plan_options plan;
	struct rarog_sample_options sample;
	struct rarog_optimize_options optimize;
	struct rarog_feature_options features;
};

#define RAROG_COLLECTOR_PARAMETERS_DEFAULT                                                         \
	{                                                                                          \
		.plan = RAROG_PLAN_OPTIONS_DEFAULT, .sample = RAROG_SAMPLE_OPTIONS_DEFAULT         \
	}

struct rarog_collector {
	const char *name;                          /* as in the profile's header */
	const struct rarog_engine *const *engines; /* the first is the usual one; NULL at the end */
	const struct rarog_option *options; /* what jobs tell it: struct rarog_collector_parameters
					     */
	/* identity() - what of them tells one job from another; canonical: defaults are left out.
	 * NULL: no memory */
	json_t *(*identity)(const struct rarog_collector_parameters *parameters);
	unsigned traits; /* enum rarog_collector_traits */
};

/** rarog_collectors - all; the first is the one that nobody has to name; a name
 * NULL is the end. */
extern const struct rarog_collector rarog_collectors[];

/** rarog_collector_find() - NULL: none is called so; no message. */
const struct rarog_collector *rarog_collector_find(const char *name);

/** rarog_collector_of() - whose engine this is: the first that has it. */
const struct rarog_collector *rarog_collector_of(const struct rarog_engine *engine);

bool rarog_collector_has(const struct rarog_collector *collector, const char *engine);

/** rarog_collector_engine() - the engine @name of @collector; NULL with message: it has none. */
const struct rarog_engine *rarog_collector_engine(const struct rarog_collector *collector,
						  const char *name);

/** rarog_collector_engine_with() - the first of its engines that has all of @abilities (enum
 * rarog_engine_abilities); NULL: none. */
const struct rarog_engine *rarog_collector_engine_with(const struct rarog_collector *collector,
						       unsigned abilities);

/**
 * rarog_collector_traits() - of a profile, by the names in its header
 * @engine: NULL: whichever; else the collector counts only with an engine of its own, as imported
 * profiles may have the name of a collector
 */
unsigned rarog_collector_traits(const char *collector, const char *engine);

/** rarog_collector_check() - 0; -EINVAL: the message names an option that means nothing to the
 * engine. */
int rarog_collector_check(const struct rarog_collector *collector,
			  const struct rarog_engine *engine,
			  const struct rarog_engine_request *request);

/** rarog_collector_check_techniques() - 0; -EINVAL with message: some are on, and it does not
 * choose functions. */
int rarog_collector_check_techniques(const struct rarog_collector *collector,
				     const struct rarog_engine *engine,
				     const struct rarog_optimize_options *options);

/** rarog_collector_means() - by what @engine sees regions of features. */
enum rarog_feature_means rarog_collector_means(const struct rarog_engine *engine);

/** rarog_collector_able() - does an engine that was named work here? 0; -errno with message. */
int rarog_collector_able(const struct rarog_engine *engine);

/** rarog_collector_plan() - as rarog_plan_make(); @parameters outlive the plan. */
int rarog_collector_plan(const struct rarog_collector *collector,
			 const struct rarog_collector_parameters *parameters,
			 struct rarog_plan *ret_plan);

/**
 * rarog_collector_measure() - one run into one profile
 * @run: without plan, which is made from @parameters
 *
 * As often as wanted in one process: nothing is left behind, neither memory nor descriptors nor
 * files but the profile. As rarog_drive().
 */
int rarog_collector_measure(const struct rarog_collector *collector,
			    const struct rarog_engine *engine,
			    const struct rarog_collector_parameters *parameters,
			    const struct rarog_trace_options *run,
			    struct rarog_collected *ret_collected);

#endif
