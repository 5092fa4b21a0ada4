/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan: what to probe and how. The command makes it, an engine follows it.
 */
#ifndef RAROG_PLAN_PLAN_H
#define RAROG_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/match.h"
#include "plan/call-sampling.h"
#include "plan/place-request.h"
#include "plan/value-request.h"

enum rarog_detail { RAROG_DETAIL_CALLS, RAROG_DETAIL_SUMMARY, RAROG_DETAIL_COUNT };

/* What is known of the time in blocks. */
enum rarog_block_times_how {
	RAROG_BLOCK_TIMES_ESTIMATED, /* from samples */
	RAROG_BLOCK_TIMES_MEASURED,  /* by a time stamp where each begins */
	RAROG_BLOCK_TIMES_NONE,
};

struct rarog_sample_options;
struct rarog_region_places;

struct rarog_binary;
struct rarog_place_set;

/*
 * What decides which places are worth their cost. decide() is called once for each image when it
 * becomes known (at the start, by an exec, by dlopen()), before anything in it is patched, and may
 * change the actions of @set (place-set.h). NULL: they stay. 0, or -errno with message: the image
 * is not measured.
 */
struct rarog_place_judge {
	int (*decide)(void *user, struct rarog_binary *binary, struct rarog_place_set *set);
	void *user;
};

struct rarog_delayed_calls {
	const char *path; /* of the file … */
	uint64_t address; /* … of the function in it, … */
	const char *mark; /* … or of a mark and its name; NULL: it is a function */
	uint32_t tid;
	uint64_t calls;
	uint64_t amount;  /* as noted: ticks, or turns of a loop … */
	double late_ns;   /* … which are this, if the last noise there was all of it */
	double gained_ns; /* by all calls with the action GAIN so far: others owed that */
	uint64_t lapses;  /* of noise: the engine was stopped, or starved */
};

/*
 * What is told the outcome of places with the action DELAY. take() is called for each strand that
 * ends, by a thread of the engine: its calls of one function, or passages of one mark, and by
 * how much they were late, all together. Where delays changed while it ran, both by a
 * loop and by the clock, that is only about so. NULL: nobody is.
 */
struct rarog_delay_account {
	void (*take)(void *user, const struct rarog_delayed_calls *calls);
	void *user;
};

/* What is told that thread @creator, which is traced and stands still, has created thread @tid. By
 * the thread that traces. NULL: nothing is. */
struct rarog_birth_account {
	void (*born)(void *user, pid_t creator, pid_t tid);
	void *user;
};

struct rarog_plan {
	const char *collector; /* whose run it is: "trace" …; static */
	enum rarog_detail detail;
	struct rarog_match functions;              /* which functions of the probed binaries */
	struct rarog_match usdt;                   /* which USDT probes; zeroed: see marks.c … */
	struct rarog_call_sampling usdt_every;     /* … and how often each of them */
	bool no_usdt, no_functions;                /* none of them at all */
	struct rarog_place_requests places;        /* counted or timed without a mark */
	const struct rarog_region_places *regions; /* of features; borrowed, NULL: none … */
	const struct rarog_feature_options *features; /* … and how they were chosen; borrowed */
	struct rarog_match programs; /* which programs of a process tree; zeroed: see is_probed */
	struct rarog_call_sampling every; /* … and which of their calls */
	/* Calls that begin in the first on_ns of each period_ns; 0: in all of them. */
	struct rarog_windows {
		uint64_t on_ns, period_ns;
	} windows;
	/* Off once it was called so often (plan/probing.h); 0: never. */
	struct rarog_probing {
		uint64_t threshold;
		bool reattaches; /* on again after a while */
	} probing;
	double overhead;    /* --overhead, of the program's own time; 0: whatever it costs */
	bool switches;      /* probes may be switched while the program runs */
	bool delays;        /* calls may be made to begin late: noise; not with detail COUNT … */
	uint8_t noise;      /* … enum rarog_noise: what they do then (noise.h) */
	bool libraries;     /* shared libraries, too */
	bool hooked;        /* only what rarog cc --hooks built, by its rules */
	bool drop;          /* a full ring drops events instead of waiting */
	bool follow;        /* child processes, too */
	bool accesses;      /* loads and stores, too */
	bool no_stap_cache; /* SystemTap makes its module anew */
	enum rarog_block_times_how times;
	bool rounds;       /* of each entry of a loop */
	bool orders_clock; /* probes wait for what the program did before they read the clock */
	const char *within, *not_below;            /* function pattern or NULL … */
	struct rarog_match roots;                  /* … whichever it is */
	const struct rarog_sample_options *sample; /* where samples are taken; borrowed */
	struct rarog_value_requests values;        /* captured with calls */
	uint64_t max_size; /* bytes of raw events, then only summaries; 0: no bound */
	struct rarog_place_judge judge;
	struct rarog_kept_binaries *kept; /* keeps what is read of files for the next run;
					   * borrowed, NULL: nothing is kept */
	char *techniques; /* JSON: what the judge was told to do; its own, NULL: nothing */
	struct rarog_delay_account delayed;
	struct rarog_birth_account births; /* of the inline engine, where it starts the program */
};

#endif
