/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "collect/engine-needs.h"

#include <stdio.h>

#include "base/vec.h"
#include "engine/request.h"

bool rarog_engine_lacks(const struct rarog_engine *engine,
			const struct rarog_engine_request *request,
			struct rarog_engine_lack *ret_lack)
{
	static const struct rarog_plan_options standard = RAROG_PLAN_OPTIONS_DEFAULT;
	static const struct rarog_sample_options usual_sample = RAROG_SAMPLE_OPTIONS_DEFAULT;
	const struct rarog_plan_options *options = request->options;
	const struct rarog_sample_options *sample = request->sample;
	const struct rarog_attachment *attachment = request->attachment;
	char strategy[32]; /* "--strategy=all" */
	const struct {
		const char *name;
		bool is_given;
		unsigned needs;
	} all[] = {
		{ "--pid", attachment && attachment->pid > 0, RAROG_ENGINE_ATTACHES },
		{ "--every-process", attachment && attachment->file, RAROG_ENGINE_EVERYBODY },
		{ "--dry-run", request->is_dry, RAROG_ENGINE_DRY },
		{ "--detail", options->detail != standard.detail, RAROG_ENGINE_DETAILS },
		{ "--max-size", options->max_size != standard.max_size, RAROG_ENGINE_BOUNDED },
		{ "--compensate", options->compensate, RAROG_ENGINE_COMPENSATES },
		{ "--strategy", options->strategy != standard.strategy, RAROG_ENGINE_CHOOSES },
		{ "--func", options->functions.n > 0, RAROG_ENGINE_CHOOSES },
		{ "--exclude", options->excluded.n > 0, RAROG_ENGINE_CHOOSES },
		{ "--sample-calls", options->every > 1, RAROG_ENGINE_SKIPS },
		{ "--windows", options->windows, RAROG_ENGINE_WINDOWS },
		{ "--overhead", options->overhead, RAROG_ENGINE_THINS },
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
		{ "--times", options->times >= 0, RAROG_ENGINE_TIMES },
		{ "--loops", options->loops >= 0, RAROG_ENGINE_TIMES },
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
	for (size_t i = 0; i < RAROG_COUNT(all); i++) {
		if (!all[i].is_given || engine->abilities & all[i].needs)
			continue;
		snprintf(ret_lack->option, sizeof(ret_lack->option), "%s", all[i].name);
		ret_lack->needs = all[i].needs;
		return true;
	}
	return false;
}
