/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/rewrite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "engine/rewrite/profile.h"
#include "engine/rewrite/tasks.h"
#include "engine/rewrite/within.h"
#include "plan/options.h"
#include "plan/parameters.h"
#include "plan/unmatched.h"
#include "process/clock.h"
#include "process/header.h"
#include "process/leave.h"
#include "process/namespaces.h"
#include "process/software.h"

#define NS_IDLE 100000000

struct rewrite {
	struct rarog_engine_run base;
	struct rarog_profile_writer *writer;
	struct rarog_rewrite_modules modules;
	struct rarog_rewrite_tasks tasks;
	struct rarog_rewrite_totals totals;
	struct rarog_software software;
	struct rarog_clock_watch watch;
	uint64_t lost;
};

/* --- the profile --- */

void rarog_rewrite_write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write_collector(json, "rewrite", plan);
	rarog_json_object(json, "parameters");
	rarog_json_bool(json, "follow", plan->follow);
	rarog_json_bool(json, "libs", plan->libraries);
	if (plan->within)
		rarog_json_string(json, "within", plan->within);
	if (plan->not_below)
		rarog_json_string(json, "not_below", plan->not_below);
	rarog_json_string(json, "loops", rarog_loops_names[plan->rounds]);
	rarog_json_string(json, "times", rarog_block_times_names[plan->times]);
	rarog_json_end_object(json);
}

static void write_left(struct rarog_json *json, const struct rewrite *w)
{
	rarog_json_array(json, "left");
	for (const struct rarog_rewrite_module *m = w->modules.first; m; m = m->next) {
		const struct rarog_function *functions;

		rarog_binary_functions(m->binary, &functions);
		for (size_t i = 0; m->was_there && i < m->left.n; i++) {
			rarog_json_object(json, NULL);
			rarog_json_string(json, "function", functions[m->left.v[i].function].name);
			rarog_json_string(json, "binary", m->path);
			rarog_json_string(json, "reason",
					  rarog_rewrite_reason_text(m->left.v[i].reason));
			rarog_json_bool(json, "is_special",
					m->left.v[i].reason == RAROG_REWRITE_SPECIAL);
			rarog_json_end_object(json);
		}
	}
	rarog_json_end_array(json);
}

static void write_totals(struct rarog_json *json, const struct rewrite *w)
{
	rarog_json_object(json, "totals");
	rarog_block_totals_write(&w->totals.counted, json);
	rarog_json_uint(json, "functions_left", w->totals.left);
	rarog_json_uint(json, "counters", w->totals.counters);
	rarog_json_uint(json, "images", w->tasks.n_images);
	rarog_json_uint(json, "lost", w->lost);
	rarog_json_end_object(json);
}

static void write_members(struct rarog_json *json, void *collector)
{
	struct rewrite *w = collector;

	rarog_rewrite_write_parameters(json, w->base.options->plan);
	rarog_software_write(json, &w->software);
	rarog_run_write_end(json, &w->base.collected.run);
	rarog_rewrite_times_write(json, &w->totals.times, &w->tasks.samples);
	write_left(json, w);
	write_totals(json, w);
}

static int add_modules(struct rewrite *w)
{
	int r = 0;

	for (struct rarog_rewrite_module *m = w->modules.first; r == 0 && m; m = m->next) {
		if (!m->was_there)
			continue;
		r = rarog_software_add_program(&w->software, m->binary);
		if (r == 0)
			r = rarog_rewrite_profile_add(w->writer, m, &w->totals);
	}
	return r;
}

static int add_processes(struct rewrite *w)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < w->tasks.processes.n; i++) {
		const struct rarog_rewrite_process *from = &w->tasks.processes.v[i];
		const struct rarog_process process = {
			.pid = (uint32_t)from->pid,
			.parent = RAROG_NONE,
			.start_ticks = from->start_ticks,
			.end_ticks = from->end_ticks,
			.wait_status = from->wait_status,
			.command = from->command,
		};
		long index = rarog_profile_add_process(w->writer, &process);

		r = index < 0 ? (int)index : 0;
	}
	return r;
}

