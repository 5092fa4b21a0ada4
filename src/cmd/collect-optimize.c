/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-optimize.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "cmd/call-graph-kept.h"
#include "view/account.h"

/* --- what techniques ask for --- */

static int find_graph(void *user, const char *path, struct rarog_call_graph *ret_graph)
{
	const struct rarog_collect_optimize *o = user;
	const struct rarog_call_wanted wanted = { .path = path,
						  .options = { .keep_parts = true },
						  .again = o->options->cache };

	return rarog_call_graph_kept_in(o->project.store, &wanted, ret_graph);
}

static int find_statistics(void *user, const char *path, struct rarog_statistics *ret_statistics)
{
	const struct rarog_collect_optimize *o = user;
	int r = o->options->cache == RAROG_OPT_CACHE_RESET
			? rarog_technique_stats_forget(&o->stats, path)
			: 0;

	return r < 0 ? r : rarog_technique_stats_find(&o->stats, path, ret_statistics);
}

static int find_digest(void *user, const struct rarog_binary *binary, const char *path,
		       struct rarog_code_digest *ret_now)
{
	const struct rarog_collect_optimize *o = user;

	return rarog_technique_digest_make(&o->stats, binary, path, o->options->cache, ret_now);
}

static int find_digest_before(void *user, const char *path, struct rarog_code_digest *ret_then)
{
	const struct rarog_collect_optimize *o = user;

	return rarog_technique_digest_before(&o->stats, path, ret_then);
}

static int find_digest_of_run(void *user, const char *path, struct rarog_code_digest *ret_then)
{
	const struct rarog_collect_optimize *o = user;

	return rarog_technique_digest_of_run(&o->stats, path, ret_then);
}

/* --- begin and end --- */

static bool wants_statistics(const struct rarog_optimizer *optimizer)
{
	return optimizer->is_on[RAROG_TECHNIQUE_DYNAMIC_BASELINE] ||
	       optimizer->is_on[RAROG_TECHNIQUE_DYNAMIC_SAMPLING] ||
	       optimizer->is_on[RAROG_TECHNIQUE_REACHED_BEFORE];
}

static int look_around(struct rarog_collect_optimize *o)
{
	bool compares = o->optimizer.is_on[RAROG_TECHNIQUE_DIFF_TRACING];
	const char *base = o->optimizer.parameters.text[RAROG_PARAMETER_DIFF_VERSION];
	int r = rarog_project_open(o->context, RAROG_NEED_STORE_IF_ANY, &o->project);

	o->stats.project = &o->project;
	o->stats.argv = o->argv;
	return r == 0 && (compares || wants_statistics(&o->optimizer))
		       ? rarog_technique_stats_look(&o->stats, compares ? base : NULL)
		       : r;
}

int rarog_collect_optimize_init(struct rarog_collect_optimize *o,
				const struct rarog_collector *collector,
				const struct rarog_engine *engine)
{
	const struct rarog_optimizer_sources sources = { find_graph,         find_statistics,
							 find_digest,        find_digest_before,
							 find_digest_of_run, o };
	int r = rarog_optimizer_init(o->options, &sources, &o->optimizer);

	if (r < 0 || !rarog_optimizer_is_on(&o->optimizer))
		return r;
	if (collector->traits)
		return rarog_fail(-EINVAL,
				  "--pipeline and --on choose among functions that are traced; "
				  "rarog collect %s does not trace them",
				  collector->name);
	if (!(engine->abilities & RAROG_ENGINE_CHOOSES))
		return rarog_fail(-EINVAL,
				  "--pipeline and --on choose functions; --engine=%s cannot: it %s",
				  engine->name, engine->instead);
	return look_around(o);
}

void rarog_collect_optimize_release(struct rarog_collect_optimize *o)
{
	rarog_optimizer_release(&o->optimizer);
	rarog_technique_stats_release(&o->stats);
	rarog_project_release(&o->project);
}

/* NULL: nothing. */
static const char *against_probing(const struct rarog_engine *engine, const struct rarog_plan *plan)
{
	if (!(engine->abilities & RAROG_ENGINE_THINS))
		return "this engine cannot switch functions off while the program runs";
	if (plan->overhead > 0)
		return "--overhead does it already";
	if (plan->detail == RAROG_DETAIL_COUNT)
		return "--detail=count counts every call";
	if (plan->within || plan->not_below)
		return "--within and --not-below need every call";
	return plan->windows.period_ns > 0 ? "--windows need every call" : NULL;
}

void rarog_collect_optimize_plan(struct rarog_collect_optimize *o,
				 const struct rarog_engine *engine, struct rarog_plan *plan)
{
	struct rarog_probing probing = rarog_optimizer_probing(&o->optimizer);
	const char *against = against_probing(engine, plan);

	if (!rarog_optimizer_is_on(&o->optimizer))
		return;
	plan->judge = rarog_optimizer_judge(&o->optimizer);
	if (probing.threshold > 0 && against)
		rarog_warn("dynamic-probing is off: %s", against);
	else
		plan->probing = probing;
}

int rarog_collect_optimize_say(const struct rarog_collect_optimize *o)
{
	if (!o->context->quiet)
		rarog_account_say(&o->optimizer, stderr);
	return o->options->explain ? rarog_account_print(&o->optimizer, stderr, o->context->width,
							 o->context->colour)
				   : 0;
}

/* --- what this run says --- */

int rarog_collect_optimize_keep(struct rarog_collect_optimize *o, const char *path)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r;

	if (!wants_statistics(&o->optimizer) || !*path || !o->project.store)
		return 0;
	r = rarog_profile_open(path, &profile);
	for (size_t i = 0; r == 0 && i < o->optimizer.files.n; i++)
		r = rarog_technique_stats_keep(&o->stats, profile, o->optimizer.files.v[i].path);
	return r;
}
