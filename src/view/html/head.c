/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/html/head.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "view/html/columns.h"

static uint64_t file_size(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static int write_facts(const struct rarog_run *run, const struct rarog_report_options *options,
		       struct rarog_json *json)
{
	struct rarog_profile *profile = run->profile;
	const struct rarog_clock *clock = run->clock;
	const struct rarog_loss *losses;
	long n_losses = rarog_profile_losses(profile, &losses);

	if (n_losses < 0)
		return (int)n_losses;
	rarog_json_uint(json, "version", 1);
	rarog_json_string(json, "rarog", options->version);
	rarog_json_string(json, "title", options->title);
	rarog_json_string(json, "profile", rarog_profile_path(profile));
	rarog_json_uint(json, "profile_bytes", file_size(rarog_profile_path(profile)));
	rarog_json_bool(json, "partial", rarog_profile_is_partial(profile));
	rarog_json_int(json, "rebuilt_from", rarog_profile_rebuilt_from(profile));
	rarog_json_string(json, "header", rarog_profile_header(profile));
	rarog_json_string(json, "verdict", options->verdict);
	rarog_json_uint(json, "changes", options->changes);
	rarog_json_object(json, "clock");
	rarog_json_uint(json, "hz", clock->hz);
	rarog_json_uint(json, "start_ns", clock->origin_ns ? rarog_run_wall_ns(run) : 0);
	rarog_json_bool(json, "suspect", clock->suspect);
	rarog_json_end_object(json);
	rarog_json_object(json, "losses");
	RAROG_COLUMN(json, "what", (size_t)n_losses, i,
		     rarog_json_string(json, NULL, losses[i].what));
	RAROG_COLUMN(json, "count", (size_t)n_losses, i,
		     rarog_json_uint(json, NULL, losses[i].count));
	rarog_json_end_object(json);
	return 0;
}

static void write_binaries(const struct rarog_run *run, struct rarog_json *json)
{
	const struct rarog_profile_binary *v = run->binaries;
	size_t n = run->n_binaries;

	rarog_json_object(json, "binaries");
	RAROG_COLUMN(json, "path", n, i, rarog_json_string(json, NULL, v[i].path ? v[i].path : ""));
	RAROG_COLUMN(json, "build_id", n, i,
		     rarog_json_string(json, NULL, v[i].build_id ? v[i].build_id : ""));
	rarog_json_end_object(json);
}

static uint64_t since_start(const struct rarog_run *run, uint64_t ticks)
{
	return ticks > run->start_ticks ? ticks - run->start_ticks : 0;
}

static int write_processes(const struct rarog_run *run, struct rarog_json *json)
{
	const struct rarog_process *v = run->processes;
	size_t n = run->n_processes;
	rarog_cleanup(rarog_freep) uint32_t *strands = calloc(n + 1, sizeof(*strands));

	if (!strands)
		return rarog_oom();
	/* A thread may have several stacks: it is counted by its first. */
	for (uint32_t i = 0; i < run->n_strands; i++)
		if (run->strands[i].process < n && rarog_run_first_strand(run, i) == i)
			strands[run->strands[i].process]++;
	rarog_json_object(json, "processes");
	RAROG_COLUMN(json, "pid", n, i, rarog_json_uint(json, NULL, v[i].pid));
	RAROG_COLUMN(json, "parent", n, i, rarog_html_index(json, v[i].parent));
	RAROG_COLUMN(json, "start", n, i,
		     rarog_json_uint(json, NULL, since_start(run, v[i].start_ticks)));
	RAROG_COLUMN(json, "end", n, i,
		     rarog_json_uint(json, NULL, since_start(run, v[i].end_ticks)));
	RAROG_COLUMN(json, "wait_status", n, i, rarog_json_int(json, NULL, v[i].wait_status));
	RAROG_COLUMN(json, "command", n, i,
		     rarog_json_string(json, NULL, v[i].command ? v[i].command : ""));
	RAROG_COLUMN(json, "threads", n, i, rarog_json_uint(json, NULL, strands[i]));
	rarog_json_end_object(json);
	return 0;
}

int rarog_html_head_write(const struct rarog_run *run, const struct rarog_report_options *options,
			  struct rarog_json *json)
{
	int r = write_facts(run, options, json);

	if (r < 0)
		return r;
	write_binaries(run, json);
	return write_processes(run, json);
}
