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

/*
 * ROW(NUMBER, name, function that decides, traits, what it leaves measured), in the order in
 * which the account has them; WHEN() of what is about when, not about which functions, and so
 * decides nothing (rarog_optimize_windows(), rarog_optimizer_probing()). Traits are the pipelines
 * that it is part of, and what it needs to be told; 0: neither.
 */
#define RAROG_IN(pipeline)  (1u << RAROG_PIPELINE_##pipeline)
#define RAROG_NEEDS_RUN     (1u << 16) /* .statistics and .since_run of struct rarog_deciding */
#define RAROG_NEEDS_VERSION (1u << 17) /* .changes of it */
#define RAROG_TECHNIQUE_ROWS(ROW, WHEN)                                                            \
	ROW(DIFF_TRACING, "diff-tracing", diff_tracing,                                            \
	    RAROG_IN(ADVANCED) | RAROG_IN(FULL) | RAROG_NEEDS_VERSION, "what has changed")         \
	ROW(CG_SHAPING, "cg-shaping", cg_shaping,                                                  \
	    RAROG_IN(BASIC) | RAROG_IN(ADVANCED) | RAROG_IN(FULL),                                 \
	    "by the shape of the call graph")                                                      \
	ROW(STATIC_BASELINE, "static-baseline", static_baseline, RAROG_IN(FULL),                   \
	    "functions of constant cost")                                                          \
	ROW(DYNAMIC_BASELINE, "dynamic-baseline", dynamic_baseline,                                \
	    RAROG_IN(BASIC) | RAROG_IN(ADVANCED) | RAROG_IN(FULL) | RAROG_NEEDS_RUN,               \
	    "functions of which the last run has learned enough")                                  \
	ROW(DYNAMIC_SAMPLING, "dynamic-sampling", dynamic_sampling,                                \
	    RAROG_IN(ADVANCED) | RAROG_IN(FULL) | RAROG_NEEDS_RUN,                                 \
	    "every n-th call of what is called often")                                             \
	ROW(REACHED_BEFORE, "reached-before", reached_before, RAROG_NEEDS_RUN,                     \
	    "what an earlier run has called, and what is new")                                     \
	WHEN(DYNAMIC_PROBING, "dynamic-probing", RAROG_IN(FULL) | RAROG_NEEDS_VERSION,             \
	     "calls until there were enough of them")                                              \
	WHEN(TIMED_SAMPLING, "timed-sampling", 0, "one half of the time")

#define RAROG_TECHNIQUE_ROW_NUMBER(number, name, decide, traits, summary) RAROG_TECHNIQUE_##number,
#define RAROG_TECHNIQUE_WHEN_NUMBER(number, name, traits, summary)        RAROG_TECHNIQUE_##number,
enum rarog_technique_number {
	RAROG_TECHNIQUE_ROWS(RAROG_TECHNIQUE_ROW_NUMBER, RAROG_TECHNIQUE_WHEN_NUMBER)
		RAROG_TECHNIQUES,
};

/* " diff-tracing cg-shaping …" */
#define RAROG_TECHNIQUE_ROW_NAME(number, name, decide, traits, summary) " " name
#define RAROG_TECHNIQUE_WHEN_NAME(number, name, traits, summary)        " " name
#define RAROG_TECHNIQUE_NAMES                                                                      \
	RAROG_TECHNIQUE_ROWS(RAROG_TECHNIQUE_ROW_NAME, RAROG_TECHNIQUE_WHEN_NAME)

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
	const uint8_t *since_run; /* [callees]: of each since it was measured last, as .statistics
				     say; what is not known there is NEW; NULL: unknown */
	bool is_alone;            /* is one technique on, and no other? */
	const bool *is_protected; /* [callees] */
	RAROG_VEC(struct rarog_decision) v;  /* what was decided */
	const char *aside[RAROG_TECHNIQUES]; /* why one has stepped aside; static, NULL */
};

struct rarog_technique {
	const char *name, *summary;
	/* 0, -ENOMEM. NULL: it is about when, not about which functions (rarog_optimize_windows()).
	 */
	int (*decide)(struct rarog_deciding *d);
	unsigned traits; /* RAROG_IN(), RAROG_NEEDS_… */
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

/** rarog_is_as_measured() - does @node do what it did when it was measured last? Also if it refers
 * to others. */
bool rarog_is_as_measured(const struct rarog_deciding *d, uint32_t node);

/** rarog_sampling_rate() - every how many calls of what @f is about, so that there are about
 * @threshold records. */
uint32_t rarog_sampling_rate(const struct rarog_function_statistics *f, double threshold);

/** rarog_diff_is_kept() - is what has become of @node (enum rarog_code_change) reason to measure
 * it? */
bool rarog_diff_is_kept(const struct rarog_subject *subject,
			const struct rarog_parameters *parameters, uint32_t node, uint8_t change);

/* Each is in a file of its name. */
#define RAROG_TECHNIQUE_ROW_EXTERN(number, name, decide, traits, summary)                          \
	int rarog_decide_##decide(struct rarog_deciding *d);
#define RAROG_TECHNIQUE_WHEN_EXTERN(number, name, traits, summary)
RAROG_TECHNIQUE_ROWS(RAROG_TECHNIQUE_ROW_EXTERN, RAROG_TECHNIQUE_WHEN_EXTERN)

#endif
