/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors as rarog collect knows them: what a run is measured by. */
#ifndef RAROG_CMD_COLLECT_WAY_H
#define RAROG_CMD_COLLECT_WAY_H

#include "collect/trace/plan-options.h"
#include "collect/trace/trace.h"

/* Of one run. */
struct rarog_collected {
	struct rarog_run_result run;
	uint64_t profile_bytes;
	char what[128]; /* for the summary line: "1,024 calls" … */
	char kept[64];  /* … and ", nothing lost", or "" */
};

struct rarog_collect_way {
	const char *name;   /* the collector */
	const char *engine; /* what it stands on */
	bool has_plan;      /* options about functions and events mean something */
	bool may_follow;    /* without a plan: --no-follow does */
	const char *what;   /* it measures instead: "%s %s" with its name */

	/** write_parameters() - members "collector", "engine" and "parameters" of the header */
	void (*write_parameters)(struct rarog_json *json, const struct rarog_plan *plan);

	/** measure() - run the program; as rarog_trace(). Warns of what was lost. */
	int (*measure)(const struct rarog_trace_options *options,
		       struct rarog_collected *ret_collected);

	/** sum_up() - tell people of several runs; NULL: there is nothing to tell */
	void (*sum_up)(size_t n, const struct rarog_run_result runs[n]);
};

/** rarog_collect_way_find() - the collector on its usual engine; NULL: no collector is called so;
 * no message. */
const struct rarog_collect_way *rarog_collect_way_find(const char *name);

/** rarog_collect_way_engine() - the same collector on @engine; NULL with message: it has none of
 * that name. */
const struct rarog_collect_way *rarog_collect_way_engine(const struct rarog_collect_way *way,
							 const char *engine);

/** rarog_collect_way_standard - the one that nobody has to name. */
extern const struct rarog_collect_way *const rarog_collect_way_standard;

/** rarog_collect_way_check() - 0; -EINVAL: the message names an option that means nothing to
 * @way. */
int rarog_collect_way_check(const struct rarog_collect_way *way,
			    const struct rarog_plan_options *options);

#endif
