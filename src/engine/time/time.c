/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/time/time.h"

#include <stdio.h>

#include "base/units.h"
#include "plan/parameters.h"
#include "process/clock.h"
#include "process/header.h"

void rarog_time_write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write_collector(json, "kernel", plan);
	rarog_json_object(json, "parameters");
	rarog_json_end_object(json);
}

struct timed {
	struct rarog_engine_run base;
	struct rarog_profile_writer *writer;
	struct rarog_clock_watch watch;
};

static void write_rest(struct rarog_json *json, void *timed)
{
	const struct timed *t = timed;

	rarog_time_write_parameters(json, t->base.options->plan);
	rarog_run_write_end(json, &t->base.collected.run);
}

static int write_profile(struct timed *t)
{
	const struct rarog_trace_options *options = t->base.options;
	const struct rarog_header header = {
		.argv = options->command->argv,
		.started_ns = t->watch.epoch_ns,
		.describe = options->describe,
		.user = options->user,
		.write = write_rest,
		.collector = t,
	};
	struct rarog_clock clock = rarog_clock_watch_finish(&t->watch);
	int r;

	rarog_profile_set_clock(t->writer, &clock);
	r = rarog_header_add_process(t->writer, &t->watch, options->command->argv,
				     &t->base.collected.run);
	if (r == 0)
		r = rarog_header_set(t->writer, &header);
	return r < 0 ? r
		     : rarog_profile_put(t->writer, options->output, options->keep,
					 &t->base.collected.profile_bytes);
}

/* --- the steps --- */

static int prepare(struct rarog_engine_run *run)
{
	struct timed *t = (struct timed *)run;
	int r = rarog_profile_writer_new(run->options->output, &t->writer);

	rarog_clock_watch_start(&t->watch);
	return r;
}

static int finish(struct rarog_engine_run *run)
{
	struct rarog_collected *collected = &run->collected;

	snprintf(collected->what, sizeof(collected->what), "%s of processor time",
		 rarog_format_ns(rarog_run_cpu_ns(&collected->run)).text);
	return write_profile((struct timed *)run);
}

static void release(struct rarog_engine_run *run)
{
	rarog_profile_writer_free(((struct timed *)run)->writer);
}

const struct rarog_engine_steps rarog_time_steps = {
	.size = sizeof(struct timed),
	.prepare = prepare,
	.finish = finish,
	.release = release,
};
