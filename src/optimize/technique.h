/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Techniques: each says of functions that they need not be measured, or not every time. The table
 * of them is in technique.c. What several say of one function is joined by what is least work, so
 * their order is no matter; what is protected stays as it was asked for.
 */
#ifndef RAROG_OPTIMIZE_TECHNIQUE_H
#define RAROG_OPTIMIZE_TECHNIQUE_H

#include "optimize/digest-diff.h"
#include "optimize/statistics.h"
#include "optimize/subject.h"
#include "plan/place-set.h"

/* In the order in which the account has them. */
enum rarog_technique_number {
	RAROG_TECHNIQUE_DIFF_TRACING,
	RAROG_TECHNIQUE_CG_SHAPING,
	RAROG_TECHNIQUE_STATIC_BASELINE,
	RAROG_TECHNIQUE_DYNAMIC_BASELINE,
	RAROG_TECHNIQUE_DYNAMIC_SAMPLING,
	RAROG_TECHNIQUE_TIMED_SAMPLING,
	RAROG_TECHNIQUES,
};

/* What one technique says of one function. */
struct rarog_decision {
	uint32_t node;
	uint8_t technique; /* enum rarog_technique_number */
	uint8_t action;    /* RAROG_ACTION_PRUNED, _SAMPLE */
	uint32_t n;        /* SAMPLE: every n-th */
	const char *why;   /* static … */
	uint64_t amount;   /* … and a number that follows it; UINT64_MAX: none */
};

struct rarog_deciding {
	const struct rarog_subject *subject;
	const struct rarog_parameters *parameters;
	const struct rarog_statistics *statistics; /* NULL: no earlier run is known */
	const uint8_t *changes;                    /* [callees]; NULL: of no earlier version */
	bool is_alone;                             /* is one technique on, and no other? */
	const bool *is_protected;                  /* [callees] */
	RAROG_VEC(struct rarog_decision) v;        /* what was decided */
	const char *aside[RAROG_TECHNIQUES];       /* why one has stepped aside; static, NULL */
};

struct rarog_technique {
	const char *name, *summary;
	/* 0, -ENOMEM. NULL: it is about when, not about which functions (rarog_optimize_windows()).
	 */
	int (*decide)(struct rarog_deciding *d);
};

extern const struct rarog_technique rarog_techniques[RAROG_TECHNIQUES];

/** rarog_technique_find() - -ENOENT with message: there is none called so. */
int rarog_technique_find(const char *name);

/** rarog_decide_prune() - @node need not be measured; nothing if it is protected. 0, -ENOMEM. */
int rarog_decide_prune(struct rarog_deciding *d, enum rarog_technique_number technique,
		       uint32_t node, const char *why, uint64_t amount);

/** rarog_decide_sample() - every @n-th call of @node is enough. */
int rarog_decide_sample(struct rarog_deciding *d, enum rarog_technique_number technique,
			uint32_t node, uint32_t n, const char *why, uint64_t amount);

/** rarog_diff_is_kept() - is what has become of @node (enum rarog_code_change) reason to measure
 * it? */
bool rarog_diff_is_kept(const struct rarog_subject *subject,
			const struct rarog_parameters *parameters, uint32_t node, uint8_t change);

/* Each is in a file of its name. */
int rarog_decide_diff_tracing(struct rarog_deciding *d);
int rarog_decide_cg_shaping(struct rarog_deciding *d);
int rarog_decide_static_baseline(struct rarog_deciding *d);
int rarog_decide_dynamic_baseline(struct rarog_deciding *d);
int rarog_decide_dynamic_sampling(struct rarog_deciding *d);

#endif
