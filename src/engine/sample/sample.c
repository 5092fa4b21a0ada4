/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sample says where a thread was, not for how long: it stands for the CPU time between it and the
 * next. The kernel also counts the whole CPU time exactly; the samples are given that among them,
 * so that a late timer or lost samples change no sum.
 */
#include "engine/sample/sample.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "engine/sample/attach.h"
#include "engine/sample/loop.h"
#include "engine/sample/profile.h"
#include "plan/parameters.h"
#include "process/header.h"

struct run {
	struct rarog_engine_run base;
	struct rarog_sample_options sample;
	struct rarog_profile_writer *writer;
	struct rarog_sampled sampled;
	struct rarog_sample_events events;
	struct rarog_sample_loop loop;
	struct rarog_software software;
	bool has_begun;
	uint64_t epoch_ns, start_ns, end_ns;
	uint64_t cpu_ns;
	uint64_t outliving; /* processes that run on when the program has ended */
};

struct rarog_sample_options rarog_sample_options_of(const struct rarog_plan *plan)
{
	struct rarog_sample_options options = *plan->sample;

	options.follow = plan->follow;
	return options;
}

/* --- what is missing --- */

static int add_losses(struct run *run)
{
	const struct rarog_sample_losses *lost = &run->sampled.losses;
	const struct {
		uint64_t n;
		const char *what;
	} all[] = {
		{ lost->samples, "samples, or what was mapped or began there" },
		{ lost->switches, "records of threads that left a processor" },
		{ lost->damaged, "records that cannot be read" },
		{ lost->late, "records that came too late" },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(all); i++) {
		const struct rarog_loss loss = { .what = all[i].what, .count = all[i].n };

		run->base.collected.lost += loss.count;
		if (loss.count)
			r = rarog_profile_add_losses(run->writer, 1, &loss);
	}
	if (run->base.collected.lost)
		rarog_warn("%llu records of the kernel were lost: a lower --rate or --stack-size "
			   "needs less room",
			   (unsigned long long)run->base.collected.lost);
	return r;
}

static void warn(const struct run *run)
{
	const struct rarog_sampled *s = &run->sampled;

	if (s->samples == 0)
		rarog_warn("no samples: it had no processor for as long as %s",
			   rarog_format_ns(1000000000 / (uint64_t)run->sample.rate).text);
	if (10 * s->cut > s->samples)
		rarog_warn("%llu of %llu stacks are incomplete: a larger --stack-size copies more",
			   (unsigned long long)s->cut, (unsigned long long)s->samples);
	if (run->events.is_user)
		rarog_warn("the kernel is not shown: time in it is missing; "
			   "sysctl kernel.perf_event_paranoid=1 shows it");
	rarog_collected_outliving(run->outliving);
}

/* --- the profile --- */

void rarog_sample_write_parameters(struct rarog_json *json, const struct rarog_plan *plan,
				   const struct rarog_sample_options *options)
{
	rarog_plan_write_collector(json, "perf", plan);
	rarog_json_object(json, "parameters");
	rarog_json_int(json, "rate", options->rate);
	rarog_json_string(json, "call_graph", rarog_stacks_names[options->stacks]);
	if (options->stacks == RAROG_STACKS_DWARF)
		rarog_json_int(json, "stack_size", options->stack_size);
	rarog_json_bool(json, "kernel", options->kernel);
	rarog_json_bool(json, "off_cpu", options->off_cpu);
	rarog_json_bool(json, "follow", options->follow);
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct run *run)
{
	const struct rarog_sampled *s = &run->sampled;

	rarog_json_object(json, "totals");
	rarog_json_uint(json, "samples", s->samples);
	rarog_json_uint(json, "stacks_cut", s->cut);
	rarog_json_uint(json, "cpu_ns", run->cpu_ns);
	rarog_json_uint(json, "processes", s->processes.n);
	rarog_json_uint(json, "threads", s->threads.n);
	rarog_json_uint(json, "lost", run->base.collected.lost);
	if (run->outliving)
		rarog_json_uint(json, "outliving", run->outliving);
	rarog_json_end_object(json);
}

static void write_members(struct rarog_json *json, void *user)
{
	struct run *run = user;

	rarog_sample_write_parameters(json, run->base.options->plan, &run->sample);
	rarog_json_string(json, "counts", "samples");
	rarog_json_string(json, "event", rarog_sample_events_name(&run->events));
	rarog_json_bool(json, "kernel_is_missing", run->events.is_user);
	rarog_software_write(json, &run->software);
	if (!run->base.options->attachment)
		rarog_run_write_end(json, &run->base.collected.run);
	write_totals(json, run);
}

