/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs of two versions without probes, in pairs. Both at once on one processor, which goes from one
 * to the other many times a run: whatever slows the machine down for more than a millisecond slows
 * both. A program that uses several processors, or that does not run beside itself, runs in turn
 * with the other version, AB BA. Source: Bulej and others, "Duet benchmarking", ICPE 2020 (on two
 * processors).
 */
#ifndef RAROG_RUN_TOGETHER_H
#define RAROG_RUN_TOGETHER_H

#include "run/beside.h"
#include "run/stage.h"

enum rarog_together_way {
	RAROG_TOGETHER_UNKNOWN, /* find out */
	RAROG_TOGETHER_AT_ONCE,
	RAROG_TOGETHER_IN_TURN,
	RAROG_TOGETHER_NOT, /* it fails: whoever runs one of them alone will learn why */
};

/* Why not at once; in headers. */
#define RAROG_TOGETHER_ASKED   "asked"
#define RAROG_TOGETHER_THREADS "threads" /* it uses several processors */
#define RAROG_TOGETHER_FAILED  "failed"  /* a run failed beside the other */

/* What is known of a job. Zeroed: nothing. */
struct rarog_together_way_of {
	enum rarog_together_way way;
	const char *why;   /* not at once, static; NULL: at once, or unknown */
	uint32_t failures; /* rounds, the last ones, that could not be made so */
};

/* Zeroed: none. */
struct rarog_together {
	enum rarog_together_way way; /* of this round */
	const char *why;             /* not at once, static */
	struct rarog_beside runs[2]; /* run i of both are a pair */
	bool is_laid_out[2];
};

/**
 * rarog_together_run() - as many pairs as the task wants, programs linked anew before
 * @stages: of the versions: same task, rounds with a seed each
 * @of: what is known; if nothing is, a pair that does not count comes first. A round in which a run
 * fails is made in the next worse way; when the second in a row does, all that follow are
 * @is_first: warm-up runs come before it
 * @tick: as of rarog_run_measure()
 *
 * Return: 0: @together says how they were made, or that they were not; -ECANCELED; -errno.
 */
int rarog_together_run(const struct rarog_stage stages[2], bool is_first, int (*tick)(void *user),
		       void *user, struct rarog_together_way_of *of,
		       struct rarog_together *together);
void rarog_together_release(struct rarog_together *together);

#endif
