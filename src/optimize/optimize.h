/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions are worth being measured: the plan's judge (plan/plan.h). Techniques decide from
 * the call graph and from earlier runs; what they decided, and why, is the account.
 */
#ifndef RAROG_OPTIMIZE_OPTIMIZE_H
#define RAROG_OPTIMIZE_OPTIMIZE_H

#include <jansson.h>

#include "base/options.h"
#include "optimize/technique.h"

struct rarog_optimize_options {
	int pipeline; /* enum rarog_pipeline */
	struct rarog_strings on, off, parameters;
	int cache; /* enum rarog_opt_cache */
	bool explain;
};

/** rarog_optimize_is_asked() - is any technique on? */
bool rarog_optimize_is_asked(const struct rarog_optimize_options *options);

/** rarog_optimize_identity() - what tells runs with these options from others; canonical: what is
 * usual is left out. NULL: no memory. */
json_t *rarog_optimize_identity(const struct rarog_optimize_options *options);

/** rarog_optimize_describe() - the same as a text; the caller frees. 0, -ENOMEM. */
int rarog_optimize_describe(const struct rarog_optimize_options *options, char **ret_text);

/* What is kept of files and runs, and could be found out again. */
enum rarog_opt_cache {
	RAROG_OPT_CACHE_ON,
	RAROG_OPT_CACHE_OFF,   /* call graphs and digests are made anew, nothing is forgotten */
	RAROG_OPT_CACHE_RESET, /* and what runs have shown is forgotten */
};

/** rarog_opt_cache_names - "on", "off", "reset", NULL. */
extern const char *const rarog_opt_cache_names[];

/* Those that jobs have, too … */
#define RAROG_OPTIMIZE_JOB_OPTIONS(type, member)                                                   \
	RAROG_OPT_CHOICE(0, "pipeline", type, member.pipeline, "NAME", rarog_pipeline_names,       \
			 "leave out what is not worth its cost, by the techniques of NAME"),       \
		RAROG_OPT_STRINGS(0, "on", type, member.on, "TECHNIQUE",                           \
				  "use this technique, too:" RAROG_TECHNIQUE_NAMES                 \
				  "; may be repeated"),                                            \
		RAROG_OPT_STRINGS(0, "off", type, member.off, "TECHNIQUE",                         \
				  "leave out this technique of the pipeline; may be repeated"),    \
		RAROG_OPT_STRINGS(0, "opt", type, member.parameters, "NAME=VALUE",                 \
				  "a parameter of techniques: cg-mode=top-down …; may be "       \
				  "repeated"),                                                     \
		RAROG_OPT_CHOICE(0, "opt-cache", type, member.cache, "HOW", rarog_opt_cache_names, \
				 "what techniques keep between runs: used (on), made anew (off), " \
				 "or forgotten first (reset)")

/* … and all. */
#define RAROG_OPTIMIZE_OPTIONS(type, member)                                                       \
	RAROG_OPTIMIZE_JOB_OPTIONS(type, member),                                                  \
		RAROG_OPT_FLAG(0, "explain", type, member.explain,                                 \
			       "say of each function what techniques decided, and why")

struct rarog_account_row {
	char *function;
	struct rarog_decision decision;
};

/* Of one file. */
struct rarog_account {
	char *path;
	RAROG_VEC(struct rarog_account_row) v; /* by technique, then address */
	size_t asked, pruned, sampled;         /* functions */
	bool is_known;                         /* earlier runs are */
	const char *aside[RAROG_TECHNIQUES];   /* as struct rarog_deciding */
};

/* Where the judge gets what it needs. */
struct rarog_optimizer_sources {
	/* 0; -errno with message: the file is measured as if no technique were on. */
	int (*graph)(void *user, const char *path, struct rarog_call_graph *ret_graph);
	/* 1; 0: there are none; -errno with message. NULL: there never are any. */
	int (*statistics)(void *user, const char *path, struct rarog_statistics *ret_statistics);
	/* What the file is now; as statistics(): 0 where no other digest is known, either. */
	int (*digest)(void *user, const struct rarog_binary *binary, const char *path,
		      struct rarog_code_digest *ret_now);
	/* What it was in an earlier version; as statistics(). */
	int (*digest_before)(void *user, const char *path, struct rarog_code_digest *ret_then);
	/* What a file was whose digest statistics() call @key; as that. */
	int (*digest_of_run)(void *user, const char *key, struct rarog_code_digest *ret_then);
	void *user;
};

struct rarog_optimizer {
	enum rarog_pipeline pipeline;
	bool is_on[RAROG_TECHNIQUES];
	struct rarog_parameters parameters;
	struct rarog_optimizer_sources sources;
	RAROG_VEC(struct rarog_account) files; /* as they were judged */
	uint64_t spent_ns, resources_ns;       /* by judging; of that by finding what it needs */
};

/** rarog_optimizer_init() - 0; -EINVAL with message. @options and @sources->user outlive it;
 * release in any case. */
int rarog_optimizer_init(const struct rarog_optimize_options *options,
			 const struct rarog_optimizer_sources *sources,
			 struct rarog_optimizer *ret_optimizer);
void rarog_optimizer_release(struct rarog_optimizer *optimizer); /* fits rarog_cleanup() */

/**
 * rarog_optimize_windows() - is timed sampling on? Then @text is what --windows is to say
 * Calls are recorded for one period of timed-sample-freq, and counted for the next one. Return: 1;
 * 0: it is not on; -EINVAL with message.
 */
int rarog_optimize_windows(const struct rarog_optimize_options *options, size_t n, char text[n]);

/** rarog_optimizer_probing() - for a plan; threshold 0: dynamic probing is not on. */
struct rarog_probing rarog_optimizer_probing(const struct rarog_optimizer *optimizer);

/** rarog_optimizer_is_on() - is any technique? */
bool rarog_optimizer_is_on(const struct rarog_optimizer *optimizer);

/** rarog_optimizer_needs() - does any technique that is on need @what (RAROG_NEEDS_RUN,
 * RAROG_NEEDS_VERSION)? */
bool rarog_optimizer_needs(const struct rarog_optimizer *optimizer, unsigned what);

/** rarog_optimizer_judge() - for a plan. Without any technique it has no decide(). */
struct rarog_place_judge rarog_optimizer_judge(struct rarog_optimizer *optimizer);

/**
 * rarog_optimize_decide() - what the techniques @order[0 … n-1] say of the functions of @d->subject
 * @ret_joined: [callees]: of all that was said of one, what is least work; .action is RECORD
 * where nobody said anything
 *
 * d->v keeps what each of them said. Return: 0, -ENOMEM.
 */
int rarog_optimize_decide(struct rarog_deciding *d, size_t n,
			  const enum rarog_technique_number order[n],
			  struct rarog_decision ret_joined[]);

#endif
