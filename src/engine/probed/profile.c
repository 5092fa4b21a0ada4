/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile of a run under probes of the kernel, from its beginning to its end. */
#include "engine/probed/run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "engine/probed/values.h"
#include "engine/request.h"
#include "plan/parameters.h"
#include "process/header.h"

/* --- the profile's beginning --- */

/* Of which functions there are values when they return, and which regions are sampled. */
static int note_numbers(struct rarog_probed *run)
{
	run->has_results = calloc(run->n_probes + (size_t)1, sizeof(*run->has_results));
	run->are_sampled = calloc(run->n_probes + (size_t)1, sizeof(*run->are_sampled));
	if (!run->has_results || !run->are_sampled)
		return rarog_oom();
	for (size_t i = 0; i < run->modules.n; i++) {
		const struct rarog_probed_module *m = &run->modules.v[i];

		for (size_t k = 0; k < m->n; k++)
			run->has_results[m->first + k] = m->probes[k].values.n_leave > 0;
		for (size_t k = 0; k < m->marks.names.n; k++)
			run->are_sampled[m->first + m->n + k] =
				run->base.options->plan->switches ||
				rarog_mark_ends_alone(&m->marks.names.v[k]);
	}
	return 0;
}

/* Which of their calls are told. */
static int tell_sampled(const struct rarog_probed *run)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->modules.n; i++) {
		const struct rarog_probed_module *m = &run->modules.v[i];

		for (size_t k = 0; r == 0 && k < m->n; k++)
			r = rarog_recorder_sample(run->recorder, (uint32_t)(m->locations + (long)k),
						  m->probes[k].every);
		for (size_t k = 0; r == 0 && k < m->marks.names.n; k++)
			r = rarog_recorder_sample(run->recorder,
						  (uint32_t)(m->locations + (long)(m->n + k)),
						  m->marks.names.v[k].every);
	}
	return r;
}

int rarog_probed_begin(struct rarog_probed *run)
{
	rarog_cleanup(rarog_freep) char *directory =
		rarog_file_directory(run->base.options->output);
	struct rarog_recorder_options options = { .plan = run->base.options->plan,
						  .directory = directory };
	int r = directory ? rarog_profile_writer_new(run->base.options->output, &run->writer)
			  : rarog_oom();

	options.writer = run->writer;
	if (r == 0)
		r = rarog_recorder_new(&options, &run->recorder);
	if (r < 0)
		return r;
	run->map = rarog_recorder_id_map(run->recorder, run->n_probes + 1);
	if (!run->map)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < run->modules.n; i++)
		r = rarog_probed_module_announce(&run->modules.v[i], run->recorder, run->map);
	if (r == 0 && !run->tells_skipped)
		r = tell_sampled(run);
	if (r == 0)
		r = note_numbers(run);
	if (r == 0)
		r = rarog_probed_streams_new(run->recorder, run->map,
					     run->result.captured ? run->has_results : NULL,
					     &run->streams);
	if (r == 0)
		rarog_probed_streams_sampled(run->streams, run->are_sampled);
	return r;
}

/* --- what came of it --- */

/* Those that have ended say so themselves; of all of a file it does not matter. */
static bool goes_on(const struct rarog_attachment *attachment)
{
	return attachment->file || kill(attachment->pid, 0) == 0;
}

static void write_end(struct rarog_json *json, const struct rarog_probed *run)
{
	const struct rarog_run_result *result = &run->base.collected.run;

	rarog_json_object(json, "end");
	if (run->base.options->attachment)
		rarog_json_bool(json, "detached", goes_on(run->base.options->attachment));
	else if (WIFEXITED(result->wait_status))
		rarog_json_int(json, "exit_status", WEXITSTATUS(result->wait_status));
	else
		rarog_json_int(json, "signal", WTERMSIG(result->wait_status));
	rarog_json_bool(json, "timed_out", result->timed_out);
	if (run->base.options->attachment) { /* its processor time began before */
		rarog_json_uint(json, "wall_ns", result->wall_ns);
	} else {
		rarog_run_write_times(json, result);
		rarog_json_uint(json, "max_rss_bytes", (uint64_t)result->usage.ru_maxrss * 1024);
	}
	rarog_json_end_object(json);
}

static void write_marks(struct rarog_json *json, const struct rarog_probed *run)
{
	static const char *const keys[] = { "usdt", "places" };

	for (size_t k = 0; k < RAROG_COUNT(keys); k++) {
		rarog_json_array(json, keys[k]);
		for (size_t i = 0; i < run->modules.n; i++)
			rarog_marks_write(json, &run->modules.v[i].marks, k > 0);
		rarog_json_end_array(json);
	}
}

static void write_cpu_time(struct rarog_json *json, const struct rarog_probed *run)
{
	char why[64];

	if (run->base.options->plan->detail == RAROG_DETAIL_COUNT)
		return;
	snprintf(why, sizeof(why), "the engine %s does not tell it", run->engine);
	rarog_json_object(json, "cpu_time");
	rarog_json_bool(json, "is_known", false);
	rarog_json_string(json, "why", why);
	rarog_json_end_object(json);
}

