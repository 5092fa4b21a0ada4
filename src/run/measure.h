/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of one job in one directory, measured and kept. */
#ifndef RAROG_RUN_MEASURE_H
#define RAROG_RUN_MEASURE_H

#include "run/guard.h"
#include "run/stage.h"
#include "store/attempt.h"

struct rarog_run_outcome {
	enum rarog_outcome outcome;
	int status;            /* exit status, 128 + signal; -1 */
	char message[512];     /* if it is not MEASURED */
	char warnings[2048];   /* lines: what was not done as the job asks; cut off after that */
	struct rarog_hash log; /* object; zero: none */
	struct rarog_hash profile;
	bool post_failed; /* message says what */
	uint64_t calls, lost, profile_bytes, wall_ns;
	uint32_t untraced; /* functions that cannot be traced */
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
		      const struct rarog_tasks *tasks, const struct rarog_run_task *task,
		      bool is_first, const struct rarog_run_round *round, int (*tick)(void *user),
		      void *user, struct rarog_run_outcome *ret_outcome);

/** rarog_run_wait() - for one guard, with ticks. As rarog_guard_finish(). */
int rarog_run_wait(struct rarog_guard *guard, int (*tick)(void *user), void *user,
		   struct rarog_guard_end *ret_end);

#endif
