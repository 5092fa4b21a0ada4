/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/run.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "collect/collector.h"

/* The run spans its processes; where a file was cut off before their ends, its strands. */
static void find_span(struct rarog_run *run)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		start = run->processes[i].start_ticks < start ? run->processes[i].start_ticks
							      : start;
		end = run->processes[i].end_ticks > end ? run->processes[i].end_ticks : end;
	}
	for (size_t i = 0; i < run->n_strands; i++) {
		if (run->strands[i].end_ticks == 0) /* what measured it looked at no clock */
			continue;
		start = run->strands[i].start_ticks < start ? run->strands[i].start_ticks : start;
		end = run->strands[i].end_ticks > end ? run->strands[i].end_ticks : end;
	}
	run->start_ticks = start == UINT64_MAX ? 0 : start;
	run->end_ticks = end > run->start_ticks ? end : run->start_ticks;
}

int rarog_run_load(struct rarog_profile *profile, struct rarog_run *ret_run)
{
	struct rarog_run run = { .profile = profile, .clock = rarog_profile_clock(profile) };
	long counts[] = {
		rarog_profile_binaries(profile, &run.binaries),
		rarog_profile_locations(profile, &run.locations),
		rarog_profile_processes(profile, &run.processes),
		rarog_profile_strands(profile, &run.strands),
	};

	for (size_t i = 0; i < RAROG_COUNT(counts); i++)
		if (counts[i] < 0)
			return (int)counts[i];
	run.n_binaries = (size_t)counts[0];
	run.n_locations = (size_t)counts[1];
	run.n_processes = (size_t)counts[2];
	run.n_strands = (size_t)counts[3];
	find_span(&run);
	*ret_run = run;
	return 0;
}

uint64_t rarog_run_ns(const struct rarog_run *run, uint64_t ticks)
{
	if (ticks < run->start_ticks)
		return 0;
	return rarog_clock_ns(run->clock, ticks - run->start_ticks);
}

uint64_t rarog_run_wall_ns(const struct rarog_run *run)
{
	const struct rarog_clock *clock = run->clock;

	if (run->start_ticks < clock->origin_ticks)
		return clock->origin_ns -
		       rarog_clock_ns(clock, clock->origin_ticks - run->start_ticks);
	return clock->origin_ns + rarog_clock_ns(clock, run->start_ticks - clock->origin_ticks);
}

const struct rarog_process *rarog_run_process(const struct rarog_run *run, uint32_t strand)
{
	uint32_t process = strand < run->n_strands ? run->strands[strand].process : RAROG_NONE;

	return process < run->n_processes ? &run->processes[process] : NULL;
}

uint32_t rarog_run_pid(const struct rarog_run *run, uint32_t strand)
{
	const struct rarog_process *process = rarog_run_process(run, strand);

	return process ? process->pid : 0;
}

char *rarog_strand_title(const struct rarog_run *run, uint32_t strand)
{
	uint32_t tid = run->strands[strand].tid, pid = rarog_run_pid(run, strand);

	return pid == tid ? rarog_asprintf("process %u", pid)
			  : rarog_asprintf("process %u, thread %u", pid, tid);
}

const char *rarog_run_binary(const struct rarog_run *run, const struct rarog_location *location)
{
	return location->binary < run->n_binaries ? run->binaries[location->binary].path : NULL;
}

const char *rarog_run_build_id(const struct rarog_run *run, const struct rarog_location *location)
{
	return location->binary < run->n_binaries ? run->binaries[location->binary].build_id : NULL;
}

char *rarog_run_title(const struct rarog_run *run)
{
	const char *text = rarog_profile_header(run->profile);
	json_t *header = text ? json_loads(text, 0, NULL) : NULL;
	json_t *everybody = json_object_get(header, "every_process");
	const char *file = json_string_value(json_object_get(everybody, "file"));
	char *title;

	if (file)
		title = rarog_asprintf("%s, %zu process%s", file, run->n_processes,
				       run->n_processes == 1 ? "" : "es");
	else if (run->n_processes > 0 && run->processes[0].command)
		title = strdup(run->processes[0].command);
	else
		title = strdup(rarog_profile_path(run->profile));
	json_decref(header);
	return title;
}

uint32_t rarog_run_first_strand(const struct rarog_run *run, uint32_t strand)
{
	const struct rarog_strand *of = &run->strands[strand];

	for (uint32_t i = 0; i < strand; i++)
		if (run->strands[i].process == of->process && run->strands[i].tid == of->tid)
			return i;
	return strand;
}

bool rarog_run_has_calls(struct rarog_profile *profile)
{
	const struct rarog_summary *summaries;

	return rarog_profile_has_calls(profile) ||
	       rarog_profile_summaries(profile, &summaries) == 0;
}

