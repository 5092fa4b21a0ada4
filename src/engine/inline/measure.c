/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/inline/measure.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "agent/abi.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "engine/engine.h"
#include "engine/inline/calibrate.h"
#include "engine/inline/code/dropped.h"
#include "engine/inline/probe-cost.h"
#include "engine/inline/ptrace/tracer.h"
#include "engine/inline/ring/thinning.h"
#include "engine/inline/slow-down.h"
#include "engine/inline/unhooked.h"
#include "plan/parameters.h"
#include "process/clock.h"
#include "process/header.h"
#include "process/leave.h"

#define ROUGH_PART 2 /* of the CPU time, that probes took: what is left is not known well */

struct trace {
	struct rarog_engine_run base;
	struct rarog_tracer *tracer;
	struct rarog_profile_writer *writer;
	struct rarog_recorder *recorder;
	struct rarog_modules modules;
	struct rarog_clock_watch watch;
	struct rarog_clock clock;
	struct rarog_probe_cost cost;
	struct rarog_thinning thinning;
	struct rarog_inline_result engine;
	struct rarog_recorder_totals totals;
	uint64_t ran_ns, finished_ns; /* phases, CLOCK_MONOTONIC */
	bool is_finished;             /* the totals are known */
};

/* --- what the binaries tell after the run --- */

static int add_sources(struct trace *t, struct rarog_module *m)
{
	const struct rarog_function *functions;
	int r = 0;

	rarog_binary_functions(m->binary, &functions);
	for (size_t i = 0; r == 0 && m->locations >= 0 && i < m->probes.n; i++) {
		uint64_t address = functions[m->probes.v[i].function].address;
		struct rarog_source source;

		if (rarog_binary_source(m->binary, address, &source) == 0)
			r = rarog_recorder_set_source(t->recorder,
						      (uint32_t)(m->locations + (long)i),
						      source.file, (uint32_t)source.line);
	}
	if (r < 0 || m->locations < 0)
		return r;
	r = rarog_recorder_set_mark_sources(t->recorder, &m->marks, m->binary,
					    (uint32_t)(m->locations + (long)m->probes.n));
	return r < 0 ? r
		     : rarog_recorder_set_pruned_sources(
			       t->recorder, &m->places, m->binary,
			       (uint32_t)(m->locations + (long)m->probes.n +
					  (long)m->marks.names.n + (long)m->left.n));
}

/* Location of each function of the module, RAROG_NONE: not probed. */
static uint32_t *locations_of(const struct rarog_module *m, size_t n)
{
	uint32_t *locations = malloc((n + 1) * sizeof(*locations));

	if (!locations)
		return NULL;
	memset(locations, 0xff, n * sizeof(*locations));
	for (size_t i = 0; i < m->probes.n; i++)
		locations[m->probes.v[i].function] = (uint32_t)(m->locations + (long)i);
	return locations;
}

static int add_inlined(struct trace *t, struct rarog_module *m)
{
	const struct rarog_inlined *inlined;
	const struct rarog_function *functions;
	size_t n_functions = rarog_binary_functions(m->binary, &functions);
	long n = m->locations >= 0 ? rarog_binary_inlined(m->binary, &inlined) : 0;
	rarog_cleanup(rarog_freep) uint32_t *locations = locations_of(m, n_functions);
	int r = locations ? 0 : rarog_oom();

	for (long i = 0; r == 0 && i < n; i++) {
		struct rarog_inlined_into into = {
			.name = inlined[i].name,
			.host = locations[inlined[i].host],
			.file = inlined[i].at.file,
			.line = (uint32_t)inlined[i].at.line,
		};

		if (into.host != RAROG_NONE)
			r = rarog_profile_add_inlined(t->writer, 1, &into);
	}
	return r;
}

static int add_software(struct trace *t, struct rarog_module *m)
{
	return m->is_probed ? rarog_software_add_program(&t->modules.software, m->binary) : 0;
}

static int for_modules(struct trace *t, int (*do_it)(struct trace *t, struct rarog_module *m))
{
	int r = 0;

	for (struct rarog_module *m = t->modules.first; r == 0 && m; m = m->next)
		r = do_it(t, m);
	return r;
}

/* --- header --- */

