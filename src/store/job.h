/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was measured: command, arguments, workload, configuration, and how: collector with
 * parameters. Profiles are compared under the same job only. Where the header has a member "job"
 * (rarog run writes what the user wrote), that is the job; else it is the command as it was run: so
 * a program measured from several work trees, under several paths, is one job.
 */
#ifndef RAROG_STORE_JOB_H
#define RAROG_STORE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/object.h"

/* Texts are the struct's own, "" when there is nothing to say. */
struct rarog_job {
	char *name;      /* in .rarog.yml; no part of the key */
	char *command;   /* the program, or a whole shell line */
	char *arguments; /* quoted for the shell */
	char *workload;
	bool has_number;
	double number;       /* of the workload: x of a model */
	char *configuration; /* of the program: rarog_configuration_json(), "" if it has none */
	char *collector, *engine;
	char *parameters;      /* canonical JSON: sorted keys, no blanks */
	struct rarog_hash key; /* of all above but name */
};

/** rarog_job_parse() - from a profile's header. 0 or -ENOMEM. */
int rarog_job_parse(const json_t *header, struct rarog_job *ret_job);

/** rarog_job_seal() - make the missing texts "" and compute the key: for jobs from elsewhere. */
int rarog_job_seal(struct rarog_job *job);

/** rarog_job_write() - member "job" of a header, and beside it "configuration" if there is one:
 * what was measured without a job says it there, too. */
struct rarog_json;
void rarog_job_write(struct rarog_json *json, const struct rarog_job *job);

void rarog_job_release(struct rarog_job *job);

#endif
