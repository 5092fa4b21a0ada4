/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collector as a job has it: with its parameters, on one of its engines. */
#ifndef RAROG_RUN_COLLECTOR_H
#define RAROG_RUN_COLLECTOR_H

#include "base/str.h"
#include "collect/collector.h"
#include "run/words.h"
#include "store/yaml.h"

struct rarog_run_collector {
	const struct rarog_collector *kind;
	const struct rarog_engine *engine;
	bool has_own_engine; /* the file names it beside the collector, so the job's is for others
			      */
	struct rarog_words words; /* the parameters as options; they refer to these */
	struct rarog_collector_parameters parameters;
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

/** rarog_run_collector_able() - does its engine work here? Asked before the first run. 0; -errno
 * with message. */
int rarog_run_collector_able(const struct rarog_run_collector *collector);

/** rarog_run_collector_measure() - one run; -errno with message, also where the engine does not
 * work here. */
int rarog_run_collector_measure(const struct rarog_run_collector *collector,
				const struct rarog_trace_options *run,
				struct rarog_collected *ret_collected);

/** rarog_run_collector_on() - put it on the engine that is named so. -EINVAL with message: it has
 * none. */
int rarog_run_collector_on(const char *engine, struct rarog_run_collector *collector);

/** rarog_run_collector_check() - 0; -EINVAL: it was told what its engine does not know. */
int rarog_run_collector_check(const struct rarog_run_collector *collector);

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

/** rarog_run_collector_read() - NAME, or {name: NAME, engine: NAME, parameters: {…}}. */
int rarog_run_collector_read(const struct rarog_yaml *node,
			     struct rarog_run_collector *ret_collector);

void rarog_run_collector_release(struct rarog_run_collector *collector);

#endif
