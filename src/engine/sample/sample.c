/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sample says where a thread was, not for how long: it stands for the CPU time between it and the
 * next. The kernel also counts the whole CPU time exactly; the samples are given that among them,
 * so that a late timer or lost samples change no sum.
 */
#include "engine/sample/sample.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/units.h"
#include "engine/sample/attach.h"
#include "engine/sample/loop.h"
#include "engine/sample/profile.h"
#include "process/header.h"
#include "process/untraced.h"

struct run {
	const struct rarog_sample_run_options *options;
	struct rarog_profile_writer *writer;
	struct rarog_sampled sampled;
	struct rarog_sample_events events;
	struct rarog_sample_loop loop;
	struct rarog_software software;
	uint64_t epoch_ns, start_ns, end_ns;
	struct rarog_sample_result result;
};

/* --- the run --- */

static void start_clock(struct run *run)
{
	run->epoch_ns = rarog_epoch_ns();
	run->start_ns = rarog_now_ns();
}

static int run_program(struct run *run)
{
	struct rarog_untraced one = { .child = RAROG_LAUNCH_NONE };
	int r = rarog_untraced_hold(run->options->command, &one);

	if (r < 0)
		return r;
	r = rarog_sample_events_open(run->options->sample, one.child.pid, false, &run->events);
	if (r < 0) {
		rarog_untraced_drop(&one);
		return r;
	}
	one.look = rarog_sample_loop_look;
	one.user = &run->loop;
	start_clock(run);
	r = rarog_untraced_go(1, &one);
	run->result.run = one.run;
	return r;
}

static int watch_process(struct run *run)
{
	const struct rarog_sample_run_options *options = run->options;
	sigset_t signals;
	int r;

	rarog_signals_hold(&signals);
	start_clock(run);
	r = rarog_sample_attach(options->sample, options->pid, &run->sampled, &run->events);
	if (r == 0)
		r = rarog_sample_watch(options->pid, options->duration_ns, rarog_sample_loop_look,
				       &run->loop);
	run->result.run.wall_ns = rarog_now_ns() - run->start_ns;
	return r;
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

		run->result.lost += loss.count;
		if (loss.count)
			r = rarog_profile_add_losses(run->writer, 1, &loss);
	}
	if (run->result.lost)
		rarog_warn("%llu records of the kernel were lost: a lower --rate or --stack-size "
			   "needs less room",
			   (unsigned long long)run->result.lost);
	return r;
}

static void warn(const struct run *run)
{
	const struct rarog_sampled *s = &run->sampled;

	if (s->samples == 0)
		rarog_warn("no samples: it had no processor for as long as %s",
			   rarog_format_ns(1000000000 / (uint64_t)run->options->sample->rate).text);
	if (10 * s->cut > s->samples)
		rarog_warn("of %llu of %llu stacks a part is missing: a larger --stack-size copies "
			   "more",
			   (unsigned long long)s->cut, (unsigned long long)s->samples);
	if (run->events.is_user)
		rarog_warn("the kernel is not shown: time in it is missing; "
			   "sysctl kernel.perf_event_paranoid=1 shows it");
}

/* --- the profile --- */

void rarog_sample_write_parameters(struct rarog_json *json,
				   const struct rarog_sample_options *options)
{
	rarog_json_string(json, "collector", "sample");
	rarog_json_string(json, "engine", "perf");
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
	rarog_json_uint(json, "cpu_ns", run->result.cpu_ns);
	rarog_json_uint(json, "processes", s->processes.n);
	rarog_json_uint(json, "threads", s->threads.n);
	rarog_json_uint(json, "lost", run->result.lost);
	rarog_json_end_object(json);
}

static void write_members(struct rarog_json *json, void *user)
{
	struct run *run = user;

	rarog_sample_write_parameters(json, run->options->sample);
	rarog_json_string(json, "counts", "samples");
	rarog_json_string(json, "event", rarog_sample_events_name(&run->events));
	rarog_json_bool(json, "kernel_is_missing", run->events.is_user);
	rarog_software_write(json, &run->software);
	if (run->options->pid == 0)
		rarog_run_write_end(json, &run->result.run);
	write_totals(json, run);
}

static int set_header(struct run *run)
{
	const struct rarog_header header = { .argv = run->options->command->argv,
					     .started_ns = run->epoch_ns,
					     .describe = run->options->describe,
					     .user = run->options->user,
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

	run->result.samples = run->sampled.samples;
	run->result.cpu_ns = sum.running_ns;
	rarog_profile_set_clock(run->writer, &clock);
	r = rarog_sampled_write(&run->sampled, period_ns(run, &sum), run->options->sample->off_cpu,
				run->options->pid ? -1 : run->result.run.wait_status, run->end_ns,
				run->writer, &run->software);
	if (r == 0)
		r = add_losses(run);
	if (r == 0)
		r = set_header(run);
	if (r == 0)
		r = rarog_profile_put(run->writer, run->options->output, run->options->keep,
				      &run->result.profile_bytes);
	return r;
}

static int collect(struct run *run)
{
	int r = rarog_sampled_init(run->options->sample, &run->sampled);

	if (r == 0)
		r = rarog_profile_writer_new(run->options->output, &run->writer);
	if (r == 0)
		r = run->options->pid ? watch_process(run) : run_program(run);
	if (r < 0)
		return r;
	run->end_ns = rarog_now_ns();
	r = rarog_sample_loop_finish(&run->loop);
	if (r == 0)
		r = write_profile(run);
	if (r == 0)
		warn(run);
	return r;
}

int rarog_sample_run(const struct rarog_sample_run_options *options,
		     struct rarog_sample_result *ret_result)
{
	struct run run = { .options = options };
	int r;

	run.loop = (struct rarog_sample_loop){ .events = &run.events, .sampled = &run.sampled };
	r = collect(&run);
	rarog_profile_writer_free(run.writer);
	rarog_sample_loop_release(&run.loop);
	rarog_sample_events_release(&run.events);
	rarog_sampled_release(&run.sampled);
	rarog_software_release(&run.software);
	*ret_result = run.result;
	return r;
}
