/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/techniques.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "run/call-graph-kept.h"

/* --- what techniques ask for --- */

static int find_graph(void *user, const char *path, struct rarog_call_graph *ret_graph)
{
	const struct rarog_techniques *t = user;
	const struct rarog_call_wanted wanted = { .path = path,
						  .options = { .keep_parts = true },
						  .again = t->options->cache };

	return rarog_call_graph_kept_in(t->stats.store, &wanted, ret_graph);
}

static int find_statistics(void *user, const char *path, struct rarog_statistics *ret_statistics)
{
	const struct rarog_techniques *t = user;
	int r = t->options->cache == RAROG_OPT_CACHE_RESET
			? rarog_technique_stats_forget(&t->stats, path)
			: 0;

	return r < 0 ? r : rarog_technique_stats_find(&t->stats, path, ret_statistics);
}

static int find_digest(void *user, const struct rarog_binary *binary, const char *path,
		       struct rarog_code_digest *ret_now)
{
	const struct rarog_techniques *t = user;
	int r = t->stats.store ? rarog_technique_digest_make(&t->stats, binary, path,
							     t->options->cache, ret_now)
			       : 0;

	return r < 0 ? r : t->stats.store != NULL;
}

static int find_digest_before(void *user, const char *path, struct rarog_code_digest *ret_then)
{
	const struct rarog_techniques *t = user;

	return rarog_technique_digest_before(&t->stats, path, ret_then);
}

static int find_digest_of_run(void *user, const char *key, struct rarog_code_digest *ret_then)
{
	const struct rarog_techniques *t = user;

	return rarog_technique_digest_of_run(&t->stats, key, ret_then);
}

/* --- begin and end --- */

int rarog_techniques_begin(struct rarog_techniques *t)
{
	const struct rarog_optimizer_sources sources = { find_graph,         find_statistics,
							 find_digest,        find_digest_before,
							 find_digest_of_run, t };

	return rarog_optimizer_init(t->options, &sources, &t->optimizer);
}

int rarog_techniques_look(struct rarog_techniques *t)
{
	const char *base = t->optimizer.parameters.given[RAROG_PARAMETER_DIFF_VERSION];

	if (rarog_optimizer_needs(&t->optimizer, RAROG_NEEDS_VERSION))
		return rarog_technique_stats_look(&t->stats, base);
	return rarog_optimizer_needs(&t->optimizer, RAROG_NEEDS_RUN)
		       ? rarog_technique_stats_look(&t->stats, NULL)
		       : 0;
}

void rarog_techniques_release(struct rarog_techniques *t)
{
	rarog_optimizer_release(&t->optimizer);
	rarog_technique_stats_release(&t->stats);
}

/* --- the plan --- */

/* NULL: nothing. */
static const char *against_probing(const struct rarog_engine *engine, const struct rarog_plan *plan)
{
	if (!(engine->abilities & RAROG_ENGINE_TURNS_OFF))
		return "this engine cannot switch functions off while the program runs";
	if (plan->overhead > 0)
		return "--overhead does it already";
	if (plan->detail == RAROG_DETAIL_COUNT)
		return "--detail=count counts every call";
	if (plan->within || plan->not_below)
		return "--within and --not-below need every call";
	return plan->windows.period_ns > 0 ? "--windows need every call" : NULL;
}

void rarog_techniques_plan(struct rarog_techniques *t, const struct rarog_engine *engine,
			   struct rarog_plan *plan)
{
	struct rarog_probing probing = rarog_optimizer_probing(&t->optimizer);
	const char *against = against_probing(engine, plan);

	if (!rarog_optimizer_is_on(&t->optimizer))
		return;
	plan->judge = rarog_optimizer_judge(&t->optimizer);
	if (probing.threshold > 0 && against)
		rarog_warn("dynamic-probing is off: %s", against);
	else
		plan->probing = probing;
}

/* --- what this run says --- */

int rarog_techniques_keep(struct rarog_techniques *t, const char *path)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	int r;

	if (!rarog_optimizer_needs(&t->optimizer, RAROG_NEEDS_RUN) || !*path || !t->stats.store)
		return 0;
	r = rarog_profile_open(path, &profile);
	for (size_t i = 0; r == 0 && i < t->optimizer.files.n; i++)
		r = rarog_technique_stats_keep(&t->stats, profile, t->optimizer.files.v[i].path);
	return r;
}
