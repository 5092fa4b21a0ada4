/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The amounts of one profile, and which group of a history they belong to. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/str.h"
#include "blocks/tally.h"
#include "check/history-reading.h"
#include "collect/collector.h"
#include "num/quantile.h"
#include "profile/measured.h"
#include "profile/off-cpu.h"
#include "store/json-text.h"
#include "store/record.h"

static int note(struct rarog_history_reading *reading, size_t group, size_t row, size_t which,
		double value)
{
	const struct rarog_history_amount amount = { group, row, which, reading->runs.v[group],
						     value };

	return rarog_vec_push(&reading->found, amount) < 0 ? rarog_oom() : 0;
}

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static int find_row(struct rarog_history_group *group, const struct rarog_location *location,
		    long n_binaries, const struct rarog_profile_binary *binaries, uint64_t set,
		    size_t *row)
{
	bool is_known = location->binary != RAROG_NONE && (long)location->binary < n_binaries;
	struct rarog_history_row *found = rarog_history_row(
		group, last_part(is_known ? binaries[location->binary].path : NULL),
		location->demangled ? location->demangled : location->name, set);

	if (!found)
		return -ENOMEM;
	*row = (size_t)(found - group->rows.v);
	return 0;
}

/* Instructions of every function that ran, and of the program. */
static int read_blocks(struct rarog_history_reading *reading, size_t g,
		       struct rarog_profile *profile)
{
	rarog_cleanup(rarog_tally_release) struct rarog_tally tally = { 0 };
	struct rarog_history_group *group = &reading->history->groups.v[g];
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n_locations = rarog_profile_locations(profile, &locations);
	int r = n_binaries < 0 || n_locations < 0 ? -EBADMSG : rarog_tally_read(profile, &tally);
	struct rarog_history_row *program = r < 0 ? NULL : rarog_history_row(group, "", "", 0);
	size_t row;

	if (r == 0)
		r = program ? note(reading, g, (size_t)(program - group->rows.v), 0,
				   (double)tally.instructions)
			    : -ENOMEM;
	for (size_t i = 0; r == 0 && i < tally.n; i++) {
		const struct rarog_tally_function *function = &tally.functions[i];

		if (function->instructions == 0 || (long)function->location >= n_locations ||
		    !locations[function->location].name || !*locations[function->location].name)
			continue;
		r = find_row(group, &locations[function->location], n_binaries, binaries, 0, &row);
		if (r == 0)
			r = note(reading, g, row, 0, (double)function->instructions);
	}
	return r;
}

/* What the functions of one profile are noted by. */
struct functions {
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	const struct rarog_clock *clock;
	long n_binaries, n_locations;
	struct rarog_off_cpu_table off_cpu;
	bool *unknown;  /* exclusive times; no value is none */
	bool *off;      /* rarog_off_at_times() */
	uint64_t *sets; /* rarog_history_calls_sets() */
};

static void functions_release(struct functions *of)
{
	rarog_off_cpu_table_release(&of->off_cpu);
	free(of->unknown);
	free(of->off);
	free(of->sets);
}

static int functions_init(struct rarog_history_calls *calls, struct rarog_profile *profile,
			  struct functions *of)
{
	int r;

	*of = (struct functions){ .clock = rarog_profile_clock(profile) };
	of->n_binaries = rarog_profile_binaries(profile, &of->binaries);
	of->n_locations = rarog_profile_locations(profile, &of->locations);
	r = rarog_off_cpu_table_load(profile, false, &of->off_cpu);
	if (r == 0)
		r = rarog_exclusive_unknown(profile, &of->unknown);
	if (r >= 0)
		r = rarog_off_at_times(profile, &of->off);
	if (r >= 0)
		r = rarog_history_calls_sets(calls, profile, &of->sets);
	if (r < 0)
		return r;
	return of->n_binaries < 0 || of->n_locations < 0 ? -EBADMSG : 0;
}

