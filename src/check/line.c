/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check/line.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "blocks/tally.h"
#include "collect/collector.h"
#include "profile/measured.h"
#include "profile/off-cpu.h"

void rarog_quantity_name_release(struct rarog_quantity_name *name)
{
	free(name->function);
	name->function = NULL;
}

static const struct {
	const char *name;
	enum rarog_series_metric metric;
} suffixes[] = {
	{ ":exclusive", RAROG_SERIES_EXCLUSIVE }, { ":inclusive", RAROG_SERIES_INCLUSIVE },
	{ ":cpu", RAROG_SERIES_EXCLUSIVE_CPU },   { ":waited", RAROG_SERIES_EXCLUSIVE_WAITED },
	{ ":calls", RAROG_SERIES_CALLS },         { ":instructions", RAROG_SERIES_INSTRUCTIONS }
};

static const struct {
	const char *name;
	enum rarog_series_metric metric;
} of_program[] = { { "wall", RAROG_SERIES_WALL },
		   { "cpu", RAROG_SERIES_CPU },
		   { "traced-wall", RAROG_SERIES_TRACED_WALL },
		   { "instructions", RAROG_SERIES_INSTRUCTIONS } };

/* Index of the suffix that @text of @n bytes ends with, -1: none. A name may end alike: "a::cpu".
 */
static int suffix_of(size_t n, const char text[n])
{
	for (size_t i = 0; i < RAROG_COUNT(suffixes); i++) {
		size_t length = strlen(suffixes[i].name);

		if (n >= length && memcmp(text + n - length, suffixes[i].name, length) == 0 &&
		    (n == length || text[n - length - 1] != ':'))
			return (int)i;
	}
	return -1;
}

bool rarog_quantity_name_is_plain(const char *text)
{
	for (size_t i = 0; i < RAROG_COUNT(of_program); i++)
		if (strcmp(text, of_program[i].name) == 0)
			return true;
	return suffix_of(strlen(text), text) >= 0;
}

int rarog_quantity_name_parse(const char *text, struct rarog_quantity_name *ret_name)
{
	struct rarog_quantity_name name = { RAROG_SERIES_EXCLUSIVE, NULL };
	size_t n = strlen(text);

	int suffix = suffix_of(n, text);

	for (size_t i = 0; i < RAROG_COUNT(of_program); i++)
		if (strcmp(text, of_program[i].name) == 0) {
			name.metric = of_program[i].metric;
			*ret_name = name;
			return 0;
		}
	if (suffix >= 0) {
		name.metric = suffixes[suffix].metric;
		n -= strlen(suffixes[suffix].name);
	}
	if (n == 0)
		return rarog_fail(-EINVAL,
				  "'%s': expected wall, cpu, traced-wall, instructions, or a "
				  "function and :exclusive, :inclusive, :cpu, :waited, :calls or "
				  ":instructions",
				  text);
	name.function = strndup(text, n);
	if (!name.function)
		return rarog_oom();
	*ret_name = name;
	return 0;
}

/* --- one run --- */

struct reading {
	struct rarog_store *store;
	const struct rarog_quantity_name *name;
	struct rarog_amounts_of_runs *amounts;
};

static bool is_named(const struct rarog_location *location, const char *name)
{
	return (location->name && strcmp(location->name, name) == 0) ||
	       (location->demangled && strcmp(location->demangled, name) == 0);
}

static double amount_of(const struct rarog_summary *summary, const struct rarog_off_cpu *off_cpu,
			enum rarog_series_metric metric, const struct rarog_clock *clock)
{
	uint64_t cpu = rarog_cpu_ticks(summary->exclusive, off_cpu->waited, off_cpu->preempted);

	switch (metric) {
	case RAROG_SERIES_CALLS:
		return (double)summary->count;
	case RAROG_SERIES_INCLUSIVE:
		return (double)rarog_clock_ns(clock, summary->total);
	case RAROG_SERIES_EXCLUSIVE_CPU:
		return (double)rarog_clock_ns(clock, cpu);
	case RAROG_SERIES_EXCLUSIVE_WAITED:
		return (double)rarog_clock_ns(clock, off_cpu->waited);
	default:
		return (double)rarog_clock_ns(
			clock, rarog_cpu_ticks(summary->exclusive, 0, off_cpu->preempted));
	}
}