static void write_end(struct rarog_json *json, const struct trace *t)
{
	const struct rarog_run_result *run = &t->base.collected.run;

	rarog_json_object(json, "end");
	if (t->base.options->attachment && run->wait_status == -1)
		rarog_json_bool(json, "detached", t->engine.detached);
	else if (WIFEXITED(run->wait_status))
		rarog_json_int(json, "exit_status", WEXITSTATUS(run->wait_status));
	else
		rarog_json_int(json, "signal", WTERMSIG(run->wait_status));
	rarog_json_bool(json, "timed_out", run->timed_out);
	if (t->base.options->attachment) { /* its processor time began before */
		rarog_json_uint(json, "wall_ns", run->wall_ns);
	} else {
		rarog_run_write_times(json, run);
		rarog_json_uint(json, "max_rss_bytes", (uint64_t)run->usage.ru_maxrss * 1024);
	}
	rarog_json_end_object(json);
}

/* The profile begins in the middle: calls that were open then are not in it. */
static void write_attachment(struct rarog_json *json, const struct trace *t)
{
	const struct rarog_attachment *attachment = t->base.options->attachment;

	if (!attachment)
		return;
	rarog_json_object(json, "attached");
	rarog_json_int(json, "pid", attachment->pid);
	rarog_json_uint(json, "duration_ns", attachment->duration_ns);
	rarog_json_uint(json, "attaching_ns", t->engine.stood_ns[0]);
	rarog_json_uint(json, "detaching_ns", t->engine.stood_ns[1]);
	rarog_json_uint(json, "avoided", t->engine.avoided);
	rarog_json_bool(json, "restored", t->engine.detached && !t->engine.has_rest);
	rarog_json_end_object(json);
}

static void write_marks(struct rarog_json *json, const struct trace *t)
{
	static const char *const keys[] = { "usdt", "places" };

	for (size_t i = 0; i < RAROG_COUNT(keys); i++) {
		rarog_json_array(json, keys[i]);
		for (const struct rarog_module *m = t->modules.first; m; m = m->next)
			rarog_marks_write(json, &m->marks, i > 0);
		rarog_json_end_array(json);
	}
}

static void write_probe_cost(struct rarog_json *json, const struct trace *t)
{
	rarog_json_object(json, "probe_cost");
	rarog_json_double(json, "call_ticks", t->cost.call);
	rarog_json_double(json, "self_ticks", t->cost.self);
	rarog_json_double(json, "rdtsc_ticks", t->cost.rdtsc);
	rarog_json_bool(json, "compensated", t->base.options->compensate);
	rarog_json_bool(json, "ordered", t->base.options->plan->orders_clock);
	rarog_json_end_object(json);
}

static void write_budget(struct rarog_json *json, const struct trace *t)
{
	const struct rarog_budget *b = &t->thinning.budget;

	if (b->share <= 0)
		return;
	rarog_json_object(json, "budget");
	rarog_json_double(json, "overhead", b->share);
	rarog_json_uint(json, "ran_ns", (uint64_t)(b->ran_ns - b->seen_lost_ns));
	rarog_json_uint(json, "probes_ns", (uint64_t)fmax(b->spent_ns - b->seen_lost_ns, 0));
	rarog_json_uint(json, "lost_ns", (uint64_t)b->seen_lost_ns);
	rarog_json_uint(json, "changes", b->changes);
	rarog_json_uint(json, "thinned", rarog_budget_count(b).thinned);
	rarog_json_uint(json, "off", rarog_budget_count(b).off);
	rarog_json_object(json, "call_ns");
	rarog_json_double(json, "recorded", b->costs.recorded);
	rarog_json_double(json, "skipped", b->costs.skipped);
	rarog_json_end_object(json);
	rarog_json_end_object(json);
}

static void write_probing(struct rarog_json *json, const struct trace *t)
{
	const struct rarog_thinning *thinning = &t->thinning;

	if (thinning->budget.share == 0)
		rarog_probing_write(json, &thinning->probing, thinning->budget.changes);
}