/* The first run of a version says what its exclusive times are of; *ret_set is that. Return: 1 this
 * run's are, too; 0 not: they are not comparable. */
static int note_set(const struct rarog_history *history, struct rarog_history_row *row,
		    uint64_t set, uint64_t *ret_set)
{
	const struct rarog_history_set fresh = { (uint32_t)history->versions.n, set };
	size_t n = row->sets.n;

	if (row->in_version != fresh.version + 1) {
		row->in_version = fresh.version + 1;
		if (n == 0 || row->sets.v[n - 1].set != set)
			n = rarog_vec_push(&row->sets, fresh) < 0 ? 0 : n + 1;
	}
	if (n == 0)
		return rarog_oom();
	*ret_set = row->sets.v[n - 1].set;
	return *ret_set == set;
}

/* Times with what was called are comparable throughout; less what others had of the processor, too.
 */
static int note_inclusive(struct rarog_history_reading *reading, size_t g, size_t row,
			  const struct functions *of, const struct rarog_summary *summary)
{
	bool is_known = summary->timed > 0 && summary->timed == summary->count &&
			!of->off[summary->location];
	uint64_t preempted = summary->location < of->off_cpu.n_locations
				     ? of->off_cpu.over[summary->location].total_preempted
				     : 0;
	uint64_t ticks = rarog_cpu_ticks(summary->total, 0, preempted);

	return note(reading, g, row, 2, is_known ? (double)rarog_clock_ns(of->clock, ticks) : NAN);
}

static int note_function(struct rarog_history_reading *reading, size_t g,
			 const struct functions *of, const struct rarog_summary *summary)
{
	struct rarog_history_group *group = &reading->history->groups.v[g];
	uint32_t at = summary->location;
	uint64_t ticks = rarog_kept_ticks(&of->off_cpu, at, summary->exclusive);
	size_t throughout = 0, row = 0;
	int r = find_row(group, &of->locations[at], of->n_binaries, of->binaries, 0, &throughout);
	uint64_t set = 0;
	bool is_known;

	if (r == 0 && summary->timed > 0)
		r = note_set(reading->history, &group->rows.v[throughout], of->sets[at], &set);
	if (r < 0)
		return r;
	is_known = !of->unknown[at] && (summary->timed == 0 || r > 0);
	r = find_row(group, &of->locations[at], of->n_binaries, of->binaries, set, &row);
	if (r == 0 && (!is_known || summary->timed > 0))
		r = note(reading, g, row, 0,
			 is_known ? (double)rarog_clock_ns(of->clock, ticks) : NAN);
	if (r < 0 || group->is_samples)
		return r;
	r = note_inclusive(reading, g, throughout, of, summary);
	return r < 0 ? r : note(reading, g, throughout, 1, (double)summary->count);
}

static int read_functions(struct rarog_history_reading *reading, size_t g,
			  struct rarog_profile *profile)
{
	rarog_cleanup(functions_release) struct functions of = { 0 };
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);
	int r = n < 0 ? -EBADMSG : functions_init(&reading->history->calls, profile, &of);

	for (long i = 0; r == 0 && i < n; i++) {
		uint32_t at = summaries[i].location;

		/* of one strand: in the sums, too */
		if (summaries[i].strand == RAROG_NONE && (long)at < of.n_locations &&
		    of.locations[at].name && *of.locations[at].name)
			r = note_function(reading, g, &of, &summaries[i]);
	}
	return r;
}

static json_t *header_of(const struct rarog_profile *profile)
{
	return json_loads(rarog_profile_header(profile), 0, NULL);
}

/* Of which rows has the run that was noted from @from on calls? The caller frees; NULL: no memory.
 */
static bool *called(const struct rarog_history_reading *reading, size_t n_rows, size_t from)
{
	bool *has_calls = calloc(n_rows + 1, sizeof(*has_calls));

	if (!has_calls)
		rarog_oom();
	for (size_t i = from; has_calls && i < reading->found.n; i++)
		if (reading->found.v[i].which == 1)
			has_calls[reading->found.v[i].row] = true;
	return has_calls;
}

