/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices multiplied out: the single jobs to run, each with its identity. */
#ifndef RAROG_RUN_TASK_H
#define RAROG_RUN_TASK_H

#include "base/str.h"
#include "run/matrix.h"
#include "store/job.h"

#define RAROG_TASKS_MAX 20000

/* One (command, arguments, workload, configuration, collector). */
struct rarog_run_task {
	const struct rarog_matrix *matrix;
	const struct rarog_run_collector *collector;
	size_t workload;                       /* index into tasks.workloads */
	size_t configuration;                  /* rarog_run_value_in() */
	struct rarog_words words, environment; /* of the command; NAME=VALUE */
	struct rarog_job job;                  /* sealed */
	struct rarog_str told; /* lines that have been said: what of it cannot be measured */
};

/* Zeroed: none. The spec must outlive them. */
struct rarog_tasks {
	RAROG_VEC(struct rarog_run_task) list;
	struct rarog_workloads workloads;
	size_t unknown; /* generators whose workloads are known only when they are made */
};

/**
 * rarog_tasks_add() - all jobs of @matrix; one that is there already is not added again
 * @place: for workloads that are files
 *
 * In command and arguments {workload} stands for the workload; else it is the last argument, or
 * the standard input (fill-in.h). Return: 0; -EINVAL, -errno.
 */
int rarog_tasks_add(const struct rarog_run_spec *spec, const struct rarog_matrix *matrix,
		    const struct rarog_generator_place *place, struct rarog_tasks *tasks);
void rarog_tasks_release(struct rarog_tasks *tasks);

/** rarog_tasks_leave_out() - without the one at @i; those after it move up. */
void rarog_tasks_leave_out(struct rarog_tasks *tasks, size_t i);

/** rarog_task_workload() - of @task; borrowed. Its name is "" if it has none. */
const struct rarog_workload *rarog_task_workload(const struct rarog_tasks *tasks,
						 const struct rarog_run_task *task);

/** rarog_task_line() - append "parse: ./prog -v sizes:100 (trace)", for people. 0 or -ENOMEM. */
int rarog_task_line(const struct rarog_run_task *task, struct rarog_str *line);

#endif