static void write_cpu_time(struct rarog_json *json, const struct trace *t)
{
	const struct rarog_recorder_totals *totals = &t->totals;

	if (t->base.options->plan->detail == RAROG_DETAIL_COUNT)
		return;
	rarog_json_object(json, "cpu_time");
	rarog_json_bool(json, "is_known", totals->knows_off_cpu);
	if (totals->knows_off_cpu)
		rarog_json_uint(json, "threads_unknown", totals->strands_unknown);
	else
		rarog_json_string(json, "why", t->engine.no_cpu_time);
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct trace *t)
{
	const struct rarog_recorder_totals *totals = &t->totals;

	rarog_json_object(json, "timings");
	rarog_json_uint(json, "install_ns", t->engine.install_ns);
	rarog_json_uint(json, "run_ns", t->base.collected.run.wall_ns);
	rarog_json_uint(json, "assemble_ns", totals->assemble_ns);
	rarog_json_uint(json, "finish_ns", t->finished_ns - t->ran_ns);
	rarog_json_end_object(json);
	rarog_json_object(json, "totals");
	rarog_json_uint(json, "calls", totals->calls);
	if (totals->is_sampled)
		rarog_json_uint(json, "all_calls", totals->all_calls);
	rarog_json_uint(json, "raw_bytes", totals->raw_bytes);
	rarog_json_uint(json, "functions", t->engine.functions);
	rarog_json_uint(json, "patched", t->engine.patched);
	rarog_json_uint(json, "marks", t->engine.marks);
	rarog_json_uint(json, "images", t->engine.images);
	rarog_json_uint(json, "open", totals->open);
	rarog_json_uint(json, "unwound", totals->unwound);
	rarog_json_uint(json, "lost", totals->lost);
	if (totals->doubts[RAROG_DOUBT_UNBEGUN])
		rarog_json_uint(json, "unbegun", totals->doubts[RAROG_DOUBT_UNBEGUN]);
	if (totals->doubts[RAROG_DOUBT_ASTRAY])
		rarog_json_uint(json, "astray", totals->doubts[RAROG_DOUBT_ASTRAY]);
	if (totals->doubts[RAROG_DOUBT_OUTLIVING])
		rarog_json_uint(json, "outliving", totals->doubts[RAROG_DOUBT_OUTLIVING]);
	rarog_json_uint(json, "wait_ticks", totals->wait_ticks);
	if (t->base.options->compensate)
		rarog_json_uint(json, "clamped_calls", totals->clamped);
	rarog_json_end_object(json);
	write_budget(json, t);
	write_probing(json, t);
	write_cpu_time(json, t);
	if (t->watch.suspended_ns > 0)
		rarog_json_uint(json, "suspended_ns", t->watch.suspended_ns);
	if (totals->became_summary && !totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary at max_size_bytes");
	if (totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary: no room on the disk");
}

/* Once before the calls are written, so that a profile cut off later tells what it is, and once
 * with what is known in the end: the last one counts. */
static void write_rest(struct rarog_json *json, void *trace)
{
	struct trace *t = trace;

	rarog_plan_write(json, "inline", t->base.options->plan);
	rarog_software_write(json, &t->modules.software);
	write_end(json, t);
	write_attachment(json, t);
	rarog_dropped_write(json, &t->modules);
	write_marks(json, t);
	write_probe_cost(json, t);
	if (t->is_finished)
		write_totals(json, t);
}

static int write_header(struct trace *t, bool is_final)
{
	const struct rarog_header header = {
		.argv = t->base.options->command->argv,
		.started_ns = t->watch.epoch_ns,
		.describe = t->base.options->describe,
		.user = t->base.options->user,
		.write = write_rest,
		.collector = t,
	};

	t->is_finished = is_final;
	return rarog_header_set(t->writer, &header);
}

/* --- what there is to say --- */

static int check_patterns(struct trace *t)
{
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	if (t->engine.images == 0 && t->engine.explained)
		return 0;
	if (t->engine.images == 0)
		rarog_warn("nothing was measured; started were %s; --binary NAME measures a "
			   "program that is a script's interpreter or has no symbols",
			   t->engine.others);
	else
		r = rarog_modules_unmatched(&t->modules, &text);
	if (r > 0)
		rarog_warn_lines(rarog_str_text(&text));
	else if (r == 0 && t->engine.images > 0 && t->engine.patched + t->engine.marks == 0)
		rarog_warn("no function could be probed; rarog probes --all %s says why",
			   t->base.options->command->argv[0]);
	return r < 0 ? r : 0;
}

/* With --no-follow nothing takes the jumps out when a breakpoint has changed one. */
static void say_trap(const struct trace *t)
{
	int status = t->base.collected.run.wait_status;

	if (t->engine.patched > 0 && !t->base.options->plan->follow &&
	    !t->base.options->attachment && WIFSIGNALED(status) && WTERMSIG(status) == SIGILL)
		rarog_warn("the program was ended by SIGILL: with --no-follow somebody else's "
			   "breakpoint in a measured function may do that; leave it out");
}

static void check_avoided(const struct trace *t)
{
	if (t->engine.avoided)
		rarog_warn("%u functions are not measured: their first bytes are not those of the "
			   "file, or a signal handler was to return there",
			   t->engine.avoided);
}

static void check_limits(const struct trace *t)
{
	for (const struct rarog_module *m = t->modules.first; m; m = m->next)
		if (m->left_out[RAROG_SITE_OK])
			rarog_warn("%s: %u of its functions are not measured, %u are the most; "
				   "choose some with --func or --exclude",
				   m->path, m->left_out[RAROG_SITE_OK], RAROG_ID_WIDE);
}

static uint64_t cpu_ns(const struct rusage *usage)
{
	const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;

	return (uint64_t)(user->tv_sec + system->tv_sec) * 1000000000 +
	       (uint64_t)(user->tv_usec + system->tv_usec) * 1000;
}

static uint64_t cost_ns(const struct trace *t)
{
	return rarog_clock_ns(&t->clock, (uint64_t)(t->cost.call * (double)t->totals.calls));
}

/* A nanosecond or two more or less a call, which is how well their cost is known, are much of what
 * is left then: doc/design/sample.md, "What was measured". */
static void check_compensation(const struct trace *t)
{
	uint64_t calls = t->totals.calls, cpu = cpu_ns(&t->base.collected.run.usage);
	uint64_t cost = cost_ns(t);

	if (t->base.options->compensate && cpu > 0 && cost > cpu / ROUGH_PART)
		rarog_warn("the probes of %s calls took some %llu %% of the CPU time: compensated "
			   "times are rough; rarog collect sample knows better what has which "
			   "share",
			   rarog_format_count(calls).text,
			   (unsigned long long)(100 * cost / cpu > 99 ? 99 : 100 * cost / cpu));
}

static void check_marks(const struct trace *t)
{
	for (const struct rarog_module *m = t->modules.first; m; m = m->next)
		rarog_marks_say(&m->marks, t->base.options->plan, m->path);
}

/* --- the steps --- */

static int open_profile(struct trace *t)
{
	rarog_cleanup(rarog_freep) char *directory = rarog_file_directory(t->base.options->output);
	struct rarog_recorder_options options = {
		.plan = t->base.options->plan,
		.directory = directory,
	};
	int r = directory ? rarog_profile_writer_new(t->base.options->output, &t->writer)
			  : rarog_oom();

	if (r < 0)
		return r;
	if (t->base.options->compensate) {
		options.compensate = (uint64_t)(t->cost.call + 0.5);
		options.compensate_self = (uint64_t)(t->cost.self + 0.5);
	}
	options.writer = t->writer;
	t->modules.plan = t->base.options->plan;
	t->modules.leaves = t->base.options->attachment != NULL;
	return rarog_recorder_new(&options, &t->recorder);
}

static int begin_thinning(struct trace *t)
{
	const struct rarog_plan *plan = t->base.options->plan;
	struct rarog_budget_costs costs = { 0 };
	int r = plan->overhead > 0 ? rarog_gate_cost_measure_ns(plan->orders_clock, &costs) : 0;

	if (r == 0)
		rarog_thinning_begin(&t->thinning, plan, &costs);
	return r;
}

static int prepare(struct rarog_engine_run *run)
{
	struct trace *t = (struct trace *)run;
	int r;

	rarog_clock_watch_start(&t->watch);
	r = rarog_probe_cost_measure(run->options->plan->orders_clock,
				     run->options->plan->regions != NULL, &t->cost);
	if (r == 0)
		r = begin_thinning(t);
	return r < 0 ? r : open_profile(t);
}

static int start(struct rarog_engine_run *run, pid_t pid)
{
	struct trace *t = (struct trace *)run;
	const struct rarog_tracer_options options = {
		.attachment = run->options->attachment,
		.program = run->command->argv[0],
		.modules = &t->modules,
		.recorder = t->recorder,
		.thinning = &t->thinning,
		.watch = &t->watch,
	};

	return rarog_tracer_start(&options, pid, &t->tracer);
}

static int set_place(struct rarog_engine_run *run, const struct rarog_place_change *change)
{
	return rarog_tracer_set_place(((struct trace *)run)->tracer, change);
}

static void tell_counts(struct rarog_engine_run *run, const struct rarog_delay_account *account)
{
	rarog_tracer_tell_counts(((struct trace *)run)->tracer, account);
}

static long drain(struct rarog_engine_run *run)
{
	return rarog_tracer_look(((struct trace *)run)->tracer, &run->waiter);
}

static void kill_all(struct rarog_engine_run *run, int signal)
{
	rarog_tracer_kill(((struct trace *)run)->tracer, signal);
}

static int stop(struct rarog_engine_run *run)
{
	struct trace *t = (struct trace *)run;
	int r = 0;

	if (t->tracer)
		r = rarog_tracer_stop(t->tracer, &run->collected.run, &t->engine);
	t->ran_ns = rarog_now_ns();
	return r;
}

static int write_profile(void *context)
{
	struct trace *t = context;
	int r;

	check_patterns(t);
	rarog_unhooked_say(&t->modules);
	check_limits(t);
	check_avoided(t);
	rarog_dropped_say(&t->modules);
	say_trap(t);
	check_marks(t);
	t->clock = rarog_clock_watch_finish(&t->watch);
	rarog_profile_set_clock(t->writer, &t->clock);
	r = for_modules(t, add_sources);
	if (r == 0)
		r = for_modules(t, add_software);
	if (r == 0)
		r = write_header(t, false);
	if (r == 0)
		r = rarog_recorder_finish(t->recorder, t->engine.end_ticks, &t->totals);
	if (r == 0)
		r = for_modules(t, add_inlined);
	check_compensation(t);
	t->finished_ns = rarog_now_ns();
	if (r == 0)
		r = write_header(t, true);
	return r < 0 ? r
		     : rarog_profile_put(t->writer, t->base.options->output, t->base.options->keep,
					 &t->base.collected.profile_bytes);
}

/* Without those of the run-time system, which are no part of what users measure. */
static uint32_t count_untraced(const struct trace *t)
{
	uint32_t n = t->engine.avoided;

	for (const struct rarog_module *m = t->modules.first; m; m = m->next)
		for (size_t i = 0; i < RAROG_SITE_VERDICTS; i++)
			n += i == RAROG_SITE_SPECIAL ? 0 : m->left_out[i];
	return n;
}

static int finish(struct rarog_engine_run *run)
{
	struct trace *t = (struct trace *)run;
	int r = rarog_leave_during(write_profile, t);

	run->collected.detached = t->engine.detached;
	memcpy(run->collected.stood_ns, t->engine.stood_ns, sizeof(t->engine.stood_ns));
	/* Where calls begin late nobody has asked for times. */
	t->totals.is_sampled = t->totals.is_sampled && !t->base.options->plan->delays;
	run->collected.untraced = count_untraced(t);
	if (r == 0)
		rarog_collected_calls(&t->totals, &run->collected);
	if (r == 0 && t->engine.images == 0 && t->engine.explained)
		*run->collected.kept = '\0';
	if (r == 0 && rarog_dropped_early(&t->modules))
		snprintf(run->collected.kept, sizeof(run->collected.kept),
			 ", not all until the end");
	if (r == 0)
		rarog_slow_down_say(&t->thinning.budget, t->base.options->plan->regions != NULL,
				    cost_ns(t), cpu_ns(&run->collected.run.usage), &run->collected);
	rarog_thinning_release(&t->thinning);
	return r;
}

static void release(struct rarog_engine_run *run)
{
	struct trace *t = (struct trace *)run;

	rarog_tracer_free(t->tracer);
	rarog_recorder_free(t->recorder);
	rarog_profile_writer_free(t->writer);
	rarog_modules_release(&t->modules);
}

const struct rarog_engine_steps rarog_inline_steps = {
	.size = sizeof(struct trace),
	.traces = true,
	.prepare = prepare,
	.start = start,
	.set_place = set_place,
	.tell_counts = tell_counts,
	.drain = drain,
	.kill = kill_all,
	.stop = stop,
	.finish = finish,
	.release = release,
};
