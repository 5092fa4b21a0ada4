/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The points of `rarog model`: what functions, or the whole program, cost, by what was chosen as x.
 *
 *   x of each call   a captured value by its name ("n", "list->length", "return"), the size of a
 *                    structure that an imported profile has, the order of calls
 *   x of each run    the number of its workload, the value of an option of the program, or how
 *                    often the function's own loops went round in it
 *
 * y of a call is a time, or instructions where they were counted by call; y of a run what the
 * function took in it, all calls together.
 */
#ifndef RAROG_MODEL_COSTS_H
#define RAROG_MODEL_COSTS_H

#include "base/match.h"
#include "model/normal-form.h"
#include "model/points.h"

/* x of runs */
#define RAROG_COST_WORKLOAD "workload"
#define RAROG_COST_OPTION   "option:" /* and its name */

/* x and y of runs: of all loops of a function; with ":LINE" of those that begin there */
#define RAROG_COST_ITERATIONS "iterations"

enum rarog_cost_unit {
	RAROG_UNIT_NS,
	RAROG_UNIT_COUNT,
	RAROG_UNIT_BYTES,
	RAROG_UNIT_PART, /* of the largest: how normalized amounts are shown */
};

/* Points of several variables. */
struct rarog_rows {
	size_t n, capacity;
	double *x;       /* x[n × variables] */
	double *y;       /* y[n] */
	size_t left_out; /* not finite */
};

struct rarog_cost_request {
	const char *x;      /* NULL: what the profiles offer; "workload", "option:NAME",
			     * "iterations", "order", "size", else a captured value */
	const char *y;      /* NULL: instructions over runs where they are known, else time */
	bool is_per_call;   /* over runs: the mean of a call instead of the sum */
	bool is_normalized; /* amounts as parts of the function's largest: in each profile the
			       largest that is typical of an x, of runs the largest of all */
	struct rarog_match *functions; /* by title or symbol; zeroed: all */
	size_t n_variables;            /* at least 1: rows are wanted, of … */
	char *const *variables; /* … these x, of calls or of runs all of them; .x is not used */
};

/* Of one function; texts are its own. */
struct rarog_costing {
	char *name;                 /* title, "program" of the whole run */
	char *mangled;              /* NULL: the program */
	char *x;                    /* "n", "workload" … */
	bool is_mixed;              /* its runs have different x: there is no model of these */
	double total;               /* Σ y */
	struct rarog_points points; /* sorted */
	struct rarog_rows rows;     /* instead, where variables were asked for */
	size_t n_unknown;           /* more runs: calls are missing, so y is not known … */
	const char *why_unknown;    /* … for this reason; static */
	double ticks, preempted;    /* of calls: all, and of these when others had the processor */
	double longest;             /* normalized: the y that is 1, the largest of all profiles */
	bool has_loop;              /* that went round in a run; where x are iterations */
	bool is_least;              /* x or y are rounds, and some of an irreducible loop */
	/* Of the run that is being read; functions of one name are one. */
	double amount, calls, iterations[RAROG_NORMAL_VARIABLES];
};

struct rarog_costs {
	RAROG_VEC(struct rarog_costing) list; /* the program, then by Σ y, the largest first */
	bool is_over_runs;
	const char *y; /* "wall", "instructions" …; borrowed from the request or static */
	enum rarog_cost_unit unit; /* as measured */
	bool is_normalized, is_per_call;
	size_t n_variables; /* 0: there are points, no rows */
	char *const *variables;
	size_t n_runs;
	size_t left_out; /* functions that were called and have no such x */
};

/** rarog_cost_option() - "NAME" of an x "option:NAME"; NULL: @x (may be NULL) is none. */
const char *rarog_cost_option(const char *x);

/** rarog_cost_is_iterations() - @amount (may be NULL) is an x or y of loops. @ret_line: unchanged,
 * all are meant. */
bool rarog_cost_is_iterations(const char *amount, uint32_t *ret_line);

/**
 * rarog_costs_read() - of all @n profiles together
 *
 * Return: 0, there is one at least; -EINVAL there is no such x or y, or the profiles do not go
 * together; -ENODATA they have no points, or none of such functions: the message says what has;
 * -EBADMSG, -ENOMEM.
 */
int rarog_costs_read(size_t n, struct rarog_profile *const profiles[],
		     const struct rarog_cost_request *request, struct rarog_costs *ret_costs);
void rarog_costs_release(struct rarog_costs *costs);

/** rarog_cost_note_preempted() - for how long other programs had the processor in calls of
 * @profile: .ticks and .preempted. @at: by location, index in the list, or too large. 0, -EBADMSG,
 * -ENOMEM. */
int rarog_cost_note_preempted(struct rarog_profile *profile, size_t n_locations, const size_t at[],
			      struct rarog_costs *costs);

#endif