/* A function that was left out may have been called: how often is not known. */
static int read_left_out(struct rarog_history_reading *reading, size_t g,
			 struct rarog_profile *profile, size_t from)
{
	struct rarog_history_group *group = &reading->history->groups.v[g];
	size_t n_rows = group->rows.n, row;
	rarog_cleanup(rarog_freep) bool *has_calls = called(reading, n_rows, from);
	rarog_cleanup(rarog_measured_table_release) struct rarog_measured_table measured = { 0 };
	const struct rarog_profile_binary *binaries;
	const struct rarog_location *locations;
	long n_binaries = rarog_profile_binaries(profile, &binaries);
	long n = rarog_profile_locations(profile, &locations);
	int r = has_calls ? rarog_measured_table_load(profile, &measured) : -ENOMEM;

	for (long i = 0; r == 0 && i < n; i++) {
		if (rarog_how_is_known(measured.how[i]) || !locations[i].name ||
		    !*locations[i].name || locations[i].kind != RAROG_LOCATION_FUNCTION)
			continue;
		r = find_row(group, &locations[i], n_binaries, binaries, 0, &row);
		if (r == 0 && (row >= n_rows || !has_calls[row]))
			r = note(reading, g, row, 1, NAN);
	}
	return r;
}

/* The typical time of runs without probes that were made beside this one: of a few of them one may
 * be wild. 0: there were none. */
static int untraced_wall(const struct rarog_profile *profile, double *ret_wall)
{
	rarog_cleanup(rarog_json_decrefp) json_t *header = header_of(profile);
	const json_t *runs = json_object_get(header, "untraced"), *run;
	rarog_cleanup(rarog_freep) double *walls =
		calloc(json_array_size(runs) + 1, sizeof(*walls));
	size_t i, n = 0;

	*ret_wall = 0;
	if (!walls)
		return rarog_oom();
	json_array_foreach (runs, i, run) {
		double wall = json_number_value(json_object_get(run, "wall_ns"));

		if (wall > 0)
			walls[n++] = wall;
	}
	return n > 0 ? rarog_median(n, walls, ret_wall) : 0;
}

static int read_program(struct rarog_history_reading *reading, size_t g,
			const struct rarog_record *record, const struct rarog_profile *profile)
{
	struct rarog_history_group *group = &reading->history->groups.v[g];
	struct rarog_history_row *row = rarog_history_row(group, "", "", 0);
	bool is_untraced =
		rarog_collector_traits(record->collector, NULL) & RAROG_COLLECTOR_UNTRACED;
	double wall = (double)record->wall_ns;
	int r = row ? 0 : -ENOMEM;

	if (r == 0 && !is_untraced)
		r = untraced_wall(profile, &wall);
	if (r == 0 && wall > 0)
		r = note(reading, g, (size_t)(row - group->rows.v), 0, wall);
	if (r == 0 && !is_untraced && record->wall_ns > 0)
		r = note(reading, g, (size_t)(row - group->rows.v), 1, (double)record->wall_ns);
	return r;
}

static int name_job(struct rarog_history_group *group, const struct rarog_record *record)
{
	rarog_cleanup(rarog_str_release) struct rarog_str options = { 0 };
	unsigned traits = rarog_collector_traits(record->collector, NULL);

	if (group->job)
		return 0;
	group->is_blocks = traits & RAROG_COLLECTOR_BLOCKS;
	group->is_samples = traits & RAROG_COLLECTOR_SAMPLES;
	if (rarog_configuration_words(record->configuration, " ", &options) < 0)
		return -ENOMEM;
	group->job =
		rarog_asprintf("%s%s%s%s%s%s%s%s (%s)", record->job_name ? record->job_name : "",
			       record->job_name && *record->job_name ? ": " : "",
			       record->command ? record->command : "",
			       record->arguments && *record->arguments ? " " : "",
			       record->arguments ? record->arguments : "",
			       record->workload && *record->workload ? " " : "",
			       record->workload ? record->workload : "", rarog_str_text(&options),
			       record->collector);
	return group->job ? 0 : rarog_oom();
}

