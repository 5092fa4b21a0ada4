/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tool counts into files that survive every end of a process (vex/record.h); here the program
 * is started under it and, when it has ended, they are read and summed. Amounts of the context tree
 * are instructions, not ticks: the header's "unit" says so.
 */
#include "engine/vex/vex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"
#include "engine/vex/contexts.h"
#include "engine/vex/harvest.h"
#include "engine/vex/image.h"
#include "engine/vex/tool.h"
#include "engine/vex/values.h"
#include "plan/parameters.h"
#include "process/clock.h"
#include "process/header.h"
#include "process/namespaces.h"

struct vex {
	struct rarog_engine_run base;
	struct rarog_vex_tool tool;
	struct rarog_command_line command; /* the program's, under the tool */
	char **line;                       /* of it */
	struct rarog_profile_writer *writer;
	struct rarog_vex_harvest harvest;
	struct rarog_vex_map *maps; /* [harvest.images.n] */
	struct rarog_vex_values values;
	struct rarog_software software;
	struct rarog_clock_watch watch;
	struct rarog_vex_totals totals;
};

/* --- the run --- */

/* The tool finds the program itself, but has no way to tell us that it cannot. */
static int look_for_obstacles(const char *path)
{
	static const struct {
		const char *name, *reason;
	} obstacles[] = {
		{ "__asan_init", "was built with AddressSanitizer" },
		{ "__msan_init", "was built with MemorySanitizer" },
		{ "__tsan_init", "was built with ThreadSanitizer" },
		{ "__monstartup", "notes by a timer where it is (-pg)" },
	};

	for (size_t i = 0; i < RAROG_COUNT(obstacles); i++)
		if (rarog_file_names(path, obstacles[i].name))
			return rarog_fail(-ENOTSUP,
					  "--engine=vex: %s %s, which Valgrind may end; build it "
					  "without, or measure it with another engine",
					  path, obstacles[i].reason);
	return 0;
}

static int check_program(struct vex *v)
{
	const char *name = v->base.options->command->argv[0];
	char path[PATH_MAX];
	int r = rarog_program_find(name, path);

	if (r == 0 && access(path, X_OK) < 0)
		r = -errno;
	if (r == 0)
		r = look_for_obstacles(path);
	if (r == 0 || r == -ENOTSUP)
		return r == 0 ? rarog_vex_values_choose(&v->values, path, v->base.options->plan)
			      : r;
	v->base.collected.run.launch_error = r;
	if (r == -ENOENT)
		return rarog_fail(r, "%s: not found%s", name, strchr(name, '/') ? "" : " in PATH");
	return rarog_fail(r, "%s: cannot execute: %s", name, strerror(-r));
}

static int find_command(struct vex *v)
{
	const struct rarog_plan *plan = v->base.options->plan;
	rarog_cleanup(rarog_freep) char *values = NULL;
	int r = rarog_vex_harvest_open(&v->harvest);

	if (r == 0 && v->values.n_wanted > 0) {
		values = rarog_asprintf("%s/values", v->harvest.folder.path);
		r = values ? rarog_vex_values_ask(&v->values, values) : rarog_oom();
	}
	if (r < 0)
		return r;
	v->command = *v->base.command;
	v->line = rarog_vex_tool_command(&v->tool, v->harvest.folder.path, v->command.argv,
					 plan->follow, plan->accesses, values);
	if (!v->line)
		return -ENOMEM;
	v->command.argv = v->line;
	v->base.command = &v->command;
	return 0;
}

/* --- what is missing --- */

