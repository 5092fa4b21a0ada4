/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is to be measured, as .rarog.yml says it:
 *
 *   build: make -j2
 *   workloads:
 *     sizes: {type: integer, min: 100, max: 1000, step: 100}
 *   matrix:
 *     commands: [./prog]
 *     arguments: ["", -v]
 *     workloads: [sizes, small.txt]
 *     collectors: [trace, {name: trace, parameters: {detail: count}}]
 *   jobs:
 *     parse: {command: ./prog --parse, workload: big.txt, repeat: 5}
 *     pack: {command: gzip -k, options: {level: {flag: "-%v", values: [1, 6, 9]}}}
 *     many: {command: xz -k, options: {…}, configurations: pair-wise}
 *
 * A job is a matrix with a name; every member is one value or a list of them.
 */
#ifndef RAROG_RUN_MATRIX_H
#define RAROG_RUN_MATRIX_H

#include "base/options.h"
#include "run/collector.h"
#include "run/generator.h"
#include "run/option.h"

#define RAROG_JOB_ANY "any" /* engine: the best that this machine has */
enum rarog_workload_way { RAROG_WORKLOAD_ARGUMENT, RAROG_WORKLOAD_STDIN };

/* Texts are borrowed from the settings or the command line. */
struct rarog_matrix {
	const char *name;               /* of the job, "": it has none */
	bool is_matrix;                 /* not one of the jobs */
	bool is_left_out;               /* it lacks options that were asked for */
	bool is_refused;                /* it cannot be measured as it was asked for */
	const struct rarog_yaml *where; /* NULL: from the command line */
	struct rarog_strings commands, arguments, workloads;
	RAROG_VEC(struct rarog_run_collector) collectors; /* at least one */
	struct rarog_strings build;              /* shell lines; none: the sources are enough */
	struct rarog_strings pre_run;            /* before every run */
	struct rarog_strings post;               /* after every profile */
	struct rarog_strings environment;        /* NAME=VALUE, for the program */
	struct rarog_run_options options;        /* of the program, and what they are set to */
	const struct rarog_yaml *configurations; /* which of their combinations; NULL: all */
	uint64_t timeout_ns, build_timeout_ns;   /* 0: none */
	bool no_submodules;                      /* versions are built without them */
	int64_t repeat, warmup;
	int64_t untraced;   /* runs without probes beside every measured one */
	int way;            /* enum rarog_workload_way */
	const char *engine; /* of the collectors that have it; NULL: the usual ones */
	const struct rarog_yaml *postprocess; /* models of all that was measured; NULL: none */
	RAROG_VEC(int64_t) statuses;          /* exit statuses that are no failure; none: 0 */
};

struct rarog_run_spec {
	RAROG_VEC(struct rarog_matrix) matrices;
	RAROG_VEC(struct rarog_generator) generators;
	RAROG_VEC(char *) refused; /* jobs asked for that cannot be measured, a line each */
};

/* The sections of the settings; each may be NULL. They outlive the spec. */
struct rarog_run_sections {
	const struct rarog_yaml *build, *matrix, *jobs, *workloads;
};

/** rarog_run_spec_read() - all of it. 0; -EINVAL with file:line:column. */
int rarog_run_spec_read(const struct rarog_run_sections *sections, struct rarog_run_spec *ret_spec);
void rarog_run_spec_release(struct rarog_run_spec *spec);

/** rarog_run_spec_find() - the job @name, NULL: the matrix. NULL and a message with near names. */
struct rarog_matrix *rarog_run_spec_find(const struct rarog_run_spec *spec, const char *name);

/** rarog_matrix_standard() - a matrix from elsewhere: what holds where nothing is said, and the
 * section @build (may be NULL). */
int rarog_matrix_standard(const struct rarog_yaml *build, struct rarog_matrix *ret_matrix);

/** rarog_matrix_complete() - give it a collector and an empty argument if it has none. */
int rarog_matrix_complete(struct rarog_matrix *matrix);

/** rarog_matrix_set_engine() - for all of its collectors, also those that name their own; @engine
 * is borrowed. */
void rarog_matrix_set_engine(struct rarog_matrix *matrix, const char *engine);

/** rarog_matrix_choose() - put the collectors on the engine that the job names. As
 * rarog_run_collector_choose(); -EINVAL: none has it, or it does not know what they were told. */
int rarog_matrix_choose(struct rarog_matrix *matrix);
void rarog_matrix_release(struct rarog_matrix *matrix);

#endif
