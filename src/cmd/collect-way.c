/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-way.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/time-report.h"

static const struct rarog_engine *const blocks_engines[] = { &rarog_engine_compiled, NULL };
static const struct rarog_engine *const complexity_engines[] = { &rarog_engine_inline, NULL };
static const struct rarog_engine *const time_engines[] = { &rarog_engine_kernel, NULL };
static const struct rarog_engine *const sample_engines[] = { &rarog_engine_perf, NULL };

/* Of a collector's engines the first is its usual one. */
static const struct {
	const char *name;
	const struct rarog_engine *const *engines;
	void (*sum_up)(size_t n, const struct rarog_run_result runs[n]);
	bool hooked;
} collectors[] = {
	{ "trace", rarog_trace_engines, NULL, false },
	{ "complexity", complexity_engines, NULL, true },
	{ "blocks", blocks_engines, NULL, false },
	{ "time", time_engines, rarog_time_report, false },
	{ "sample", sample_engines, NULL, false },
};

static long find(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(collectors); i++)
		if (strcmp(collectors[i].name, name) == 0)
			return (long)i;
	return -1;
}

static struct rarog_collect_way usual(size_t collector)
{
	return (struct rarog_collect_way){ collectors[collector].name,
					   collectors[collector].engines[0],
					   collectors[collector].sum_up,
					   collectors[collector].hooked };
}

struct rarog_collect_way rarog_collect_way_standard(void)
{
	return usual(0);
}

bool rarog_collect_way_find(const char *name, struct rarog_collect_way *ret_way)
{
	long i = find(name);

	if (i >= 0)
		*ret_way = usual((size_t)i);
	return i >= 0;
}

int rarog_collect_way_engine(struct rarog_collect_way *way, const char *engine)
{
	rarog_cleanup(rarog_str_release) struct rarog_str known = { 0 };
	const struct rarog_engine *const *all = collectors[find(way->name)].engines;

	for (size_t i = 0; all[i]; i++) {
		if (strcmp(all[i]->name, engine) == 0) {
			way->engine = all[i];
			return 0;
		}
		rarog_str_addf(&known, "%s%s", i > 0 ? ", " : "", all[i]->name);
	}
	return rarog_fail(-EINVAL, "--engine=%s: %s has %s", engine, way->name,
			  rarog_str_text(&known));
}

static bool is_usual(const struct rarog_collect_way *way)
{
	return way->engine == usual((size_t)find(way->name)).engine;
}

static int refuse(const struct rarog_collect_way *way, const char *option, unsigned needed)
{
	unsigned of_starting = RAROG_ENGINE_ATTACHES | RAROG_ENGINE_DRY;

	if (needed & RAROG_ENGINE_ACCESSES)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine vex", option);
	if (needed & RAROG_ENGINE_SAMPLES)
		return rarog_fail(-EINVAL, "%s is for rarog collect sample", option);
	if (needed & RAROG_ENGINE_EVERYBODY)
		return rarog_fail(-EINVAL, "%s is for rarog collect --engine ebpf", option);
	if (way->engine->abilities & RAROG_ENGINE_CHOOSES ||
	    (!is_usual(way) && needed & of_starting))
		return rarog_fail(-EINVAL, "%s is not for --engine=%s; leave out either", option,
				  way->engine->name);
	if (needed & RAROG_ENGINE_ATTACHES)
		return rarog_fail(-EINVAL, "%s is for rarog collect trace and sample", option);
	if (needed & RAROG_ENGINE_DRY)
		return rarog_fail(-EINVAL, "%s is for rarog collect trace", option);
	if (!is_usual(way))
		return rarog_fail(-EINVAL, "%s is not for --engine=%s; it %s", option,
				  way->engine->name, way->engine->instead);
	return rarog_fail(-EINVAL, "%s is for rarog collect trace; %s %s", option, way->name,
			  way->engine->instead);
}

int rarog_collect_way_check(const struct rarog_collect_way *way,
			    const struct rarog_plan_options *options,
			    const struct rarog_sample_options *sample,
			    const struct rarog_attachment *attachment, bool is_dry)
{
	static const struct rarog_plan_options standard = RAROG_PLAN_OPTIONS_DEFAULT;
	static const struct rarog_sample_options usual_sample = RAROG_SAMPLE_OPTIONS_DEFAULT;
	char strategy[32]; /* "--strategy=all" */
	const struct {
		const char *name;
		bool is_given;
		unsigned needs;
	} all[] = {
		{ "--pid", attachment->pid > 0, RAROG_ENGINE_ATTACHES },
		{ "--every-process", attachment->file, RAROG_ENGINE_EVERYBODY },
		{ "--dry-run", is_dry, RAROG_ENGINE_DRY },
		{ "--detail", options->detail != standard.detail, RAROG_ENGINE_DETAILS },
		{ "--max-size", options->max_size != standard.max_size, RAROG_ENGINE_BOUNDED },
		{ "--compensate", options->compensate, RAROG_ENGINE_COMPENSATES },
		{ "--strategy", options->strategy != standard.strategy, RAROG_ENGINE_CHOOSES },
		{ "--func", options->functions.n > 0, RAROG_ENGINE_CHOOSES },
		{ "--exclude", options->excluded.n > 0, RAROG_ENGINE_CHOOSES },
		{ "--sample-calls", options->every > 1, RAROG_ENGINE_SKIPS },
		{ "--windows", options->windows, RAROG_ENGINE_WINDOWS },
		{ "--args", options->args.n > 0, RAROG_ENGINE_VALUES },
		{ "--arg", options->arg.n > 0, RAROG_ENGINE_VALUES },
		{ "--ret", options->ret.n > 0, RAROG_ENGINE_VALUES },
		{ "--usdt", options->usdt.n > 0, RAROG_ENGINE_MARKS },
		{ "--at", options->at.n > 0, RAROG_ENGINE_MARKS },
		{ "--no-usdt", options->no_usdt, RAROG_ENGINE_MARKS },
		{ "--libs", options->libraries, RAROG_ENGINE_LIBRARIES },
		{ strategy, rarog_strategy_has_libraries(options), RAROG_ENGINE_LIBRARIES },
		{ "--within", options->within, RAROG_ENGINE_ROOTS },
		{ "--not-below", options->not_below, RAROG_ENGINE_ROOTS },
		{ "--binary", options->binaries.n > 0, RAROG_ENGINE_PROGRAMS },
		{ "--accesses", options->accesses, RAROG_ENGINE_ACCESSES },
		{ "--no-follow", !options->follow, RAROG_ENGINE_ALONE },
		{ "--drop", options->drop, RAROG_ENGINE_WAITS },
		{ "--rate", sample->rate != usual_sample.rate, RAROG_ENGINE_SAMPLES },
		{ "--call-graph", sample->stacks != usual_sample.stacks, RAROG_ENGINE_SAMPLES },
		{ "--stack-size", sample->stack_size != usual_sample.stack_size,
		  RAROG_ENGINE_SAMPLES },
		{ "--kernel", sample->kernel, RAROG_ENGINE_SAMPLES },
		{ "--off-cpu", sample->off_cpu, RAROG_ENGINE_SAMPLES },
	};

	snprintf(strategy, sizeof(strategy), "--strategy=%s",
		 rarog_strategy_names[options->strategy]);
	for (size_t i = 0; i < RAROG_COUNT(all); i++)
		if (all[i].is_given && !(way->engine->abilities & all[i].needs))
			return refuse(way, all[i].name, all[i].needs);
	return 0;
}
