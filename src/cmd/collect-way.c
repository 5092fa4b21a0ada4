/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/collect-way.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/time-report.h"
#include "collect/blocks/blocks.h"
#include "collect/time/time.h"
#include "collect/vex/vex.h"

/* --- calls --- */

static const char *kept_calls(const struct rarog_recorder_totals *totals)
{
	if (totals->lost)
		return "";
	if (totals->had_no_room)
		return ", sums only: the disk is full";
	return totals->became_summary ? ", sums only from --max-size on" : ", nothing lost";
}

static int measure_calls(const struct rarog_trace_options *options,
			 struct rarog_collected *ret_collected)
{
	struct rarog_trace_result result = { 0 };
	int r = rarog_trace(options, &result);

	*ret_collected = (struct rarog_collected){ .run = result.run,
						   .profile_bytes = result.profile_bytes };
	if (r < 0)
		return r;
	if (result.totals.lost)
		rarog_warn("%llu events or calls were lost; rarog show says which",
			   (unsigned long long)result.totals.lost);
	snprintf(ret_collected->what, sizeof(ret_collected->what), "%s calls",
		 rarog_format_count(result.totals.calls).text);
	snprintf(ret_collected->kept, sizeof(ret_collected->kept), "%s",
		 kept_calls(&result.totals));
	return 0;
}

/* --- blocks --- */

static void write_blocks(struct rarog_json *json, const struct rarog_plan *plan)
{
	(void)plan;
	rarog_blocks_write_parameters(json);
}

static int measure_blocks(const struct rarog_trace_options *from,
			  struct rarog_collected *ret_collected)
{
	const struct rarog_blocks_options options = {
		.command = from->command,
		.output = from->output,
		.keep = from->keep,
		.describe = from->describe,
		.user = from->user,
	};
	struct rarog_blocks_result result = { 0 };
	int r = rarog_blocks(&options, &result);

	*ret_collected = (struct rarog_collected){ .run = result.run,
						   .profile_bytes = result.profile_bytes };
	if (r < 0)
		return r;
	snprintf(ret_collected->what, sizeof(ret_collected->what),
		 "%s instructions in %s of %s blocks",
		 rarog_format_count(result.totals.instructions).text,
		 rarog_format_count(result.totals.executed).text,
		 rarog_format_count(result.totals.blocks).text);
	snprintf(ret_collected->kept, sizeof(ret_collected->kept), "%s",
		 result.is_exact ? ", exact" : "");
	return 0;
}

/* --- time --- */

static void write_time(struct rarog_json *json, const struct rarog_plan *plan)
{
	(void)plan;
	rarog_time_write_parameters(json);
}

static int measure_time(const struct rarog_trace_options *from,
			struct rarog_collected *ret_collected)
{
	const struct rarog_time_options options = {
		.command = from->command,
		.output = from->output,
		.keep = from->keep,
		.describe = from->describe,
		.user = from->user,
	};
	struct rarog_time_result result = { 0 };
	int r = rarog_time(&options, &result);

	*ret_collected = (struct rarog_collected){ .run = result.run,
						   .profile_bytes = result.profile_bytes };
	snprintf(ret_collected->what, sizeof(ret_collected->what), "%s of processor time",
		 rarog_format_ns(rarog_run_cpu_ns(&result.run)).text);
	return r;
}

/* --- vex --- */

static void write_vex(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_vex_write_parameters(json, plan->follow);
}

static int measure_vex(const struct rarog_trace_options *from,
		       struct rarog_collected *ret_collected)
{
	const struct rarog_vex_options options = {
		.command = from->command,
		.output = from->output,
		.keep = from->keep,
		.follow = from->plan->follow,
		.describe = from->describe,
		.user = from->user,
	};
	struct rarog_vex_result result = { 0 };
	int r = rarog_vex(&options, &result);

	*ret_collected = (struct rarog_collected){ .run = result.run,
						   .profile_bytes = result.profile_bytes };
	if (r < 0)
		return r;
	snprintf(ret_collected->what, sizeof(ret_collected->what), "%s instructions, %s calls",
		 rarog_format_count(result.totals.instructions).text,
		 rarog_format_count(result.totals.calls).text);
	snprintf(ret_collected->kept, sizeof(ret_collected->kept), "%s",
		 result.lost ? "" : ", exact; the time is not the program's own");
	return 0;
}

/* --- all --- */

/* Of a collector's engines the first is its usual one. */
static const struct rarog_collect_way ways[] = {
	{ "trace", "inline", true, true, NULL, rarog_trace_write_parameters, measure_calls, NULL },
	{ "trace", "vex", false, true, "counts everything that runs", write_vex, measure_vex,
	  NULL },
	{ "blocks", "compiled", false, false, "counts everything that rarog cc compiled",
	  write_blocks, measure_blocks, NULL },
	{ "time", "kernel", false, false, "measures the whole program", write_time, measure_time,
	  rarog_time_report },
};

const struct rarog_collect_way *const rarog_collect_way_standard = &ways[0];

const struct rarog_collect_way *rarog_collect_way_find(const char *name)
{
	for (size_t i = 0; i < RAROG_COUNT(ways); i++)
		if (strcmp(ways[i].name, name) == 0)
			return &ways[i];
	return NULL;
}

const struct rarog_collect_way *rarog_collect_way_engine(const struct rarog_collect_way *way,
							 const char *engine)
{
	rarog_cleanup(rarog_str_release) struct rarog_str known = { 0 };

	for (size_t i = 0; i < RAROG_COUNT(ways); i++) {
		if (strcmp(ways[i].name, way->name) != 0)
			continue;
		if (strcmp(ways[i].engine, engine) == 0)
			return &ways[i];
		rarog_str_addf(&known, "%s%s", known.length > 0 ? ", " : "", ways[i].engine);
	}
	rarog_fail(-EINVAL, "--engine=%s: %s has %s", engine, way->name, rarog_str_text(&known));
	return NULL;
}

/* What people call it: the engine, if it is not the usual one. */
static const char *name_of(const struct rarog_collect_way *way)
{
	return way == rarog_collect_way_find(way->name) ? way->name : way->engine;
}

int rarog_collect_way_check(const struct rarog_collect_way *way,
			    const struct rarog_plan_options *options)
{
	static const struct rarog_plan_options standard = RAROG_PLAN_OPTIONS_DEFAULT;
	const struct {
		const char *name;
		bool is_given;
	} all[] = {
		{ "--detail", options->detail != standard.detail },
		{ "--max-size", options->max_size != standard.max_size },
		{ "--compensate", options->compensate },
		{ "--strategy", options->strategy != standard.strategy },
		{ "--func", options->functions.n > 0 },
		{ "--exclude", options->excluded.n > 0 },
		{ "--libs", options->libraries },
		{ "--within", options->within },
		{ "--not-below", options->not_below },
		{ "--binary", options->binaries.n > 0 },
		{ "--no-follow", !options->follow && !way->may_follow },
		{ "--drop", options->drop },
	};

	for (size_t i = 0; !way->has_plan && i < RAROG_COUNT(all); i++)
		if (all[i].is_given)
			return rarog_fail(-EINVAL, "%s is for rarog collect trace; %s %s",
					  all[i].name, name_of(way), way->what);
	return 0;
}
