/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What methods compare: functions of both versions, matched, and what each took in each run.
 */
#ifndef RAROG_CHECK_COMPARISON_H
#define RAROG_CHECK_COMPARISON_H

#include <stdbool.h>

#include "check/side.h"

struct rarog_inlining; /* inlining.h */
struct rarog_sittings; /* sittings.h */

enum rarog_side_index { RAROG_BASELINE = 0, RAROG_TARGET = 1 };

enum rarog_measure {
	RAROG_MEASURE_EXCLUSIVE, /* ns, without probe cost where it is known */
	RAROG_MEASURE_PROBED,    /* … with it: how much of it was there at all is not known */
	RAROG_MEASURE_INCLUSIVE, /* ns, recursion counted once; likewise */
	RAROG_MEASURE_CALLS,
	RAROG_MEASURE_WAITING, /* ns that it waited itself; 0 without .has_waiting */
	RAROG_MEASURES
};

/* How one version has a function. Texts are borrowed from a profile of its side. */
struct rarog_row_form {
	const char *mangled; /* NULL: this version did not call it */
	const char *name;    /* for people */
	const char *binary;  /* path, NULL: unknown */
	const char *file;    /* NULL: unknown */
	uint32_t line;
	uint64_t size; /* bytes of code, 0: unknown */
};

/* A function; with it those that only one version has inlined into it. */
struct rarog_row {
	struct rarog_row_form form[2];
	double *values[2][RAROG_MEASURES]; /* values[side][measure][run]; 0: not called */
	double share;                      /* of exclusive time, label-blind: both sides pooled */
	double waiting_share;   /* what it waits, of exclusive time and waiting; likewise */
	const char *matched_by; /* why two names are one function ("renamed", "moved"), NULL: the
				 * same name at the same place */
	char *folded;           /* names of the functions whose calls are counted in, NULL: none */
	bool is_folded;         /* all its calls are counted in elsewhere: nothing is left here */
	bool is_unknown;        /* not measured in one version: nothing is here of either */
	bool has_no_total;      /* … or a recursion of which not every call was recorded */
	bool was_called;        /* in any run, unknown or not */
	double unlike_ns;       /* a run, of probes in callees that only one version has measured */
	bool is_inclusive; /* exclusive times are not known: those below are with what it called */
};

struct rarog_comparison {
	struct rarog_side sides[2];
	bool is_paired;  /* run i of one side was made beside run i of the other, in random order */
	bool has_times;  /* else numbers of calls only */
	bool has_blocks; /* all runs counted blocks */
	bool has_experiments; /* all are of rarog blow */
	bool is_cpu_time;     /* times of functions are CPU times: known in all runs; else wall */
	size_t runs_with_cpu; /* in how many they are known */
	bool has_waiting;     /* CPU times of programs of one thread: what that waits for, the run
			       * waits for. Among several threads most wait for each other */
	size_t n;
	struct rarog_row *rows;
	double *total_ns[2];             /* total_ns[side][run]: exclusive time of all functions */
	double *waiting_ns[2];           /* likewise, what they waited */
	uint32_t **row_of[2];            /* row_of[side][run][location]: row, RAROG_NONE: none */
	struct rarog_inlining *inlining; /* which calls are counted with their caller */
	const struct rarog_sittings *sittings; /* borrowed; NULL: nothing is known of any */
};

/**
 * rarog_comparison_fill() - match the functions of both sides and gather their amounts
 * @comparison: .sides are set; all else is filled in
 *
 * Return: 0; -EINVAL a side without a run; -EBADMSG a damaged profile; -ENOMEM.
 */
int rarog_comparison_fill(struct rarog_comparison *comparison);
void rarog_comparison_release(struct rarog_comparison *comparison); /* sides too */

/** rarog_row_name() - as the target has it, else the baseline; borrowed. */
const char *rarog_row_name(const struct rarog_row *row);
/** rarog_row_form() - likewise. */
const struct rarog_row_form *rarog_row_form(const struct rarog_row *row);

/** rarog_row_steady_calls() - how often all runs of a side called it; NAN: it differs. */
double rarog_row_steady_calls(const struct rarog_comparison *comparison,
			      const struct rarog_row *row, enum rarog_side_index side);

#endif