static int read_amounts(struct rarog_history_reading *reading, size_t g,
			const struct rarog_record *record, struct rarog_profile *profile)
{
	size_t from;
	int r;

	if (reading->history->groups.v[g].is_blocks)
		return read_blocks(reading, g, profile);
	from = reading->found.n;
	r = read_program(reading, g, record, profile);
	if (r == 0)
		r = read_functions(reading, g, profile);
	if (r < 0 || reading->history->groups.v[g].is_samples)
		return r;
	return read_left_out(reading, g, profile, from);
}

/* 0: nobody knows. */
static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* The version that is read comes last. */
static int note_sitting(struct rarog_history_reading *reading, struct rarog_history_group *group,
			uint64_t started_ns)
{
	struct rarog_history_sitting fresh = { (uint32_t)reading->history->versions.n, started_ns,
					       started_ns };
	size_t n = group->sittings.n;
	struct rarog_history_sitting *last = n > 0 ? &group->sittings.v[n - 1] : NULL;

	if (!last || last->version != fresh.version)
		return rarog_vec_push(&group->sittings, fresh) < 0 ? rarog_oom() : 0;
	last->first_ns = earlier(last->first_ns, started_ns);
	last->last_ns = started_ns > last->last_ns ? started_ns : last->last_ns;
	return 0;
}

static int name_machine(struct rarog_history_group *group, const json_t *header)
{
	const json_t *machine = json_object_get(header, "machine");

	if (!machine || group->sittings.n > 0)
		return 0;
	free(group->machine);
	group->machine = rarog_json_canonical(machine);
	return group->machine ? 0 : rarog_oom();
}

static int find_group(struct rarog_history_reading *reading, const struct rarog_record *record,
		      const struct rarog_profile *profile, size_t *ret_g)
{
	rarog_cleanup(rarog_json_decrefp) json_t *header = header_of(profile);
	rarog_cleanup(rarog_freep) char *setting = rarog_history_setting(header);
	struct rarog_history_group *group =
		setting ? rarog_history_group(reading->history, &record->job_key,
					      &record->machine_class, setting)
			: NULL;
	int r = group ? name_job(group, record) : -ENOMEM;

	if (r == 0)
		r = name_machine(group, header);
	if (r == 0)
		r = note_sitting(reading, group, record->started_ns);
	*ret_g = group ? (size_t)(group - reading->history->groups.v) : 0;
	while (r == 0 && reading->runs.n <= *ret_g)
		r = rarog_vec_push(&reading->runs, 0) < 0 ? rarog_oom() : 0;
	return r;
}

uint64_t rarog_history_seal(const struct rarog_record *record)
{
	const char *version = record->version ? record->version : "";

	return XXH3_64bits_withSeed(version, strlen(version),
				    XXH3_64bits(record->object.bytes, RAROG_HASH_BYTES));
}

int rarog_history_read_profile(const struct rarog_record *record,
			       struct rarog_history_reading *reading)
{
	rarog_cleanup(rarog_profile_freep) struct rarog_profile *profile = NULL;
	size_t g = 0;
	int r = rarog_record_open(reading->store, &record->object, &profile);

	if (r == 0)
		r = find_group(reading, record, profile, &g);
	if (r == 0)
		r = read_amounts(reading, g, record, profile);
	if (r < 0)
		return r;
	reading->runs.v[g]++;
	reading->history->profiles++;
	reading->history->seal += rarog_history_seal(record);
	if (reading->progress)
		reading->progress(reading->history->profiles, reading->user);
	return 0;
}