static int add_losses(struct vex *v)
{
	const struct {
		uint64_t n;
		const char *loss, *one, *many;
	} all[] = {
		{ v->harvest.n_unread, "files of counters that are cut off",
		  "file of counters is cut off and was left out",
		  "files of counters are cut off and were left out" },
		{ v->harvest.n_lost, "processes without room for counters",
		  "process had no room for files (disk or limit): some of its counts are missing",
		  "processes had no room for files (disk or limit): some of their counts are "
		  "missing" },
		{ v->harvest.n_running, "processes left running",
		  "process runs on: what it does after the program's end is missing",
		  "processes run on: what they do after the program's end is missing" },
		{ v->harvest.n_ended, "processes that Valgrind ended",
		  "process was ended by Valgrind, which could not run it any further",
		  "processes were ended by Valgrind, which could not run them any further" },
		{ v->values.unkept, "calls without room for values",
		  "call of which values were asked for found no room: they are missing",
		  "calls of which values were asked for found no room: theirs are missing" },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < RAROG_COUNT(all); i++) {
		const struct rarog_loss loss = { .what = all[i].loss, .count = all[i].n };

		if (all[i].n == 0)
			continue;
		v->base.collected.lost += all[i].n;
		rarog_warn("%llu %s", (unsigned long long)all[i].n,
			   all[i].n == 1 ? all[i].one : all[i].many);
		r = rarog_profile_add_losses(v->writer, 1, &loss);
	}
	if (v->harvest.complaint && *v->harvest.complaint)
		rarog_warn("valgrind says: %s", v->harvest.complaint);
	return r;
}

/* --- the profile --- */

static int add_images(struct vex *v)
{
	size_t n = v->harvest.images.n;
	int r = 0;

	v->maps = calloc(n, sizeof(*v->maps));
	if (!v->maps)
		return rarog_oom();
	for (size_t i = 0; r == 0 && i < n; i++)
		r = rarog_vex_map_make(&v->harvest.images.v[i], v->writer, &v->software, &v->totals,
				       &v->maps[i]);
	return r;
}

static uint32_t find_process(const struct vex *v, size_t before, uint32_t pid)
{
	for (size_t i = before; i-- > 0;)
		if (v->harvest.processes.v[i]->head->pid == pid)
			return (uint32_t)i;
	return RAROG_NONE;
}

static int add_processes(struct vex *v)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < v->harvest.processes.n; i++) {
		const struct rarog_vex_head *head = v->harvest.processes.v[i]->head;
		const struct rarog_process process = {
			.pid = head->pid,
			.parent = find_process(v, i, head->parent),
			.start_ticks = v->watch.first.ticks,
			.end_ticks = v->watch.last.ticks,
			.wait_status = i == 0 ? v->base.collected.run.wait_status : -1,
			.command = head->command,
		};
		long index = rarog_profile_add_process(v->writer, &process);

		r = index < 0 ? (int)index : 0;
	}
	return r;
}

/* A profile without accesses is what it was before there were any. */
void rarog_vex_write_parameters(struct rarog_json *json, const struct rarog_plan *plan)
{
	rarog_plan_write_collector(json, "vex", plan);
	rarog_json_string(json, "detail", "summary");
	rarog_json_object(json, "parameters");
	rarog_json_bool(json, "follow", plan->follow);
	if (plan->accesses)
		rarog_json_bool(json, "accesses", true);
	if (plan->values.all.n > 0)
		rarog_plan_write_values(json, &plan->values);
	rarog_json_end_object(json);
}

static void write_totals(struct rarog_json *json, const struct vex *v)
{
	const struct rarog_vex_totals *totals = &v->totals;

	rarog_json_object(json, "totals");
	rarog_json_uint(json, "calls", totals->calls);
	rarog_json_uint(json, "instructions", totals->instructions);
	rarog_json_uint(json, "block_executions", totals->executions);
	if (v->base.options->plan->accesses) {
		rarog_json_uint(json, "loads", totals->loads);
		rarog_json_uint(json, "stores", totals->stores);
	}
	rarog_json_uint(json, "functions", totals->functions);
	rarog_json_uint(json, "blocks", totals->blocks);
	rarog_json_uint(json, "blocks_executed", totals->executed);
	rarog_json_uint(json, "images", v->harvest.images.n);
	rarog_json_uint(json, "processes", v->harvest.processes.n);
	rarog_json_uint(json, "lost", v->base.collected.lost);
	rarog_json_end_object(json);
}