static void write_everybody(struct rarog_json *json, const struct rarog_probed *run)
{
	const struct rarog_attachment *attachment = run->base.options->attachment;

	if (!attachment || !attachment->file)
		return;
	rarog_json_object(json, "every_process");
	rarog_json_string(json, "file", attachment->file);
	rarog_json_uint(json, "duration_ns", attachment->duration_ns);
	rarog_json_uint(json, "processes", rarog_probed_streams_joined(run->streams));
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct rarog_probed *run)
{
	const struct rarog_recorder_totals *totals = &run->result.totals;

	rarog_json_object(json, "totals");
	rarog_json_uint(json, "calls", totals->calls);
	rarog_json_uint(json, "raw_bytes", totals->raw_bytes);
	rarog_json_uint(json, "functions", run->result.functions);
	rarog_json_uint(json, "patched", run->result.probes);
	rarog_json_uint(json, "marks", run->result.marks);
	rarog_json_uint(json, "images", run->modules.n);
	rarog_json_uint(json, "open", totals->open);
	rarog_json_uint(json, "unwound", totals->unwound);
	rarog_json_uint(json, "lost", totals->lost);
	if (totals->doubts[RAROG_DOUBT_UNBEGUN])
		rarog_json_uint(json, "unbegun", totals->doubts[RAROG_DOUBT_UNBEGUN]);
	if (totals->doubts[RAROG_DOUBT_OUTLIVING])
		rarog_json_uint(json, "outliving", totals->doubts[RAROG_DOUBT_OUTLIVING]);
	rarog_json_end_object(json);
	if (totals->became_summary && !totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary at max_size_bytes");
	if (totals->had_no_room)
		rarog_json_string(json, "switched", "calls to summary: no room on the disk");
}

static void write_rest(struct rarog_json *json, void *probed)
{
	struct rarog_probed *run = probed;

	rarog_plan_write(json, run->engine, run->base.options->plan);
	write_everybody(json, run);
	rarog_software_write(json, &run->software);
	write_end(json, run);
	if (run->write)
		run->write(json, run);
	write_marks(json, run);
	write_cpu_time(json, run);
	if (run->is_finished)
		write_totals(json, run);
}

static int write_header(struct rarog_probed *run, bool is_final)
{
	const struct rarog_header header = {
		.argv = run->base.options->command->argv,
		.started_ns = run->epoch_ns,
		.describe = run->base.options->describe,
		.user = run->base.options->user,
		.write = write_rest,
		.collector = run,
	};

	run->is_finished = is_final;
	return rarog_header_set(run->writer, &header);
}

/* A copy of the code has breakpoints that the kernel knows nothing of. */
static void say_trap(const struct rarog_probed *run)
{
	int status = run->base.collected.run.wait_status;

	if (!run->base.options->attachment && WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP)
		rarog_warn("the program was ended by SIGTRAP: it may have copied or moved its own "
			   "code, and with it the kernel's breakpoints; --engine=inline has none");
}

static int end_program(struct rarog_probed *run)
{
	uint32_t program = rarog_probed_streams_program(run->streams);

	if (program == RAROG_NONE)
		return 0;
	return rarog_recorder_end_process(run->recorder, program, run->end_ns,
					  run->base.collected.run.wait_status);
}

static int describe_modules(struct rarog_probed *run)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->modules.n; i++)
		r = rarog_probed_module_describe(&run->modules.v[i], run->recorder, &run->software);
	return r;
}

static int add_inlined(struct rarog_probed *run)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->modules.n; i++)
		r = rarog_probed_module_inlined(&run->modules.v[i], run->writer);
	return r;
}

int rarog_probed_end(struct rarog_probed *run)
{
	const struct rarog_clock clock = { .hz = 1000000000,
					   .origin_ticks = run->start_ns,
					   .origin_ns = run->epoch_ns };
	int r = end_program(run);

	say_trap(run);
	rarog_profile_set_clock(run->writer, &clock);
	if (r == 0)
		r = describe_modules(run);
	if (r == 0)
		r = write_header(run, false);
	if (r == 0)
		r = rarog_recorder_finish(run->recorder, run->end_ns, &run->result.totals);
	if (r == 0)
		r = add_inlined(run);
	if (r == 0)
		r = write_header(run, true);
	if (r == 0)
		r = rarog_profile_put(run->writer, run->base.options->output,
				      run->base.options->keep, &run->base.collected.profile_bytes);
	if (r == 0)
		rarog_collected_calls(&run->result.totals, &run->base.collected);
	return r;
}

void rarog_probed_release(struct rarog_probed *run)
{
	rarog_probed_streams_free(run->streams);
	rarog_recorder_free(run->recorder);
	rarog_profile_writer_free(run->writer);
	for (size_t i = 0; i < run->modules.n; i++)
		rarog_probed_module_release(&run->modules.v[i]);
	rarog_vec_release(&run->modules);
	free(run->has_results);
	free(run->are_sampled);
	rarog_software_release(&run->software);
}

void rarog_probed_write_left(struct rarog_json *json, const struct rarog_probed *run)
{
	rarog_json_array(json, "left_out");
	for (size_t i = 0; i < run->modules.n; i++)
		rarog_probed_module_write_left(json, &run->modules.v[i]);
	rarog_json_end_array(json);
}
