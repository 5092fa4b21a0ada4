/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checking two versions: every job that both were measured under, by the methods wanted. */
#ifndef RAROG_CHECK_CHECK_H
#define RAROG_CHECK_CHECK_H

#include "check/comparison.h"
#include "check/method.h"
#include "check/run-set.h"
#include "check/sittings.h"
#include "check/verdict.h"
#include "store/vcs.h"

/* A method with its thresholds. */
struct rarog_check_rule {
	const struct rarog_check_method *method;
	double thresholds[RAROG_THRESHOLDS_MAX];
};

struct rarog_strategies; /* strategy.h */

struct rarog_check_options {
	size_t n; /* rules, at least 1 */
	const struct rarog_check_rule *rules;
	struct rarog_strategies *strategies; /* these choose; .rules where none fits. NULL: none */
	bool is_forced;                      /* also what is not comparable; it is marked */
	struct rarog_vcs *vcs;               /* for changed lines; NULL: they are not looked for */
	struct rarog_sittings sittings;      /* .read and .user; the rest is filled in */
};

/* One job of two versions. */
struct rarog_check {
	char *job;                 /* for people: "bzip2 -k file" */
	struct rarog_hash job_key; /* of the target: with its collector's parameters */
	struct rarog_comparison comparison;
	struct rarog_verdict verdict;
	RAROG_VEC(struct rarog_hash) inputs; /* the profiles that are in the store */
	struct rarog_sittings sittings;      /* of its job */
	bool is_by_runs; /* by the standard method alone: growth is looked at besides */
};

struct rarog_checks {
	RAROG_VEC(struct rarog_check) list;
	RAROG_VEC(char *) notes; /* what was not compared, a line each */
	bool is_incomplete;      /* jobs that were asked for could not be measured; notes say so */
};

/**
 * rarog_checks_add() - compare @target with @baseline, job by job
 * @baseline, @target: their profiles are taken
 *
 * Return: 0; -EINVAL nothing can be compared: the message says why and names --force; -EBADMSG a
 * damaged profile; -ENOMEM.
 */
int rarog_checks_add(struct rarog_checks *checks, const struct rarog_check_options *options,
		     struct rarog_run_set *baseline, struct rarog_run_set *target);
void rarog_checks_release(struct rarog_checks *checks); /* fits rarog_cleanup() */

/** rarog_checks_finding() - the worst of all. */
enum rarog_finding rarog_checks_finding(const struct rarog_checks *checks);

#endif