static int add_losses(struct rewrite *w)
{
	const struct {
		uint64_t n;
		const char *loss, *one, *many;
	} all[] = {
		{ w->tasks.n_unknown, "tasks without counters",
		  "thread or process was one too many: its counts are missing",
		  "threads or processes were too many: their counts are missing" },
		{ w->tasks.n_changed, "functions that memory has otherwise",
		  "function was not in memory as in its file: its counts are missing",
		  "functions were not in memory as in their file: their counts are missing" },
		{ w->tasks.n_running, "processes left running",
		  "process runs on: what it does after the program's end is missing",
		  "processes run on: what they do after the program's end is missing" },
		{ w->tasks.n_refused, "programs that are not counted",
		  "program that it started is not counted: its counts are missing",
		  "programs that it started are not counted: their counts are missing" },
		{ w->totals.counted.below_zero, "blocks left midway",
		  "count is one off or more: a function was left in the middle of a block, by a "
		  "signal",
		  "counts are one off or more: functions were left in the middle of a block, by a "
		  "signal" },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(all); i++) {
		const struct rarog_loss loss = { .what = all[i].loss, .count = all[i].n };

		if (all[i].n == 0)
			continue;
		w->lost += all[i].n;
		rarog_warn("%llu %s", (unsigned long long)all[i].n,
			   all[i].n == 1 ? all[i].one : all[i].many);
		r = rarog_profile_add_losses(w->writer, 1, &loss);
	}
	return r;
}

static int write_header(struct rewrite *w)
{
	const struct rarog_header header = {
		.argv = w->base.options->command->argv,
		.started_ns = w->watch.epoch_ns,
		.describe = w->base.options->describe,
		.user = w->base.options->user,
		.write = write_members,
		.collector = w,
	};

	return rarog_header_set(w->writer, &header);
}

static int init_times(struct rewrite *w, const struct rarog_clock *clock)
{
	struct rarog_rewrite_times *times = &w->totals.times;
	int r = rarog_rewrite_times_init(times, w->base.options->plan, clock);

	if (!w->tasks.no_samples)
		return r;
	times->how = RAROG_BLOCK_TIMES_NONE;
	times->reason = w->tasks.no_samples;
	return r;
}

static int write_profile(void *context)
{
	struct rewrite *w = context;
	struct rarog_clock clock = rarog_clock_watch_finish(&w->watch);
	int r;

	rarog_profile_set_clock(w->writer, &clock);
	r = init_times(w, &clock);
	if (r == 0)
		r = add_modules(w);
	if (r == 0)
		r = rarog_value_table_write(&w->totals.values, w->writer);
	if (r == 0)
		r = add_processes(w);
	if (r == 0)
		r = add_losses(w);
	if (r == 0)
		r = write_header(w);
	return r < 0 ? r
		     : rarog_profile_put(w->writer, w->base.options->output, w->base.options->keep,
					 &w->base.collected.profile_bytes);
}

/* --- the steps --- */

static bool is_script(const char *name)
{
	char path[PATH_MAX];

	return rarog_program_find(name, path) == 0 && rarog_program_is_script(path);
}

static int prepare(struct rarog_engine_run *run)
{
	struct rewrite *w = (struct rewrite *)run;

	const struct rarog_plan *plan = run->options->plan;
	int r = plan->roots.include.n > 0 ? rarog_within_works() : 0;

	if (r < 0)
		return r;
	rarog_clock_watch_start(&w->watch);
	w->modules.plan = run->options->plan;
	w->tasks.modules = &w->modules;
	w->tasks.is_script = is_script(run->command->argv[0]);
	return rarog_profile_writer_new(run->options->output, &w->writer);
}

static int start(struct rarog_engine_run *run, pid_t pid)
{
	return rarog_rewrite_tasks_start(&((struct rewrite *)run)->tasks, pid);
}

static long drain(struct rarog_engine_run *run)
{
	struct rewrite *w = (struct rewrite *)run;

	rarog_rewrite_tasks_look(&w->tasks);
	rarog_clock_watch_look(&w->watch);
	run->waiter = (struct rarog_waiter){ .start_ns = w->tasks.started ? w->tasks.start_ns : 0,
					     .stood_ns = w->tasks.stood_ns,
					     .has_ended = w->tasks.ended,
					     .is_over = w->tasks.ended };
	return NS_IDLE;
}

static void kill_all(struct rarog_engine_run *run, int signal)
{
	rarog_rewrite_tasks_kill(&((struct rewrite *)run)->tasks, signal);
}

static int stop(struct rarog_engine_run *run)
{
	struct rewrite *w = (struct rewrite *)run;

	rarog_rewrite_tasks_release(&w->tasks);
	run->collected.run.wait_status = w->tasks.run.wait_status;
	run->collected.run.wall_ns = w->tasks.run.wall_ns;
	run->collected.run.usage = w->tasks.run.usage;
	return w->tasks.error;
}

static bool names_one(const char *path, size_t n, const char *const names[n])
{
	for (size_t i = 0; i < n; i++)
		if (rarog_file_names(path, names[i]))
			return true;
	return false;
}

