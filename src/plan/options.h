/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan as people ask for it: options of `rarog collect`, parameters of a job of `rarog run`.
 * RAROG_PLAN_OPTIONS() are the rows for an option table whose struct has a member of the type
 * struct rarog_plan_options.
 */
#ifndef RAROG_PLAN_OPTIONS_H
#define RAROG_PLAN_OPTIONS_H

#include "base/options.h"
#include "plan/plan.h"

/* Texts are borrowed from the callee. */
struct rarog_plan_options {
	int detail; /* enum rarog_detail; -1: nothing is said (rarog_plan_detail()) */
	int strategy;
	int loops; /* 1: rounds of each entry, too; -1: nothing is said */
	int times; /* enum rarog_block_times_how; -1: nothing is said */
	struct rarog_strings functions, excluded, binaries, usdt, at;
	struct rarog_strings args, arg, ret;
	bool no_usdt, libraries, drop, follow, compensate, accesses, no_stap_cache;
	const char *within, *not_below, *windows, *overhead;
	uint64_t max_size;
	long every;
	struct rarog_kept_binaries *kept; /* borrowed; NULL: nothing is kept */
};

/* What holds where nothing is said. */
#define RAROG_PLAN_OPTIONS_DEFAULT                                                                 \
	{                                                                                          \
		.detail = -1, .times = -1, .loops = -1, .follow = true, .max_size = 1ull << 30     \
	}

/** rarog_plan_detail() - the one that @options ask for, or what is usual. */
enum rarog_detail rarog_plan_detail(const struct rarog_plan_options *options);

/** rarog_strategy_has_libraries() - does the strategy mean the functions of libraries, too? */
bool rarog_strategy_has_libraries(const struct rarog_plan_options *options);

/** rarog_detail_names - "calls", "summary", "count", NULL at the end. */
extern const char *const rarog_detail_names[];
extern const char *const rarog_strategy_names[];

/** rarog_block_times_names - "estimated", "measured", "none", NULL at the end. */
extern const char *const rarog_block_times_names[];

/** rarog_loops_names - "sums", "trips", NULL at the end. */
extern const char *const rarog_loops_names[];

#define RAROG_PLAN_RESULT_OPTIONS(type, member)                                                    \
	RAROG_OPT_CHOICE('d', "detail", type, member.detail, "LEVEL", rarog_detail_names,          \
			 "calls: every call; summary: sums and call tree; count: only counts"),    \
		RAROG_OPT_SIZE(0, "max-size", type, member.max_size, "SIZE",                       \
			       "keep at most SIZE of events, then only sums (default 1G; 0: no "   \
			       "bound)"),                                                          \
		RAROG_OPT_FLAG(0, "compensate", type, member.compensate,                           \
			       "subtract the calibrated cost of the probes from the sums; each "   \
			       "probe then waits until the program's earlier instructions are "    \
			       "done, and costs more")