/* Of the first location with the name: clones of it count together. */
static int set_below(struct reading *reading, struct rarog_profile *profile, uint64_t *ret_set)
{
	rarog_cleanup(rarog_freep) uint64_t *sets = NULL;
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	int r = rarog_history_calls_sets(reading->amounts->calls, profile, &sets);

	*ret_set = 0;
	for (long i = 0; r == 0 && i < n; i++) {
		if (!is_named(&locations[i], reading->name->function))
			continue;
		*ret_set = sets[i];
		break;
	}
	return r;
}

/* Of an exclusive time: is the set of what it contains besides that of the version's other runs? */
static int is_of_set(struct reading *reading, struct rarog_profile *profile)
{
	uint64_t set;
	int r;

	if (!rarog_series_is_exclusive(reading->name->metric))
		return 1;
	r = set_below(reading, profile, &set);
	if (r < 0)
		return r;
	if (!reading->amounts->has_set && reading->amounts->list.n == 0)
		reading->amounts->set = set;
	return set == reading->amounts->set;
}

static bool needs_off_cpu(enum rarog_series_metric metric)
{
	return metric == RAROG_SERIES_EXCLUSIVE_CPU || metric == RAROG_SERIES_EXCLUSIVE_WAITED;
}

/* Is it one that this run left out? Then nothing is known of its calls. Return: 1, 0, negative. */
static int is_left_out(const struct reading *reading, struct rarog_profile *profile)
{
	rarog_cleanup(rarog_measured_table_release) struct rarog_measured_table measured = { 0 };
	const struct rarog_location *locations;
	long n = rarog_profile_locations(profile, &locations);
	int r = rarog_measured_table_load(profile, &measured);

	for (long i = 0; r == 0 && i < n; i++)
		r = !rarog_how_is_known(measured.how[i]) &&
		    is_named(&locations[i], reading->name->function);
	return r;
}

/* @off_cpu is empty where it is not known. @unknown: the times that are read */
static int read_function(struct reading *reading, struct rarog_profile *profile,
			 const struct rarog_off_cpu_table *off_cpu, const bool unknown[])
{
	static const struct rarog_off_cpu none;
	const enum rarog_series_metric metric = reading->name->metric;
	const struct rarog_location *locations;
	const struct rarog_summary *summaries;
	long n_locations = rarog_profile_locations(profile, &locations);
	long n = rarog_profile_summaries(profile, &summaries);
	bool is_there = false;
	double sum = 0;

	if (n < 0 || n_locations < 0)
		return -EBADMSG;
	for (long i = 0; i < n; i++) {
		if (summaries[i].strand != RAROG_NONE ||
		    (long)summaries[i].location >= n_locations ||
		    !is_named(&locations[summaries[i].location], reading->name->function))
			continue;
		const struct rarog_off_cpu *gone =
			off_cpu->is_known ? &off_cpu->over[summaries[i].location] : &none;

		if (metric != RAROG_SERIES_CALLS && unknown[summaries[i].location])
			return 0;
		if (needs_off_cpu(metric) && (!off_cpu->is_known || gone->is_unknown))
			return 0;
		is_there = true;
		sum += amount_of(&summaries[i], gone, metric, rarog_profile_clock(profile));
	}
	if (!is_there) {
		int r = metric == RAROG_SERIES_CALLS ? is_left_out(reading, profile) : 1;

		if (r != 0)
			return r < 0 ? r : 0;
	}
	return rarog_vec_push(&reading->amounts->list, sum) < 0 ? rarog_oom() : 0;
}

