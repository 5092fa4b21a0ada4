/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jobs times versions: what is there already is left alone, what is missing is built (several at
 * once) and then measured (one at a time, while nothing is built), in rounds over all versions.
 * What is built and what is measured is kept at once, so that an interrupted run goes on.
 */
#ifndef RAROG_RUN_SCHEDULE_H
#define RAROG_RUN_SCHEDULE_H

#include "run/measure.h"
#include "run/range.h"
#include "run/scratch.h"
#include "run/toolchain.h"

enum rarog_row_state {
	RAROG_ROW_TODO,
	RAROG_ROW_THERE,    /* measured before */
	RAROG_ROW_KNOWN,    /* known to fail: see outcome */
	RAROG_ROW_MEASURED, /* now */
	RAROG_ROW_FAILED,   /* now: see outcome */
	RAROG_ROW_STATES
};

/** rarog_row_state_names - "to-do", "there", … */
extern const char *const rarog_row_state_names[RAROG_ROW_STATES];

/* One job of one version. */
struct rarog_run_row {
	size_t version, task;
	enum rarog_row_state state;
	enum rarog_outcome outcome;
	uint32_t there, wanted, made; /* profiles */
	int status;
	char *message;
	struct rarog_hash log;
	RAROG_VEC(struct rarog_hash) profiles;
	uint64_t calls, lost, profile_bytes, wall_ns;
	bool has_untraced; /* functions that cannot be traced */
	bool is_started, post_failed;
	size_t build; /* of the portion */
};

struct rarog_schedule;

struct rarog_schedule_options {
	bool again; /* measure what is there, too */
	bool retry; /* what is known to fail, too */
	bool no_build;
	bool in_place; /* the only version is the work tree */
	size_t parallel;
	uint64_t seed;          /* of the order of runs */
	const char *processors; /* as rarog_processors_choose() */
	const char *machine_class;
	const struct rarog_vcs_state *state; /* in_place */
	uint64_t max_build_bytes;            /* 0: no limit */
	/* A comparison: all versions together, the runs of a round named as belonging together and
	 * each with its stack elsewhere. NULL: none */
	const char *series;
	bool in_turn; /* its runs without probes, never two at once */
	/* enough() - after every round but the last; 1: no more of them; 0, -errno. May be NULL */
	int (*enough)(const struct rarog_schedule *schedule, uint32_t rounds, void *user);
	/* done() - a version is finished; may be NULL */
	void (*done)(const struct rarog_run_row rows[], size_t n, void *user);
	void (*progress)(uint64_t done, uint64_t total, void *user); /* ten times a second */
	void *user;
};

struct rarog_schedule {
	struct rarog_repository *repository;
	const struct rarog_schedule_options *options;
	const struct rarog_versions *versions;
	struct rarog_tasks *tasks;
	RAROG_VEC(struct rarog_run_row) rows; /* by version, then by task */
	struct rarog_machine machine;
	struct rarog_processors processors;
	struct rarog_toolchain toolchain;
	const char *scratch;
	uint64_t runs_done, runs_total, built, build_failures, cached;
};

/* Of rows, for the code that builds and measures (portion.h). */

/** rarog_row_missing() - runs that it still needs. */
uint32_t rarog_row_missing(const struct rarog_schedule *s, const struct rarog_run_row *row);
/** rarog_row_set_message() - 0 or -ENOMEM. */
int rarog_row_set_message(struct rarog_run_row *row, const char *message);
/** rarog_row_look_up() - what the store has of it. 0 or -errno. */
int rarog_row_look_up(struct rarog_schedule *s, struct rarog_run_row *row);
/** rarog_schedule_tick() - ten times a second: progress of a struct rarog_schedule; non-zero ends
 * it. */
int rarog_schedule_tick(void *schedule);

/** rarog_schedule_plan() - how every row stands. 0 or -errno; release in any case. */
int rarog_schedule_plan(struct rarog_schedule *schedule);

/** rarog_schedule_run() - do what is to do. 0; -ECANCELED a signal came (rarog_stop_signal()): what
 * was measured is saved; -errno. */
int rarog_schedule_run(struct rarog_schedule *schedule);
void rarog_schedule_release(struct rarog_schedule *schedule);

#endif