#define RAROG_PLAN_WHAT_OPTIONS(type, member)                                                      \
	RAROG_OPT_CHOICE(0, "strategy", type, member.strategy, "NAME", rarog_strategy_names,       \
			 "userspace: the program's functions (the default); all: its libraries' "  \
			 "too; custom: those of --func; u_sampled, a_sampled: as userspace and "   \
			 "all, but every 20th call"),                                              \
		RAROG_OPT_STRINGS(                                                                 \
			'f', "func", type, member.functions, "PATTERN",                            \
			"only these functions: [FILE#]name, glob or /regex/; with #N after it "    \
			"every N-th call; may be repeated"),                                       \
		RAROG_OPT_INT('g', "sample-calls", type, member.every, "N", 0,                     \
			      RAROG_CALL_SAMPLING_MAX,                                             \
			      "record every N-th call of each function and thread"),               \
		RAROG_OPT_STRINGS('x', "exclude", type, member.excluded, "PATTERN",                \
				  "leave these functions out; may be repeated"),                   \
		RAROG_OPT_STRINGS(0, "usdt", type, member.usdt, "PATTERN",                         \
				  "only these USDT probes: [FILE#]name, provider:name, glob or "   \
				  "/regex/; with #N after it every N-th passage; may be "          \
				  "repeated"),                                                     \
		RAROG_OPT_FLAG(                                                                    \
			0, "no-usdt", type, member.no_usdt,                                        \
			"leave USDT probes out (default: points are counted, pairs timed)"),       \
		RAROG_OPT_STRINGS(                                                                 \
			0, "at", type, member.at, "PLACE",                                         \
			"with [BINARY#]FILE:LINE or 0xADDRESS, count how often a line or address " \
			"is passed; with FILE:L1-L2, time the code between two lines; with "       \
			"FUNC@CALLER or FUNC@FILE:LINE, time the calls of FUNC by CALLER alone; "  \
			"with return@FUNC, count returns; with #N after it every N-th passage; "   \
			"may be repeated"),                                                        \
		RAROG_OPT_FLAG('l', "libs", type, member.libraries,                                \
			       "also functions of shared libraries"),                              \
		RAROG_OPT_STRINGS(0, "args", type, member.args, "FUNC[:NAME,…]",                   \
				  "keep with each call the values of FUNC's arguments: all, or "   \
				  "those named; FUNC may be a pattern or all; may be repeated"),   \
		RAROG_OPT_STRINGS(0, "arg", type, member.arg, "FUNC:PATH",                         \
				  "keep a field of an argument: 'f:list->length', 'f:v.size()'"),  \
		RAROG_OPT_STRINGS(0, "ret", type, member.ret, "FUNC", "keep what FUNC returns"),   \
		RAROG_OPT_STRING(0, "within", type, member.within, "FUNC",                         \
				 "only what runs inside FUNC (and FUNC)"),                         \
		RAROG_OPT_STRING(0, "not-below", type, member.not_below, "FUNC",                   \
				 "nothing that runs inside FUNC"),                                 \
		RAROG_OPT_STRINGS('b', "binary", type, member.binaries, "PATH",                    \
				  "measure only those started programs that are called PATH"),     \
		RAROG_OPT_FLAG(0, "follow", type, member.follow,                                   \
			       "measure child processes, too (default; --no-follow)")

#define RAROG_PLAN_WINDOWS_OPTION(type, member)                                                    \
	RAROG_OPT_STRING(0, "windows", type, member.windows, "ON/PERIOD",                          \
			 "record only calls that begin in the first ON of each PERIOD: 10ms/1s")

#define RAROG_PLAN_OVERHEAD_OPTION(type, member)                                                   \
	RAROG_OPT_STRING(0, "overhead", type, member.overhead, "PERCENT",                          \
			 "let probes take at most PERCENT (5%) of the program's own time: "        \
			 "functions that are called often are recorded now and then, or only "     \
			 "counted")

#define RAROG_PLAN_STAP_CACHE_OPTION(type, member)                                                 \
	RAROG_OPT_FLAG(0, "no-stap-cache", type, member.no_stap_cache,                             \
		       "make the module of SystemTap anew, and do not keep it (--engine stap)")

#define RAROG_PLAN_DROP_OPTION(type, member)                                                       \
	RAROG_OPT_FLAG(0, "drop", type, member.drop,                                               \
		       "lose events, and count them, rather than let the program wait")

#define RAROG_PLAN_TIMES_OPTION(type, member)                                                      \
	RAROG_OPT_CHOICE(0, "times", type, member.times, "HOW", rarog_block_times_names,           \
			 "times of blocks (--engine rewrite): estimated from samples (the "        \
			 "default), measured by a time stamp at each block, or none"),             \
		RAROG_OPT_CHOICE(0, "loops", type, member.loops, "WHAT", rarog_loops_names,        \
				 "counts of loops: sums, or trips: also the rounds of each "       \
				 "entry (--engine rewrite)")

#define RAROG_PLAN_ACCESSES_OPTION(type, member)                                                   \
	RAROG_OPT_FLAG(0, "accesses", type, member.accesses,                                       \
		       "count loads and stores of memory, and their bytes, too "                   \
		       "(--engine vex)")

/**
 * rarog_plan_make() - the plan that @options ask for
 *
 * Return: 0; -EINVAL what excludes each other, or a pattern that is none; release the plan in any
 * case.
 */
int rarog_plan_make(const struct rarog_plan_options *options, struct rarog_plan *plan);
void rarog_plan_release(struct rarog_plan *plan);

#endif
