/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one job in one directory, measured and kept. */
#ifndef RAROG_RUN_MEASURE_H
#define RAROG_RUN_MEASURE_H

#include "run/guard.h"
#include "run/processors.h"
#include "run/task.h"
#include "store/attempt.h"
#include "store/store.h"
#include "store/vcs.h"

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
};

struct rarog_run_bench {
	struct rarog_store *store;
	const struct rarog_machine *machine;
	const struct rarog_processors *processors;
	const char *scratch; /* for files on the way */
	const char *root;    /* of the project */
};

struct rarog_run_outcome {
	enum rarog_outcome outcome;
	int status;            /* exit status, 128 + signal; -1 */
	char message[512];     /* if it is not MEASURED */
	struct rarog_hash log; /* object; zero: none */
	struct rarog_hash profile;
	bool post_failed; /* message says what */
	uint64_t calls, lost, profile_bytes, wall_ns;
};

/**
 * rarog_run_measure() - one run
 * @is_first: warm-up runs come before it
 * @round: NULL: of none
 * @tick: called ten times a second; non-zero calls it off
 *
 * Return: 0: see @ret_outcome; a measured one is on disk. -ECANCELED; -errno: rarog failed.
 */
int rarog_run_measure(const struct rarog_run_bench *bench, const struct rarog_run_subject *subject,
		      const struct rarog_tasks *tasks, const struct rarog_task *task, bool is_first,
		      const struct rarog_run_round *round, int (*tick)(void *user), void *user,
		      struct rarog_run_outcome *ret_outcome);

/** rarog_run_wait() - for one guard, with ticks. As rarog_guard_finish(). */
int rarog_run_wait(struct rarog_guard *guard, int (*tick)(void *user), void *user,
		   struct rarog_guard_end *ret_end);

#endif
