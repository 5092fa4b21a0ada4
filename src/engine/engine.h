/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a collector stands on, as a table with a contract per slot (doc/howto/add-an-engine.md).
 * Nothing outside an engine's own folder knows how it works; what it can do is said in its
 * abilities.
 */
#ifndef RAROG_ENGINE_ENGINE_H
#define RAROG_ENGINE_ENGINE_H

#include "base/str.h"
#include "engine/request.h"
#include "engine/steps.h"

/* What may be asked of an engine; options that need what it has not are refused. */
enum rarog_engine_abilities {
	RAROG_ENGINE_CHOOSES = 1 << 0,     /* --func, --exclude, --strategy: which functions */
	RAROG_ENGINE_DETAILS = 1 << 1,     /* --detail: calls, sums or counts */
	RAROG_ENGINE_LIBRARIES = 1 << 2,   /* --libs: those of shared libraries or not */
	RAROG_ENGINE_ROOTS = 1 << 3,       /* --within, --not-below */
	RAROG_ENGINE_PROGRAMS = 1 << 4,    /* --binary: which programs */
	RAROG_ENGINE_ALONE = 1 << 5,       /* --no-follow: without child processes */
	RAROG_ENGINE_BOUNDED = 1 << 6,     /* --max-size */
	RAROG_ENGINE_WAITS = 1 << 7,       /* --drop: the program waits unless it is given */
	RAROG_ENGINE_COMPENSATES = 1 << 8, /* --compensate */
	RAROG_ENGINE_ATTACHES = 1 << 9,    /* --pid: programs that run already */
	RAROG_ENGINE_DRY = 1 << 10,        /* --dry-run */
	RAROG_ENGINE_SAMPLES = 1 << 11,    /* --rate and all about samples: plan->sample */
	RAROG_ENGINE_SKIPS = 1 << 12,      /* --sample-calls: every N-th call, plan->every */
	RAROG_ENGINE_VALUES = 1 << 13,     /* --args, --arg, --ret: values captured with calls */
	RAROG_ENGINE_MARKS = 1 << 14,      /* --usdt, --at: marks */
	RAROG_ENGINE_ACCESSES = 1 << 15,   /* --accesses: loads and stores */
	RAROG_ENGINE_EVERYBODY = 1 << 16,  /* --every-process: attachment->file */
	RAROG_ENGINE_WINDOWS = 1 << 17,    /* --windows: plan->windows */
	RAROG_ENGINE_COUNTS = 1 << 18,     /* it counts what the machine does, and knows no times:
					    * --detail says nothing */
	RAROG_ENGINE_SWITCHES = 1 << 19,   /* set_place() */
	RAROG_ENGINE_THINS = 1 << 20,      /* --overhead: plan->overhead */
	RAROG_ENGINE_TIMES = 1 << 21,      /* --times, --loops: of blocks */
	RAROG_ENGINE_REGIONS = 1 << 22, /* it knows features' regions by itself: no plan->regions */
	RAROG_ENGINE_BREAKPOINTS = 1 << 23, /* its probes are the kernel's, of one byte */
	RAROG_ENGINE_WRITES = 1 << 24,      /* its probes need room in the code of each function */
	RAROG_ENGINE_CACHES = 1 << 25,      /* --no-stap-cache: what it makes of a plan is kept */
	RAROG_ENGINE_QUICK = 1 << 26,       /* check() takes so little that each run may ask it */
	RAROG_ENGINE_TURNS_OFF = 1 << 27,   /* dynamic probing: plan->probing */
};

struct rarog_engine {
	const char *name;
	unsigned abilities; /* enum rarog_engine_abilities */
	const char
		*instead; /* what it measures where nothing can be chosen: "%s %s" with its name */

	/* Where it is used because the usual engine cannot: what people call it (NULL: its name),
	 * and what they get. */
	const char *word, *gives;

	/* For rarog doctor, if examine() is there: what it is called, what it is for, and what
	 * makes it work where it does not. */
	const char *doctor, *needed_for, *remedy;

	/**
	 * check() - does it work on this machine, for this user?
	 *
	 * As examine(), without measuring what anything costs: asked before a run. Callers use
	 * rarog_engine_check().
	 *
	 * Return: 0; -errno with message: why not, and what would help. NULL: it needs nothing.
	 */
	int (*check)(void);

	/**
	 * allows() - would it take this program under @plan?
	 * @program: as it is to be started, NULL: @attachment says which runs already
	 *
	 * What prepare() refuses, without its warnings; a program that is not there is not refused.
	 * NULL: it takes all that its abilities allow.
	 *
	 * Return: 0; -errno with message.
	 */
	int (*allows)(const struct rarog_plan *plan, const char *program,
		      const struct rarog_attachment *attachment);

	/**
	 * examine() - does it work on this machine, for this user?
	 * @found: gets a phrase about what there is, with what a call costs, measured in a second
	 * at most, where calls cost something
	 *
	 * Tries the thing itself, never a version number; leaves nothing behind. NULL: it needs
	 * nothing.
	 *
	 * Return: 0; -errno with message: why not.
	 */
	int (*examine)(struct rarog_str *found);

	/** write_parameters() - members "collector", "engine" and "parameters" of the header of a
	 * run under @plan */
	void (*write_parameters)(struct rarog_json *json, const struct rarog_plan *plan);

	const struct rarog_engine_steps *steps; /* of a run */
};

/** rarog_engine_allowed() - 0; -ENOTSUP with message: RAROG_TEST_WITHOUT=WORD,…, which is for
 * tests, names it. */
int rarog_engine_allowed(const struct rarog_engine *engine);

/** rarog_engine_check() - rarog_engine_allowed(), and its check(). */
int rarog_engine_check(const struct rarog_engine *engine);

/** rarog_engine_set_place() - as set_place() of @engine; -ENOTSUP with message where it has none.
 */
int rarog_engine_set_place(const struct rarog_engine *engine, struct rarog_engine_run *run,
			   const struct rarog_place_change *change);

/** rarog_engine_tell_counts() - as tell_counts() of @engine; -ENOTSUP with message where it has
 * none. */
int rarog_engine_tell_counts(const struct rarog_engine *engine, struct rarog_engine_run *run,
			     const struct rarog_delay_account *account);

/** rarog_engine_word() - what people call it: "sample" is the engine perf. */
const char *rarog_engine_word(const struct rarog_engine *engine);

extern const struct rarog_engine rarog_engine_inline; /* of the collector trace … */
extern const struct rarog_engine rarog_engine_ebpf;
extern const struct rarog_engine rarog_engine_stap;
extern const struct rarog_engine rarog_engine_vex;
extern const struct rarog_engine rarog_engine_compiled; /* … of blocks */
extern const struct rarog_engine rarog_engine_rewrite;
extern const struct rarog_engine rarog_engine_kernel; /* … of time */
extern const struct rarog_engine rarog_engine_perf;   /* … of sample */
extern const struct rarog_engine rarog_engine_static; /* … of features */

#endif