bool rarog_run_has_times(struct rarog_profile *profile)
{
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);
	bool is_counted = false;

	for (long i = 0; i < n; i++) {
		if (summaries[i].timed > 0 || summaries[i].exclusive > 0)
			return true;
		is_counted = is_counted || summaries[i].count > 0;
	}
	return !is_counted;
}

const char *rarog_end_name(uint32_t end)
{
	static const char *const names[] = { [RAROG_OP_RETURN] = "returned",
					     [RAROG_OP_UNWOUND] = "unwound",
					     [RAROG_OP_CLOSED] = "closed" };

	return end < RAROG_COUNT(names) ? names[end] : "unknown";
}

bool rarog_run_has_contexts(struct rarog_profile *profile)
{
	const struct rarog_node *nodes;

	return rarog_profile_nodes(profile, &nodes) > 1;
}

static int order(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int order_texts(const char *x, const char *y)
{
	return strcmp(x ? x : "", y ? y : "");
}

static int order_sources(const struct rarog_location *x, const struct rarog_location *y)
{
	int r = order(x->line, y->line);

	return r != 0 ? r : order_texts(x->file, y->file);
}

static const char *file_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

int rarog_run_order_places(const struct rarog_run *run, enum rarog_place_part part, uint32_t a,
			   uint32_t b)
{
	const struct rarog_location *x = &run->locations[a], *y = &run->locations[b];

	if (part == RAROG_PLACE_SOURCE)
		return order_sources(x, y);
	if (part == RAROG_PLACE_BINARY_NAME)
		return order_texts(file_name(rarog_run_binary(run, x)),
				   file_name(rarog_run_binary(run, y)));
	return order(x->binary, y->binary);
}

static json_t *header_of(const struct rarog_profile *profile)
{
	const char *text = rarog_profile_header(profile);

	return text ? json_loads(text, 0, NULL) : NULL;
}

static const char *text_of(const json_t *header, const char *key)
{
	return json_string_value(json_object_get(header, key));
}

/* Imported profiles, by other engines, have none: others' time collectors may have parts. */
static unsigned traits_of(const struct rarog_profile *profile)
{
	json_t *header = header_of(profile);
	const char *engine = text_of(header, "engine");
	unsigned traits =
		rarog_collector_traits(text_of(header, "collector"), engine ? engine : "");

	json_decref(header);
	return traits;
}

bool rarog_run_was_noisy(const struct rarog_profile *profile)
{
	json_t *header = header_of(profile);
	const json_t *conditions = json_object_get(header, "conditions");
	bool is_so = json_array_size(json_object_get(conditions, "noisy")) > 0;

	json_decref(header);
	return is_so;
}

bool rarog_run_counts_samples(const struct rarog_profile *profile)
{
	json_t *header = header_of(profile);
	const char *counts = text_of(header, "counts");
	bool is_so = counts && strcmp(counts, "samples") == 0;

	json_decref(header);
	return is_so;
}

bool rarog_run_writes_probes(const struct rarog_profile *profile)
{
	return traits_of(profile) & RAROG_COLLECTOR_WRITES;
}

bool rarog_run_is_compensated(const struct rarog_profile *profile)
{
	return rarog_run_probe_ticks(profile).is_compensated;
}

struct rarog_probe_ticks rarog_run_probe_ticks(const struct rarog_profile *profile)
{
	json_t *header = header_of(profile);
	const json_t *cost = json_object_get(header, "probe_cost");
	struct rarog_probe_ticks ticks = {
		.call = json_number_value(json_object_get(cost, "call_ticks")),
		.self = json_number_value(json_object_get(cost, "self_ticks")),
		.is_compensated = json_is_true(json_object_get(cost, "compensated")),
	};

	json_decref(header);
	return ticks;
}

uint64_t rarog_run_compensation(const struct rarog_profile *profile)
{
	struct rarog_probe_ticks its = rarog_run_probe_ticks(profile);
	json_t *header = header_of(profile);
	double ticks =
		its.call *
		json_number_value(json_object_get(json_object_get(header, "totals"), "calls"));

	json_decref(header);
	return its.is_compensated && ticks > 0 ? (uint64_t)ticks : 0;
}

bool rarog_run_knows_only_executed(const struct rarog_profile *profile)
{
	unsigned counted = RAROG_COLLECTOR_EXACT | RAROG_COLLECTOR_BLOCKS;

	return (traits_of(profile) & counted) == RAROG_COLLECTOR_EXACT;
}

bool rarog_run_counts_machine_code(const struct rarog_profile *profile)
{
	return traits_of(profile) & RAROG_COLLECTOR_MACHINE;
}

bool rarog_run_is_of_program(const struct rarog_profile *profile)
{
	return traits_of(profile) & RAROG_COLLECTOR_UNTRACED;
}
