/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program does when one function is slower, or faster than the rest: runs with noise, and
 * others to compare them with between them, in an order that is drawn anew in each round (mode.h).
 */
#ifndef RAROG_BLOW_BLOW_H
#define RAROG_BLOW_BLOW_H

#include <stdio.h>

#include "blow/mode.h"
#include "blow/progress-point.h"
#include "blow/threads.h"
#include "plan/noise.h"
#include "plan/options.h"
#include "process/running.h"
#include "process/stacks.h"

struct rarog_attachment;
struct rarog_engine;

struct rarog_blow_options {
	const struct rarog_blow_mode *mode;
	const struct rarog_engine *engine;
	struct rarog_command_line *command;
	/* A program that runs already, first traced for duration_ns: windows of window_ns take the
	 * place of runs (live.h). NULL: command is run. */
	const struct rarog_attachment *attachment;
	uint64_t window_ns;
	struct rarog_blow_choice choice;
	struct rarog_plan_options what; /* which functions may be chosen at all */
	uint64_t budget_ns;             /* 0: none … */
	uint64_t budget_runs;           /* … likewise */
	uint64_t timeout_ns;            /* of one run; 0: by what it takes without noise */
	uint64_t seed;
	bool is_full;               /* each function gets noise of every strength … */
	bool halves;                /* … or the half that can matter least leaves: shrink.h */
	bool only_functions;        /* say which would get noise, and no more */
	double sampling;            /* causal: parts by which functions are faster, from round to
				     * round; 0: they double */
	FILE *log;                  /* a line a run; NULL: none */
	bool compares_output;       /* what is printed is a part of how a run ends */
	const char *journal;        /* file that has each run, and those made before; NULL: none */
	uint64_t least_ns, most_ns; /* of noise in one call */
	/* Functions or points whose passages are what counts, the first of them in rounds; "auto"
	 * alone: one is chosen; none: the whole run. */
	struct rarog_strings points;
	enum rarog_noise kind; /* slow: of the noise */
	double growth;         /* from one round to the next */
	double most_share;     /* slow: of a run, in noise */
	double strength;       /* speed: by which part everything is slower */
	double small, narrow;  /* influence that does not matter; width that is enough */
	double surely; /* no function has less than minus this: an interval that has is not yet to
			* be believed */
	/* Told after each run; may be NULL. */
	void (*progress)(void *user, uint64_t runs, double share);
	void *user;
};

/* With noise the program did something else: a race, or a limit of time that it has. */
struct rarog_blow_finding {
	size_t function; /* in the corpus */
	uint64_t delay_ns;
	uint64_t seen;   /* in so many of its runs */
	int status;      /* wait status … */
	bool is_control; /* the function was late by what it gained */
	bool printed_else;
	bool timed_out;
	struct rarog_thread_stacks stacks; /* … if it is: where its threads stood */
};

struct rarog_blow_effect {
	bool is_known;
	struct rarog_blow_estimate answer; /* as of the whole run: mode.h */
};

/* Of each run, by its number. */
struct rarog_blow_record {
	double time_ns;
	uint64_t passes[RAROG_BLOW_POINTS_MOST];
};

struct rarog_blow_result {
	struct rarog_blow_corpus corpus;
	uint64_t runs, shared; /* all of them, and those to compare with */
	uint64_t rounds;
	uint64_t resumed;  /* runs that an earlier session had made */
	uint64_t spoilt;   /* runs that do not count, made anew: run.h */
	uint64_t unpassed; /* runs that do not count: without a passage of the first point … */
	uint64_t left_out; /* … or, with noise in all functions, with another end than without */
	double base_ns;    /* mean of the runs to compare with, without pauses: mode.h */
	double plain_ns;   /* without any noise */
	double starved;    /* mean of all runs: run.h */
	struct rarog_blow_points points; /* of progress, with passages in the traced run */
	double load;                     /* of the machine, before */
	long input;                      /* where standard input begins */
	int status;                      /* wait status of the program without noise … */
	uint64_t output;                 /* … and digest of what it printed; 0: is not compared */
	uint64_t taken_ns;
	RAROG_VEC(struct rarog_blow_finding) findings;
	struct rarog_blow_threads threads; /* of the traced run */
	/* How long each of them was there in each run: times.v[run number * threads.v.n + i], ns;
	 * NAN: it was not found again. */
	RAROG_VEC(double) times;
	/* What noise in a function does to a thread: effects.v[function * threads.v.n + i]. */
	RAROG_VEC(struct rarog_blow_effect) effects;
	RAROG_VEC(struct rarog_blow_record) records; /* empty: there are no points */
	/* … and to the time for passages: point_effects.v[function * points.v.n + i]. */
	RAROG_VEC(struct rarog_blow_effect) point_effects;
};

/** rarog_blow_noise_names - "busy", "sleep", "yield", "memory", "lock", NULL. */
extern const char *const rarog_blow_noise_names[];

/** rarog_blow_noise_name() - what is done, as in JSON and in profiles. */
const char *rarog_blow_noise_name(const struct rarog_blow_options *options);

/** rarog_blow() - 0; -errno with message: nothing could be measured. Release in any case. */
int rarog_blow(const struct rarog_blow_options *options, struct rarog_blow_result *ret_result);
void rarog_blow_result_release(struct rarog_blow_result *result);

#endif
