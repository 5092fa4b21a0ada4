/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of a run, each with a name that stays the same and, mostly, a number: x of a model. */
#ifndef RAROG_RUN_WORKLOAD_H
#define RAROG_RUN_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json-writer.h"
#include "base/vec.h"

struct rarog_workload_value {
	char *name; /* "width" */
	double value;
};

/* Texts are the struct's own. */
struct rarog_workload {
	char *name; /* "sizes:100"; of one that is written down, itself */
	char *text; /* what the program is given: a word, or the path of a file */
	bool has_number;
	double number;
	RAROG_VEC(struct rarog_workload_value) values; /* all numbers it has, if they are several */
	char *recipe; /* canonical JSON of what it was made by; NULL: written down */
};

/* Zeroed: none. */
struct rarog_workloads {
	RAROG_VEC(struct rarog_workload) list;
};

/** rarog_workload_add() - append one, with copies of @name and @text. NULL: no memory. */
struct rarog_workload *rarog_workload_add(struct rarog_workloads *workloads, const char *name,
					  const char *text);

/** rarog_workload_number() - set its number. */
void rarog_workload_number(struct rarog_workload *workload, double number);

/** rarog_workload_value() - add one of several numbers. 0 or -ENOMEM. */
int rarog_workload_value(struct rarog_workload *workload, const char *name, double value);

/** rarog_workload_write() - member "workload" of a header: name, number, values, generator. */
void rarog_workload_write(struct rarog_json *json, const struct rarog_workload *workload);

void rarog_workloads_release(struct rarog_workloads *workloads);

#endif
