/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/time/time.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "process/clock.h"
#include "process/header.h"
#include "process/untraced.h"
#include "profile/profile.h"

void rarog_time_write_parameters(struct rarog_json *json)
{
	rarog_json_string(json, "collector", "time");
	rarog_json_string(json, "engine", "kernel");
	rarog_json_object(json, "parameters");
	rarog_json_end_object(json);
}

/* "prog input.txt", as processes of other collectors are called. */
static char *join_command(char *const *argv)
{
	struct rarog_str text = { 0 };

	for (char *const *arg = argv; *arg; arg++)
		rarog_str_addf(&text, "%s%s", arg == argv ? "" : " ", *arg);
	return rarog_str_take(&text);
}

static int add_process(struct rarog_profile_writer *writer, const struct rarog_clock_watch *watch,
		       const struct rarog_command_line *command, const struct rarog_run_result *run)
{
	rarog_cleanup(rarog_freep) char *text = join_command(command->argv);
	const struct rarog_process process = {
		.parent = RAROG_NONE,
		.start_ticks = watch->first.ticks,
		.end_ticks = watch->last.ticks,
		.wait_status = run->wait_status,
		.command = text,
	};
	long index = text ? rarog_profile_add_process(writer, &process) : rarog_oom();

	return index < 0 ? (int)index : 0;
}

static void write_rest(struct rarog_json *json, void *run)
{
	rarog_time_write_parameters(json);
	rarog_run_write_end(json, run);
}

static int write_profile(struct rarog_profile_writer *writer,
			 const struct rarog_time_options *options, struct rarog_clock_watch *watch,
			 struct rarog_time_result *result)
{
	const struct rarog_header header = {
		.argv = options->command->argv,
		.started_ns = watch->epoch_ns,
		.describe = options->describe,
		.user = options->user,
		.write = write_rest,
		.collector = &result->run,
	};
	struct rarog_clock clock = rarog_clock_watch_finish(watch);
	int r;

	rarog_profile_set_clock(writer, &clock);
	r = add_process(writer, watch, options->command, &result->run);
	if (r == 0)
		r = rarog_header_set(writer, &header);
	return r < 0 ? r
		     : rarog_profile_put(writer, options->output, options->keep,
					 &result->profile_bytes);
}

int rarog_time(const struct rarog_time_options *options, struct rarog_time_result *ret_result)
{
	struct rarog_profile_writer *writer = NULL;
	struct rarog_time_result result = { 0 };
	struct rarog_clock_watch watch;
	int r = rarog_profile_writer_new(options->output, &writer);

	if (r == 0) {
		rarog_clock_watch_start(&watch);
		r = rarog_run_untraced(options->command, &result.run);
	}
	if (r == 0)
		r = write_profile(writer, options, &watch, &result);
	rarog_profile_writer_free(writer);
	*ret_result = result;
	return r;
}
