/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run finds when it begins: environment, where its stack and its functions lie, input,
 * output, processor. Set for the process that calls, which starts the program then.
 */
#ifndef RAROG_RUN_STAGE_H
#define RAROG_RUN_STAGE_H

#include "process/running.h"
#include "run/processors.h"
#include "run/task.h"
#include "store/store.h"
#include "store/vcs.h"

struct rarog_beside;

struct rarog_run_subject {
	const struct rarog_commit *commit; /* what is measured; .name NULL: belongs to no version */
	const struct rarog_vcs_state *state; /* of the work tree; NULL: commit as it is */
	const char *directory;               /* where it was built and runs */
	bool is_git;                         /* else the version is a label */
};

/* Runs that belong together: of each version one, in random order. */
struct rarog_run_round {
	const char *series; /* which comparison they are made for; NULL: none */
	uint32_t number;    /* of the round */
	/* What is drawn by lot for a run in a series, since it makes programs slower by chance:
	 * where the stack begins (a variable RAROG_PADDING), where functions lie (layout.h). */
	uint64_t seed;
	/* Runs without probes that were made with those of the other version (together.h), after
	 * the layout was drawn; NULL: none */
	const struct rarog_beside *beside;
	bool is_laid_out;    /* then */
	bool is_at_once;     /* with those, on one processor */
	const char *in_turn; /* why not (together.h); NULL: it is, or was not tried */
};

struct rarog_run_bench {
	struct rarog_store *store;
	const struct rarog_machine *machine;
	const struct rarog_processors *processors;
	const char *scratch; /* for files on the way */
	const char *root;    /* of the project */
};

struct rarog_stage {
	const struct rarog_run_bench *bench;
	const struct rarog_run_subject *subject;
	const struct rarog_tasks *tasks;
	const struct rarog_run_task *task;
	const struct rarog_run_round *round; /* NULL: of none */
};

/** rarog_stage_is_in_series() - is anything drawn by lot? */
bool rarog_stage_is_in_series(const struct rarog_stage *stage);

/** rarog_stage_environment() - of all runs of the task, once in a process. 0 or -errno. */
int rarog_stage_environment(const struct rarog_stage *stage);

/**
 * rarog_stage_lay_out() - link the program anew, or put back the one that was built
 *
 * Only of builds that are ours; a program of PATH belongs to somebody else. Return: 1 its layout is
 * a random one; 0; -errno.
 */
int rarog_stage_lay_out(const struct rarog_stage *stage);

/** rarog_stage_pre_run() - the user's commands before a run. 0; -EREMOTEIO one failed; -errno. */
int rarog_stage_pre_run(const struct rarog_stage *stage);

/** rarog_stage_enter() - for the next run: directory, size of the environment, input. 0, -errno. */
int rarog_stage_enter(const struct rarog_stage *stage);

/** rarog_stage_drop_output() - nobody looks at what the program prints. 0, -errno. */
int rarog_stage_drop_output(void);

/** rarog_stage_command() - what to start. The program has its processors for itself, if there are
 * others for us: once in a process. */
void rarog_stage_command(const struct rarog_stage *stage, struct rarog_command_line *command);

/** rarog_stage_status() - as a shell says it: 128 + signal. */
int rarog_stage_status(const struct rarog_run_result *result);

/** rarog_stage_is_allowed() - did it end in time and as the job allows? @matrix: the job's. */
bool rarog_stage_is_allowed(const struct rarog_run_result *result, void *matrix);

#endif