static void write_members(struct rarog_json *json, void *collector)
{
	struct vex *v = collector;

	rarog_vex_write_parameters(json, v->base.options->plan);
	rarog_json_string(json, "valgrind", rarog_vex_tool_version());
	rarog_json_string(json, "unit", "instructions");
	rarog_json_bool(json, "times_are_native", false);
	rarog_software_write(json, &v->software);
	rarog_run_write_end(json, &v->base.collected.run);
	write_totals(json, v);
}

static int write_header(struct vex *v)
{
	const struct rarog_header header = {
		.argv = v->base.options->command->argv,
		.started_ns = v->watch.epoch_ns,
		.describe = v->base.options->describe,
		.user = v->base.options->user,
		.write = write_members,
		.collector = v,
	};

	return rarog_header_set(v->writer, &header);
}

static int write_profile(struct vex *v)
{
	struct rarog_clock clock = rarog_clock_watch_finish(&v->watch);
	int r;

	rarog_profile_set_clock(v->writer, &clock);
	r = add_images(v);
	if (r == 0)
		r = rarog_vex_contexts_write(&v->harvest, v->maps, v->writer);
	if (r == 0)
		r = add_processes(v);
	if (r == 0)
		r = rarog_vex_values_write(&v->values, &v->harvest, v->maps, v->writer);
	if (r == 0)
		r = add_losses(v);
	if (r == 0)
		r = write_header(v);
	return r < 0 ? r
		     : rarog_profile_put(v->writer, v->base.options->output, v->base.options->keep,
					 &v->base.collected.profile_bytes);
}

static int fail_empty(const struct vex *v)
{
	if (rarog_scratch_folder_is_full(&v->harvest.folder))
		return rarog_fail(-ENOSPC,
				  "%s: nothing was counted: there is no room for files of counters "
				  "in %s (TMPDIR names another place)",
				  v->base.options->command->argv[0], v->harvest.folder.path);
	return rarog_fail(-ENODATA, "%s: nothing was counted%s%s",
			  v->base.options->command->argv[0],
			  v->harvest.complaint && *v->harvest.complaint ? "; valgrind says: " : "",
			  v->harvest.complaint ? v->harvest.complaint : "");
}

/* --- the steps --- */

static int prepare(struct rarog_engine_run *run)
{
	struct vex *v = (struct vex *)run;
	int r = rarog_vex_tool_find(&v->tool);

	if (r == 0)
		r = check_program(v);
	if (r == 0)
		r = rarog_profile_writer_new(run->options->output, &v->writer);
	if (r < 0)
		return r;
	rarog_clock_watch_start(&v->watch);
	return find_command(v);
}

static void describe(struct vex *v)
{
	struct rarog_collected *collected = &v->base.collected;

	collected->calls = v->totals.calls;
	snprintf(collected->what, sizeof(collected->what), "%s instructions, %s calls",
		 rarog_format_count(v->totals.instructions).text,
		 rarog_format_count(v->totals.calls).text);
	snprintf(collected->kept, sizeof(collected->kept), "%s",
		 collected->lost ? "" : ", exact; the time is not the program's own");
}

static int finish(struct rarog_engine_run *run)
{
	struct vex *v = (struct vex *)run;
	int r = rarog_vex_harvest_gather(&v->harvest);

	if (r == 0 && v->harvest.processes.n == 0)
		r = fail_empty(v);
	if (r == 0)
		r = write_profile(v);
	describe(v);
	return r;
}

static void release(struct rarog_engine_run *run)
{
	struct vex *v = (struct vex *)run;

	rarog_profile_writer_free(v->writer);
	rarog_software_release(&v->software);
	for (size_t i = 0; v->maps && i < v->harvest.images.n; i++)
		rarog_vex_map_release(&v->maps[i]);
	free(v->maps);
	rarog_vex_harvest_release(&v->harvest);
	rarog_vex_values_release(&v->values);
	rarog_vex_tool_command_free(v->line);
}

const struct rarog_engine_steps rarog_vex_steps = {
	.size = sizeof(struct vex),
	.prepare = prepare,
	.finish = finish,
	.release = release,
};