static int set_header(struct run *run)
{
	const struct rarog_header header = { .argv = run->base.options->command->argv,
					     .started_ns = run->epoch_ns,
					     .describe = run->base.options->describe,
					     .user = run->base.options->user,
					     .write = write_members,
					     .collector = run };

	return rarog_header_set(run->writer, &header);
}

/* What a unit of a sample's period is worth: all samples together the CPU time of the run. (The
 * value of the kernel's clock event is some thousandths more.) Where the kernel is not shown its
 * time is counted, too, and must not be given to others. */
static double period_ns(const struct run *run, const struct rarog_event_sum *sum)
{
	double period = (double)run->sampled.period;

	if (period <= 0 || sum->running_ns == 0 || (run->events.is_user && !run->events.is_cycles))
		return 1;
	return (double)sum->running_ns / period;
}

static int write_profile(struct run *run)
{
	const struct rarog_clock clock = { .hz = 1000000000,
					   .origin_ticks = run->start_ns,
					   .origin_ns = run->epoch_ns };
	struct rarog_event_sum sum = rarog_event_rings_sum(run->events.rings[RAROG_SOURCE_TIME]);
	int r;

	run->cpu_ns = sum.running_ns;
	rarog_profile_set_clock(run->writer, &clock);
	r = rarog_sampled_write(&run->sampled, period_ns(run, &sum), run->sample.off_cpu,
				run->base.options->attachment ? -1
							      : run->base.collected.run.wait_status,
				run->end_ns, run->writer, &run->software);
	if (r == 0)
		r = add_losses(run);
	if (r == 0)
		r = set_header(run);
	if (r == 0)
		r = rarog_profile_put(run->writer, run->base.options->output,
				      run->base.options->keep, &run->base.collected.profile_bytes);
	return r;
}

/* --- the steps --- */

static int prepare(struct rarog_engine_run *base)
{
	struct run *run = (struct run *)base;
	int r;

	run->sample = rarog_sample_options_of(base->options->plan);
	run->loop = (struct rarog_sample_loop){ .events = &run->events, .sampled = &run->sampled };
	r = rarog_sampled_init(&run->sample, &run->sampled);
	run->sampled.places.regions = base->options->plan->regions;
	return r < 0 ? r : rarog_profile_writer_new(base->options->output, &run->writer);
}

static void start_clock(struct run *run)
{
	run->epoch_ns = rarog_epoch_ns();
	run->start_ns = rarog_now_ns();
}

static int start(struct rarog_engine_run *base, pid_t pid)
{
	struct run *run = (struct run *)base;
	int r;

	start_clock(run);
	if (base->options->attachment)
		r = rarog_sample_attach(&run->sample, pid, &run->sampled, &run->events);
	else
		r = rarog_sample_events_open(&run->sample, pid, false, &run->events);
	run->has_begun = r == 0;
	return r;
}

static long drain(struct rarog_engine_run *base)
{
	rarog_sample_loop_look(&((struct run *)base)->loop);
	return RAROG_LOOK_NS;
}

static int stop(struct rarog_engine_run *base)
{
	struct run *run = (struct run *)base;
	int r;

	run->end_ns = rarog_now_ns();
	r = run->has_begun ? rarog_sample_loop_finish(&run->loop) : 0;
	if (!run->base.options->attachment)
		run->outliving = rarog_sampled_outliving(&run->sampled);
	return r;
}

static int finish(struct rarog_engine_run *base)
{
	struct run *run = (struct run *)base;
	struct rarog_collected *collected = &base->collected;
	int r = write_profile(run);

	if (r < 0)
		return r;
	warn(run);
	snprintf(collected->what, sizeof(collected->what), "%s samples of %s CPU time",
		 rarog_format_count(run->sampled.samples).text, rarog_format_ns(run->cpu_ns).text);
	snprintf(collected->kept, sizeof(collected->kept), "%s",
		 collected->lost ? "" : ", nothing lost");
	return 0;
}

static void release(struct rarog_engine_run *base)
{
	struct run *run = (struct run *)base;

	rarog_profile_writer_free(run->writer);
	rarog_sample_loop_release(&run->loop);
	rarog_sample_events_release(&run->events);
	rarog_sampled_release(&run->sampled);
	rarog_software_release(&run->software);
}

const struct rarog_engine_steps rarog_sample_steps = {
	.size = sizeof(struct run),
	.prepare = prepare,
	.start = start,
	.drain = drain,
	.stop = stop,
	.finish = finish,
	.release = release,
};
