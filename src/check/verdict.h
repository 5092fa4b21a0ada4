/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict on a target version against a baseline: what changed, by how much, how sure, and
 * what a reader must know about it. Methods append changes; views print them.
 */
#ifndef RAROG_CHECK_VERDICT_H
#define RAROG_CHECK_VERDICT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "check/class.h"

/* What is compared. Methods may have some of their own. */
struct rarog_metric {
	const char *name; /* "exclusive-time" */
	const char *unit; /* "ns", "calls", ""; of baseline and target */
};

extern const struct rarog_metric rarog_metric_wall; /* of the whole program */
extern const struct rarog_metric rarog_metric_cpu;
extern const struct rarog_metric rarog_metric_exclusive; /* of a function */
extern const struct rarog_metric rarog_metric_inclusive;
extern const struct rarog_metric rarog_metric_calls;
extern const struct rarog_metric rarog_metric_waiting;      /* of a function itself */
extern const struct rarog_metric rarog_metric_growth;       /* of calls, by what they were given */
extern const struct rarog_metric rarog_metric_instructions; /* of either */

#define RAROG_CHANGE_PROGRAM SIZE_MAX /* row of the whole program, or of none */

/* Where along x a model changed. */
struct rarog_change_part {
	enum rarog_class class;
	double from, to; /* x */
	double relative; /* there */
};

/* One thing that was compared; unknown numbers are NAN. RAROG_CHANGE_INIT sets them so. */
struct rarog_change {
	enum rarog_class class;
	const struct rarog_metric *metric;
	const char *location; /* function as people know it, "" of the whole program */
	const char *binary;   /* its file's name, NULL: unknown, or the whole program */
	const char *file;     /* source, NULL: unknown */
	uint32_t line;
	size_t row;              /* of the comparison (comparison.h), or RAROG_CHANGE_PROGRAM */
	double baseline, target; /* typical amounts, in the metric's unit */
	double relative;         /* target against baseline: 0.05 is 5 % more */
	double low, high;        /* interval of .relative */
	double p, q;             /* as tested, and with all the tests made with it in mind */
	bool is_by_probes;       /* its direction depends on what their cost is taken to be */
	double impact;           /* target - baseline as a part of the whole baseline run */
	const char *method;      /* its name */
	const struct rarog_change_part *parts; /* n_parts, along x; copied */
	size_t n_parts;
	const char *reason; /* in words, one line, NULL: nothing to add */
	const char *path;   /* calls through which it came: "main > parse", NULL: not known */
	const char *lines;  /* source lines that changed there: "a.c:12-14, 20", likewise */
};

#define RAROG_CHANGE_INIT                                                                          \
	{                                                                                          \
		.location = "", .row = RAROG_CHANGE_PROGRAM, .baseline = NAN, .target = NAN,       \
		.relative = NAN, .low = NAN, .high = NAN, .p = NAN, .q = NAN, .impact = NAN        \
	}

/* In one word, what the whole check found; the worst counts. */
enum rarog_finding {
	RAROG_FINDING_NONE = 0, /* nothing changed by as much as matters */
	RAROG_FINDING_IMPROVEMENT,
	RAROG_FINDING_MAYBE,        /* slower, perhaps by less than matters */
	RAROG_FINDING_INCONCLUSIVE, /* the runs do not tell */
	RAROG_FINDING_DEGRADATION,
};

/** rarog_finding_name() - "none", "improvement", "maybe", "inconclusive", "degradation"; static. */
const char *rarog_finding_name(enum rarog_finding finding);

struct rarog_verdict {
	enum rarog_finding finding;
	RAROG_VEC(struct rarog_change) changes; /* texts are the verdict's own */
	RAROG_VEC(char *) notes;                /* what limits it, a line each */
	size_t tests;                           /* functions tested together */
	size_t runs_needed;     /* a side, to be able to tell; 0: there were enough */
	bool is_same_program;   /* of both versions: nothing changed, whatever was measured */
	bool is_forced;         /* of runs that are not comparable */
	bool is_open;           /* something that could matter was not decided */
	bool has_added;         /* new functions take more than others save: perhaps it is slower */
	double smallest_effect; /* a relative change of times up to this does not matter; 0: not
				   known */
	bool is_unexplained;    /* the program changed; more runs might show which function */
};

void rarog_verdict_release(struct rarog_verdict *verdict); /* fits rarog_cleanup() */

/** rarog_verdict_add() - append a change; texts are copied. 0 or -ENOMEM. */
int rarog_verdict_add(struct rarog_verdict *verdict, const struct rarog_change *change);

/** rarog_verdict_note() - append a note, once. 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int rarog_verdict_note(struct rarog_verdict *verdict,
							     const char *format, ...);

/** rarog_change_say() - put @take_text (malloc'd, or NULL) in the place of a text of a change that
 * a verdict owns: rarog_change_say(&change->reason, …). */
void rarog_change_say(const char **text, char *take_text);

/**
 * rarog_verdict_finish() - sort the changes, what matters most first, and set the finding
 *
 * The whole program comes first, then what got slower, what perhaps did, what got faster, what
 * came and went, what is undecided by its p, the rest; equals by the size of their impact.
 * Degradation beats inconclusive
 * (.is_open) beats maybe (.has_added too) beats improvement. Instructions of functions count where
 * those of the whole program changed in the same direction.
 */
void rarog_verdict_finish(struct rarog_verdict *verdict);

#endif
