/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors as rarog collect knows them: what a run is measured by. */
#ifndef RAROG_CMD_COLLECT_WAY_H
#define RAROG_CMD_COLLECT_WAY_H

#include "collect/engine.h"
#include "collect/sample/options.h"
#include "collect/trace/inline/tracer.h"
#include "collect/trace/plan-options.h"

/* A collector on one of its engines. */
struct rarog_collect_way {
	const char *name; /* the collector */
	const struct rarog_engine *engine;
	/** sum_up() - tell people of several runs; NULL: there is nothing to tell */
	void (*sum_up)(size_t n, const struct rarog_run_result runs[n]);
	bool hooked; /* of functions only those that rarog cc --hooks built */
};

/** rarog_collect_way_find() - the collector on its usual engine. Return: whether one is called so;
 * no message. */
bool rarog_collect_way_find(const char *name, struct rarog_collect_way *ret_way);

/** rarog_collect_way_engine() - put @way on @engine; -EINVAL with message: it has none of that
 * name. */
int rarog_collect_way_engine(struct rarog_collect_way *way, const char *engine);

/** rarog_collect_way_standard() - the one that nobody has to name. */
struct rarog_collect_way rarog_collect_way_standard(void);

/** rarog_collect_way_check() - 0; -EINVAL: the message names an option that means nothing to the
 * engine. @attachment: of --pid or --every-process; @is_dry: --dry-run is given. */
int rarog_collect_way_check(const struct rarog_collect_way *way,
			    const struct rarog_plan_options *options,
			    const struct rarog_sample_options *sample,
			    const struct rarog_attachment *attachment, bool is_dry);

#endif