/* A handler that jumps away leaves a block midway, which counts need not show. */
static bool may_leave_midway(const struct rewrite *w)
{
	static const char *const jumps[] = { "siglongjmp", "longjmp", "__longjmp_chk", "_longjmp" };
	static const char *const handlers[] = { "sigaction", "signal", "__sysv_signal" };

	for (const struct rarog_rewrite_module *m = w->modules.first; m; m = m->next)
		if (m->was_there && !rarog_binary_is_library(m->binary) &&
		    names_one(m->path, RAROG_COUNT(jumps), jumps) &&
		    names_one(m->path, RAROG_COUNT(handlers), handlers))
			return true;
	return false;
}

/* Start-up code and its like are in every program, and nobody misses them. */
static uint64_t n_left(const struct rewrite *w)
{
	uint64_t n = 0;

	for (const struct rarog_rewrite_module *m = w->modules.first; m; m = m->next)
		for (size_t i = 0; m->was_there && i < m->left.n; i++)
			n += m->left.v[i].reason != RAROG_REWRITE_SPECIAL;
	return n;
}

/* A thread has no sample in its first period: of short ones most of the time is missing. */
static void warn_of_samples(const struct rewrite *w)
{
	const struct timeval *user = &w->tasks.run.usage.ru_utime;
	double ns = 1e9 * (double)user->tv_sec + 1e3 * (double)user->tv_usec;
	double seen = (double)w->tasks.samples.n * RAROG_REWRITE_SAMPLE_NS;

	if (w->totals.times.how == RAROG_BLOCK_TIMES_ESTIMATED && ns > 2e7 && seen < 0.5 * ns)
		rarog_warn("times of blocks are those of %.0f %% of the run's user time: its "
			   "threads are too short for samples; --times=measured has all",
			   100 * seen / ns);
}

/* --within goes by the depth of the stack, of which there is one. */
static bool may_change_stacks(const struct rewrite *w)
{
	static const char *const names[] = { "sigaltstack", "swapcontext", "makecontext",
					     "setcontext" };

	for (const struct rarog_rewrite_module *m = w->modules.first; m; m = m->next)
		if (w->base.options->plan->roots.include.n > 0 && m->was_there &&
		    !rarog_binary_is_library(m->binary) &&
		    names_one(m->path, RAROG_COUNT(names), names))
			return true;
	return false;
}

static void describe(struct rewrite *w)
{
	struct rarog_collected *collected = &w->base.collected;
	uint64_t left = n_left(w);
	int n;

	warn_of_samples(w);
	rarog_block_totals_describe(&w->totals.counted, collected);
	collected->lost = w->lost;
	n = snprintf(collected->kept, sizeof(collected->kept), "%s",
		     w->lost                ? ""
		     : may_leave_midway(w)  ? ", exact unless a signal handler jumped away"
		     : may_change_stacks(w) ? ", exact unless other stacks were used within"
					    : ", exact");
	if (left > 0)
		snprintf(collected->kept + n, sizeof(collected->kept) - (size_t)n,
			 "; %s function%s not counted (rarog show names them)",
			 rarog_format_count(left).text, left == 1 ? " is" : "s are");
}

/* What is left as it is, with its reason, is in the profile. */
static int say_unmatched(const struct rewrite *w)
{
	rarog_cleanup(rarog_searched_release) struct rarog_searched searched = {
		.plan = w->base.options->plan
	};
	rarog_cleanup(rarog_str_release) struct rarog_str text = { 0 };
	int r = 0;

	for (const struct rarog_rewrite_module *m = w->modules.first; m; m = m->next) {
		const struct rarog_searched_binary one = { m->binary, m->path, NULL };

		searched.has_root |= m->n_roots > 0;
		if (rarog_vec_push(&searched.binaries, one) < 0)
			return rarog_oom();
	}
	if (searched.binaries.n > 0)
		r = rarog_unmatched(&searched, &text);
	if (r > 0)
		rarog_warn_lines(rarog_str_text(&text));
	return r < 0 ? r : 0;
}

static int finish(struct rarog_engine_run *run)
{
	struct rewrite *w = (struct rewrite *)run;
	int r = rarog_leave_during(write_profile, w);

	if (w->tasks.n_images == 0)
		rarog_warn("nothing was counted; --binary NAME counts a program that is a "
			   "script's interpreter or has no symbols");

	describe(w);
	return r < 0 ? r : say_unmatched(w);
}

static void release(struct rarog_engine_run *run)
{
	struct rewrite *w = (struct rewrite *)run;

	rarog_profile_writer_free(w->writer);
	rarog_value_table_release(&w->totals.values);
	rarog_rewrite_tasks_free(&w->tasks);
	rarog_rewrite_modules_release(&w->modules);
	rarog_software_release(&w->software);
}

const struct rarog_engine_steps rarog_rewrite_steps = {
	.size = sizeof(struct rewrite),
	.traces = true,
	.prepare = prepare,
	.start = start,
	.drain = drain,
	.kill = kill_all,
	.stop = stop,
	.finish = finish,
	.release = release,
};
