/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collectors as `rarog run` uses them: what parameters they take, and how they measure one run. A
 * collector is one file measure-NAME.c and one line in measurer.c.
 */
#ifndef RAROG_RUN_MEASURER_H
#define RAROG_RUN_MEASURER_H

#include <jansson.h>

#include "base/options.h"
#include "base/str.h"
#include "process/event-counters.h"
#include "process/running.h"
#include "run/words.h"
#include "store/yaml.h"

struct rarog_json;
struct rarog_plan_options;
struct rarog_run_collector;

/* One run to measure: in a worker, in the directory where the program is to run. */
struct rarog_measurement {
	const struct rarog_run_collector *collector;
	struct rarog_command_line *command;
	const char *output;                                    /* profile to write */
	void (*describe)(struct rarog_json *json, void *user); /* as struct rarog_trace_options */
	void *user;
};

struct rarog_measured {
	struct rarog_run_result run;
	uint64_t calls, lost, profile_bytes;
};

struct rarog_measurer {
	const char *name, *engine;          /* as in the profile's header */
	const struct rarog_option *options; /* its parameters */
	size_t size;                        /* of the struct that the options fill */
	void (*standard)(void *parameters);
	int (*check)(const void *parameters); /* what excludes each other: 0 or -EINVAL */
	/* identity() - what of them tells one job from another; canonical: defaults are left out.
	 * NULL: no memory */
	json_t *(*identity)(const void *parameters);
	int (*measure)(const struct rarog_measurement *measurement,
		       struct rarog_measured *ret_measured);
	/* plan() - what is asked for, so that another engine may be found that can do it; NULL:
	 * there is none */
	const struct rarog_plan_options *(*plan)(const void *parameters);
	/* The same, with other engines: NULL at the end, or none. */
	const struct rarog_measurer *const *others;
};

extern const struct rarog_measurer rarog_measurer_trace, rarog_measurer_complexity,
	rarog_measurer_blocks, rarog_measurer_time, rarog_measurer_sample;

/* A collector with its parameters. */
struct rarog_run_collector {
	const struct rarog_measurer *kind;
	struct rarog_words words; /* the parameters as options; they refer to these */
	void *parameters;
	struct rarog_str counters; /* a parameter of every collector: names, commas between them */
	struct rarog_counter_requests requests;
};

/** rarog_run_collector_start() - @name with no parameters, yet. -EINVAL: near names suggested. */
int rarog_run_collector_start(const char *name, struct rarog_run_collector *ret_collector);

/** rarog_run_collector_add() - KEY=VALUE, or KEY for what is a truth. */
int rarog_run_collector_add(struct rarog_run_collector *collector, const char *key,
			    const char *value);

/** rarog_run_collector_finish() - read what was added. 0 or -EINVAL. */
int rarog_run_collector_finish(struct rarog_run_collector *collector);

/**
 * rarog_run_collector_choose() - where its engine does not work here, put it on the best that does,
 * and say so: the job is another one then
 * @program: of the job; NULL: it is not known yet
 *
 * Return: 0; -ENOTSUP with message: none does; -ENOMEM.
 */
int rarog_run_collector_choose(const char *program, struct rarog_run_collector *collector);

/** rarog_run_collector_identity() - what tells its jobs from those of another; NULL: no memory */
json_t *rarog_run_collector_identity(const struct rarog_run_collector *collector);

/** rarog_run_collector_read() - NAME, or {name: NAME, parameters: {…}}. */
int rarog_run_collector_read(const struct rarog_yaml *node,
			     struct rarog_run_collector *ret_collector);

void rarog_run_collector_release(struct rarog_run_collector *collector);

#endif
