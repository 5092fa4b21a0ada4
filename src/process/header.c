/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process/header.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/error.h"

int rarog_provenance_read(struct rarog_vcs *vcs, const char *given_class,
			  struct rarog_provenance *ret_provenance)
{
	struct rarog_provenance now = { 0 };
	int r = vcs ? rarog_vcs_state(vcs, true, &now.state) : 0;

	if (r == 0)
		r = rarog_machine_read(given_class, &now.machine);
	if (r < 0) {
		rarog_provenance_release(&now);
		return r;
	}
	now.is_git = vcs && rarog_vcs_kind(vcs) == RAROG_VCS_GIT;
	rarog_conditions_read(&now.before);
	*ret_provenance = now;
	return 0;
}

void rarog_provenance_release(struct rarog_provenance *provenance)
{
	rarog_vcs_state_release(&provenance->state);
	rarog_machine_release(&provenance->machine);
	*provenance = (struct rarog_provenance){ 0 };
}

static void write_version(struct rarog_json *json, const struct rarog_provenance *s)
{
	if (s->state.head)
		rarog_json_string(json, s->is_git ? "commit" : "version", s->state.head);
	if (s->state.tree)
		rarog_json_string(json, "tree", s->state.tree);
	if (s->is_git)
		rarog_json_bool(json, "dirty", s->state.is_dirty);
	if (s->state.diff)
		rarog_json_string(json, "diff", s->state.diff);
}

void rarog_provenance_write(struct rarog_json *json, const struct rarog_provenance *provenance)
{
	struct rarog_conditions after;

	rarog_conditions_read(&after);
	write_version(json, provenance);
	if (provenance->label)
		rarog_json_string(json, "label", provenance->label);
	if (provenance->configuration && *provenance->configuration)
		rarog_json_raw(json, "configuration", provenance->configuration);
	if (provenance->job)
		rarog_job_write(json, provenance->job);
	rarog_machine_write(json, "machine", &provenance->machine);
	rarog_conditions_write(json, "conditions", &provenance->before, &after);
}

void rarog_provenance_describe(struct rarog_json *json, void *provenance)
{
	rarog_provenance_write(json, provenance);
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static void write_count(struct rarog_json *json, const struct rarog_count *count)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "name", count->name);
	rarog_json_uint(json, count->is_time ? "ns" : "count", count->value);
	rarog_json_uint(json, "enabled_ns", count->enabled_ns);
	rarog_json_uint(json, "running_ns", count->running_ns);
	rarog_json_bool(json, "user_only", count->user_only);
	rarog_json_end_object(json);
}

static void write_counts(struct rarog_json *json, const struct rarog_counts *counts)
{
	if (counts->n == 0)
		return;
	rarog_json_array(json, "counters");
	for (size_t i = 0; i < counts->n; i++)
		write_count(json, &counts->v[i]);
	rarog_json_end_array(json);
}

void rarog_run_write_times(struct rarog_json *json, const struct rarog_run_result *run)
{
	rarog_json_uint(json, "wall_ns", run->wall_ns);
	rarog_json_uint(json, "user_ns", nanoseconds(run->usage.ru_utime));
	rarog_json_uint(json, "system_ns", nanoseconds(run->usage.ru_stime));
	write_counts(json, &run->counts);
}

static void write_usage(struct rarog_json *json, const struct rarog_run_result *run)
{
	const struct rusage *usage = &run->usage;

	rarog_json_uint(json, "max_rss_bytes", (uint64_t)usage->ru_maxrss * 1024);
	rarog_json_bool(json, "max_rss_is_bound", run->rss_is_starters);
	rarog_json_uint(json, "minor_faults", (uint64_t)usage->ru_minflt);
	rarog_json_uint(json, "major_faults", (uint64_t)usage->ru_majflt);
	rarog_json_uint(json, "voluntary_switches", (uint64_t)usage->ru_nvcsw);
	rarog_json_uint(json, "involuntary_switches", (uint64_t)usage->ru_nivcsw);
}

void rarog_run_write_end(struct rarog_json *json, const struct rarog_run_result *run)
{
	rarog_json_object(json, "end");
	if (WIFEXITED(run->wait_status))
		rarog_json_int(json, "exit_status", WEXITSTATUS(run->wait_status));
	else
		rarog_json_int(json, "signal", WTERMSIG(run->wait_status));
	rarog_json_bool(json, "timed_out", run->timed_out);
	rarog_run_write_times(json, run);
	write_usage(json, run);
	rarog_json_end_object(json);
}

static void write_all(struct rarog_json *json, const struct rarog_header *header)
{
	rarog_json_object(json, NULL);
	rarog_json_string(json, "rarog", RAROG_VERSION);
	rarog_json_array(json, "command");
	for (char *const *arg = header->argv; *arg; arg++)
		rarog_json_string(json, NULL, *arg);
	rarog_json_end_array(json);
	rarog_json_uint(json, "started_ns", header->started_ns);
	if (header->describe)
		header->describe(json, header->user);
	header->write(json, header->collector);
	rarog_json_end_object(json);
}

int rarog_header_set(struct rarog_profile_writer *writer, const struct rarog_header *header)
{
	rarog_cleanup(rarog_freep) char *text = NULL;
	struct rarog_json_text out;

	if (!rarog_json_text_start(&out))
		return rarog_oom();
	write_all(&out.json, header);
	text = rarog_json_text_end(&out);
	return text ? rarog_profile_set_header(writer, text) : rarog_oom();
}

/* "prog input.txt", as processes of other collectors are called. */
static char *join_command(char *const *argv)
{
	struct rarog_str text = { 0 };

	for (char *const *arg = argv; *arg; arg++)
		rarog_str_addf(&text, "%s%s", arg == argv ? "" : " ", *arg);
	return rarog_str_take(&text);
}

int rarog_header_add_process(struct rarog_profile_writer *writer,
			     const struct rarog_clock_watch *watch, char *const *argv,
			     const struct rarog_run_result *run)
{
	rarog_cleanup(rarog_freep) char *text = join_command(argv);
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

int rarog_profile_put(struct rarog_profile_writer *writer, const char *path, const char *keep,
		      uint64_t *ret_bytes)
{
	if (keep && rename(path, keep) < 0 && errno != ENOENT)
		return rarog_fail_errno("%s: cannot keep the older profile as %s", path, keep);
	return rarog_profile_writer_commit(writer, ret_bytes);
}