static int read_function_of(struct reading *reading, struct rarog_profile *profile)
{
	rarog_cleanup(rarog_off_cpu_table_release) struct rarog_off_cpu_table off_cpu = { 0 };
	rarog_cleanup(rarog_freep) bool *unknown = NULL;
	int r;

	/* counting blocks knows calls, but no times */
	if (reading->name->metric != RAROG_SERIES_CALLS && rarog_tally_has(profile))
		return 0;
	r = is_of_set(reading, profile);
	if (r <= 0)
		return r;
	r = rarog_off_cpu_table_load(profile, false, &off_cpu);
	if (r == 0)
		r = reading->name->metric == RAROG_SERIES_INCLUSIVE
			    ? rarog_total_unknown(profile, &unknown)
			    : rarog_exclusive_unknown(profile, &unknown);
	return r < 0 ? r : read_function(reading, profile, &off_cpu, unknown);
}

/* What does not count blocks has none; a function that a profile of blocks does not know has 0. */
static int read_instructions(struct reading *reading, struct rarog_profile *profile)
{
	rarog_cleanup(rarog_tally_release) struct rarog_tally tally = { 0 };
	const struct rarog_location *locations;
	const char *name = reading->name->function;
	long n = rarog_profile_locations(profile, &locations);
	int r = n < 0 ? (int)n : rarog_tally_read(profile, &tally);
	uint64_t sum = 0;

	if (r < 0 || tally.n_blocks == 0)
		return r;
	for (size_t i = 0; i < tally.n; i++)
		if (!name || ((long)tally.functions[i].location < n &&
			      is_named(&locations[tally.functions[i].location], name)))
			sum += tally.functions[i].instructions;
	return rarog_vec_push(&reading->amounts->list, (double)sum) < 0 ? rarog_oom() : 0;
}

static double member_ns(const json_t *run, const char *name)
{
	return json_number_value(json_object_get(run, name));
}

/* Each of the runs without probes that were made beside this one. */
static int read_untraced(struct reading *reading, const struct rarog_profile *profile)
{
	json_t *header = json_loads(rarog_profile_header(profile), 0, NULL), *run;
	size_t i;
	int r = 0;

	json_array_foreach (json_object_get(header, "untraced"), i, run) {
		double ns = reading->name->metric == RAROG_SERIES_WALL
				    ? member_ns(run, "wall_ns")
				    : member_ns(run, "user_ns") + member_ns(run, "system_ns");

		if (r == 0 && ns > 0 && rarog_vec_push(&reading->amounts->list, ns) < 0)
			r = rarog_oom();
	}
	json_decref(header);
	return r;
}

static int read_program(struct reading *reading, const struct rarog_record *record,
			const struct rarog_profile *profile)
{
	bool is_untraced =
		rarog_collector_traits(record->collector, NULL) & RAROG_COLLECTOR_UNTRACED;

	if (reading->name->metric == RAROG_SERIES_CPU ||
	    (reading->name->metric == RAROG_SERIES_WALL && !is_untraced))
		return read_untraced(reading, profile);
	if (record->wall_ns == 0)
		return 0;
	return rarog_vec_push(&reading->amounts->list, (double)record->wall_ns) < 0 ? rarog_oom()
										    : 0;
}

static int read_run(const struct rarog_record *record, void *user)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	struct reading *reading = user;
	int r = rarog_record_open(reading->store, &record->object, &profile);

	if (r < 0)
		return r;
	if (reading->name->metric == RAROG_SERIES_INSTRUCTIONS)
		return read_instructions(reading, profile);
	return reading->name->function ? read_function_of(reading, profile)
				       : read_program(reading, record, profile);
}

int rarog_quantity_of_version(struct rarog_store *store, const char *version,
			      const struct rarog_hash *job_key,
			      const struct rarog_hash *machine_class,
			      const struct rarog_quantity_name *name,
			      struct rarog_amounts_of_runs *amounts)
{
	const struct rarog_record_filter filter = { .version = version,
						    .job_key = job_key,
						    .machine_class = machine_class,
						    .clean_only = true };
	struct reading reading = { store, name, amounts };

	return rarog_record_each(store, &filter, read_run, &reading);
}
