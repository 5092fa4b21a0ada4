/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of one rarog collect: warm-up, measured ones, what becomes of their profiles. */
#ifndef RAROG_CMD_COLLECT_SERIES_H
#define RAROG_CMD_COLLECT_SERIES_H

#include <limits.h>

#include "cmd/collect-name.h"
#include "cmd/collect-way.h"
#include "cmd/command.h"
#include "cmd/option-choice.h"
#include "cmd/saving.h"

/* Each is an option of rarog collect. */
struct rarog_collect_series_options {
	const char *output, *label, *capture, *diagnose;
	int program_output;
	bool diagnose_profile;
	long repeat, warmup, porcelain;
	struct rarog_option_choice configuration; /* that the program is run with; read before */
};

/* Everything that stays the same from run to run. */
struct rarog_collect_series {
	const struct rarog_context *context;
	const struct rarog_collect_series_options *options;
	const struct rarog_collect_way *way;
	struct rarog_plan *plan;
	bool compensate; /* the plan's */
	struct rarog_command_line *command;
	const char *program;                       /* its name, without directories */
	const struct rarog_attachment *attachment; /* NULL: it is started */
	struct rarog_collect_name name;            /* the profile's if it becomes a file */
	/* its own */
	struct rarog_saving saving;
	off_t input; /* where stdin stood at first; -1: no file */
	bool stop;
	int status;                              /* first that is not 0 */
	RAROG_VEC(struct rarog_run_result) runs; /* to sum up */
	uint64_t drive_ns;                       /* of the last run, with probes put in */
	char last[PATH_MAX];                     /* the last profile written, "": none */
};

/** rarog_collect_series() - all of it. What is asked of the provenance is asked before the
 * program runs. Return: the program's exit status, -errno. */
int rarog_collect_series(struct rarog_collect_series *s);
void rarog_collect_series_release(struct rarog_collect_series *s);

#endif
