/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the tip back along first parents until what is known begins; then forward, version by
 * version, profile by profile.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "blocks/tally.h"
#include "check/history.h"
#include "collect/collector.h"
#include "num/quantile.h"
#include "profile/measured.h"
#include "profile/off-cpu.h"
#include "store/json-text.h"
#include "store/record.h"

/* One amount of one run: row and which of its series. */
struct amount {
	size_t group, row, which, run;
	double value;
};

struct reading {
	struct rarog_store *store;
	struct rarog_history *history;
	RAROG_VEC(char *) names;        /* versions to read, newest first */
	RAROG_VEC(struct amount) found; /* of the version that is read */
	RAROG_VEC(size_t) runs;         /* by group, of that version … */
	RAROG_VEC(uint64_t) sets;       /* … and rarog_untimed_set() of the first of them */
	bool has_met;                   /* what is known */
	void (*progress)(uint64_t done, void *user);
	void *user;
};

static void reading_release(struct reading *reading)
{
	for (size_t i = 0; i < reading->names.n; i++)
		free(reading->names.v[i]);
	rarog_vec_release(&reading->names);
	rarog_vec_release(&reading->found);
	rarog_vec_release(&reading->runs);
	rarog_vec_release(&reading->sets);
}

/* --- one profile --- */

static int note(struct reading *reading, size_t group, size_t row, size_t which, double value)
{
	const struct amount amount = { group, row, which, reading->runs.v[group], value };

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
static int read_blocks(struct reading *reading, size_t g, struct rarog_profile *profile)
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
	bool *unknown; /* exclusive times; no value is none */
	uint64_t set;
	bool is_other; /* than that of the version's first run: its times are not comparable */
};

static void functions_release(struct functions *of)
{
	rarog_off_cpu_table_release(&of->off_cpu);
	free(of->unknown);
}

static int functions_init(const struct reading *reading, size_t g, struct rarog_profile *profile,
			  struct functions *of)
{
	uint64_t *first = &reading->sets.v[g];
	int r;

	*of = (struct functions){ .clock = rarog_profile_clock(profile) };
	of->n_binaries = rarog_profile_binaries(profile, &of->binaries);
	of->n_locations = rarog_profile_locations(profile, &of->locations);
	r = rarog_off_cpu_table_load(profile, false, &of->off_cpu);
	if (r == 0)
		r = rarog_exclusive_unknown(profile, &of->unknown);
	if (r >= 0)
		r = rarog_untimed_set(profile, &of->set);
	if (r < 0)
		return r;
	if (reading->runs.v[g] == 0)
		*first = of->set;
	of->is_other = *first != of->set;
	of->set = *first;
	return of->n_binaries < 0 || of->n_locations < 0 ? -EBADMSG : 0;
}

static int note_function(struct reading *reading, size_t g, const struct functions *of,
			 const struct rarog_summary *summary)
{
	struct rarog_history_group *group = &reading->history->groups.v[g];
	uint32_t at = summary->location;
	uint64_t ticks = rarog_kept_ticks(&of->off_cpu, at, summary->exclusive);
	bool is_known = !of->unknown[at] && !of->is_other;
	size_t row = 0;
	int r = 0;

	if (!is_known || summary->timed > 0)
		r = find_row(group, &of->locations[at], of->n_binaries, of->binaries, of->set,
			     &row);
	if (r == 0 && (!is_known || summary->timed > 0))
		r = note(reading, g, row, 0,
			 is_known ? (double)rarog_clock_ns(of->clock, ticks) : NAN);
	if (r < 0 || group->is_samples)
		return r;
	r = find_row(group, &of->locations[at], of->n_binaries, of->binaries, 0, &row);
	return r < 0 ? r : note(reading, g, row, 1, (double)summary->count);
}

static int read_functions(struct reading *reading, size_t g, struct rarog_profile *profile)
{
	rarog_cleanup(functions_release) struct functions of = { 0 };
	const struct rarog_summary *summaries;
	long n = rarog_profile_summaries(profile, &summaries);
	int r = n < 0 ? -EBADMSG : functions_init(reading, g, profile, &of);

	for (long i = 0; r == 0 && i < n; i++) {
		uint32_t at = summaries[i].location;

		/* of one strand: in the sums, too */
		if (summaries[i].strand == RAROG_NONE && (long)at < of.n_locations &&
		    of.locations[at].name && *of.locations[at].name)
			r = note_function(reading, g, &of, &summaries[i]);
	}
	return r;
}

/* The time of runs without probes that were made beside this one; 0: there were none. */
static double untraced_wall(const struct rarog_profile *profile)
{
	json_t *header = json_loads(rarog_profile_header(profile), 0, NULL), *run;
	double sum = 0;
	size_t i, n = 0;

	json_array_foreach (json_object_get(header, "untraced"), i, run) {
		double wall = json_number_value(json_object_get(run, "wall_ns"));

		sum += wall > 0 ? wall : 0;
		n += wall > 0;
	}
	json_decref(header);
	return n > 0 ? sum / (double)n : 0;
}

static int read_program(struct reading *reading, size_t g, const struct rarog_record *record,
			const struct rarog_profile *profile)
{
	struct rarog_history_group *group = &reading->history->groups.v[g];
	struct rarog_history_row *row = rarog_history_row(group, "", "", 0);
	bool is_untraced =
		rarog_collector_traits(record->collector, NULL) & RAROG_COLLECTOR_UNTRACED;
	double wall = is_untraced ? (double)record->wall_ns : untraced_wall(profile);
	int r = row ? 0 : -ENOMEM;

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

static int read_amounts(struct reading *reading, size_t g, const struct rarog_record *record,
			struct rarog_profile *profile)
{
	int r;

	if (reading->history->groups.v[g].is_blocks)
		return read_blocks(reading, g, profile);
	r = read_program(reading, g, record, profile);
	return r < 0 ? r : read_functions(reading, g, profile);
}

static json_t *header_of(const struct rarog_profile *profile)
{
	return json_loads(rarog_profile_header(profile), 0, NULL);
}

/* The version that is read comes last. */
static int note_sitting(struct reading *reading, struct rarog_history_group *group,
			uint64_t started_ns)
{
	struct rarog_history_sitting fresh = { (uint32_t)reading->history->versions.n, started_ns,
					       started_ns };
	size_t n = group->sittings.n;
	struct rarog_history_sitting *last = n > 0 ? &group->sittings.v[n - 1] : NULL;

	if (!last || last->version != fresh.version)
		return rarog_vec_push(&group->sittings, fresh) < 0 ? rarog_oom() : 0;
	last->first_ns = started_ns < last->first_ns ? started_ns : last->first_ns;
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

static int find_group(struct reading *reading, const struct rarog_record *record,
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
		r = rarog_vec_push(&reading->runs, 0) < 0 || rarog_vec_push(&reading->sets, 0) < 0
			    ? rarog_oom()
			    : 0;
	return r;
}

static int read_profile(const struct rarog_record *record, struct reading *reading)
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
	if (reading->progress)
		reading->progress(reading->history->profiles, reading->user);
	return 0;
}

/* --- one version --- */

static int compare(const void *a, const void *b)
{
	const struct amount *x = a, *y = b;

#define BY(member)                                                                                 \
	if (x->member != y->member)                                                                \
	return x->member < y->member ? -1 : 1
	BY(group);
	BY(which);
	BY(row);
	BY(run);
#undef BY
	return 0;
}

/* One series in one version. */
struct typical {
	double value; /* median of the runs that know it */
	double low, high;
	size_t runs;
	bool is_known;
	bool agrees; /* there were several, of the same value */
};

/* Those of one series, found[0 … n-1]: sums by run (a function can have several rows in a profile),
 * their median. A run without it had none of it; of one with NAN it is not known. */
static int typical(size_t n, const struct amount found[], size_t runs, struct typical *ret_typical)
{
	rarog_cleanup(rarog_freep) double *by_run = calloc(runs, sizeof(*by_run));
	size_t known = 0;

	if (!by_run)
		return rarog_oom();
	for (size_t i = 0; i < n; i++)
		by_run[found[i].run] += found[i].value;
	for (size_t i = 0; i < runs; i++)
		if (!isnan(by_run[i]))
			by_run[known++] = by_run[i];
	*ret_typical = (struct typical){ .low = INFINITY,
					 .high = -INFINITY,
					 .runs = known,
					 .is_known = known > 0,
					 .agrees = known > 1 };
	for (size_t i = 0; i < known; i++) {
		ret_typical->low = fmin(ret_typical->low, by_run[i]);
		ret_typical->high = fmax(ret_typical->high, by_run[i]);
		ret_typical->agrees &= by_run[i] == by_run[0];
	}
	return known > 0 ? rarog_median(known, by_run, &ret_typical->value) : 0;
}

static int keep_value(struct rarog_history_row *row, size_t which, uint32_t version,
		      const struct typical *typical)
{
	const struct rarog_history_value value = { version, (uint32_t)typical->runs, typical->value,
						   typical->low, typical->high };

	return rarog_vec_push(&row->values[which], value) < 0 ? rarog_oom() : 0;
}

static int add_typical(const struct reading *reading, struct rarog_history_row *row, size_t which,
		       uint32_t version, const struct typical *typical)
{
	struct rarog_series *series = &row->series[which];

	if (reading->history->keeps_values && keep_value(row, which, version, typical) < 0)
		return -ENOMEM;
	if (typical->agrees)
		return rarog_series_add_agreed(series, version, typical->value);
	return rarog_series_add(series, version, typical->value);
}

static int add_total(struct reading *reading, const struct amount *first, double value,
		     uint32_t version)
{
	struct rarog_history_group *group = &reading->history->groups.v[first->group];
	size_t n = group->totals.n;

	if (first->which != 0 || !*group->rows.v[first->row].name)
		return 0;
	if (n > 0 && group->totals.v[n - 1].version == version) {
		group->totals.v[n - 1].value += value;
		return 0;
	}
	return rarog_vec_push(&group->totals, (struct rarog_series_value){ value, version }) < 0
		       ? rarog_oom()
		       : 0;
}

/* Of blocks all functions are counted: one that does not run executes none. A function that is new
 * had none in the version that was measured before. */
static int begin_row(const struct reading *reading, const struct rarog_history_group *group,
		     struct rarog_history_row *row, uint32_t version)
{
	const struct typical none = { .is_known = true, .agrees = true };
	size_t n = group->totals.n;

	while (n > 0 && group->totals.v[n - 1].version >= version)
		n--;
	if (!group->is_blocks || row->series[0].n > 0 || n == 0)
		return 0;
	return add_typical(reading, row, 0, group->totals.v[n - 1].version, &none);
}

/* Nor has one that is gone any from here on. */
static int end_rows(struct reading *reading, size_t g, uint32_t version)
{
	const struct typical none = { .runs = reading->runs.v[g],
				      .is_known = true,
				      .agrees = reading->runs.v[g] > 1 };
	struct rarog_history_group *group = &reading->history->groups.v[g];
	int r = 0;

	for (size_t i = 0; r == 0 && i < group->rows.n; i++) {
		struct rarog_series *series = &group->rows.v[i].series[0];

		if (series->n > 0 && series->values.v[series->values.n - 1].version != version)
			r = add_typical(reading, &group->rows.v[i], 0, version, &none);
	}
	return r;
}

static int end_groups(struct reading *reading, uint32_t version)
{
	int r = 0;

	for (size_t g = 0; r == 0 && g < reading->runs.n; g++)
		if (reading->runs.v[g] > 0 && reading->history->groups.v[g].is_blocks)
			r = end_rows(reading, g, version);
	return r;
}

static int add_amounts(struct reading *reading, uint32_t version)
{
	struct amount *v = reading->found.v;
	size_t n = reading->found.n, end;
	int r = 0;

	if (n > 0)
		qsort(v, n, sizeof(*v), compare);
	for (size_t i = 0; r == 0 && i < n; i = end) {
		struct rarog_history_group *group = &reading->history->groups.v[v[i].group];
		struct rarog_history_row *row = &group->rows.v[v[i].row];
		struct typical of = { 0 };

		for (end = i; end < n && v[end].group == v[i].group && v[end].row == v[i].row &&
			      v[end].which == v[i].which;)
			end++;
		r = typical(end - i, v + i, reading->runs.v[v[i].group], &of);
		if (r == 0 && of.is_known)
			r = add_total(reading, &v[i], of.value, version);
		if (r == 0 && of.is_known)
			r = begin_row(reading, group, row, version);
		if (r == 0 && of.is_known)
			r = add_typical(reading, row, v[i].which, version, &of);
	}
	return r < 0 ? r : end_groups(reading, version);
}

static int collect_record(const struct rarog_record *record, void *user)
{
	return read_profile(record, user);
}

static int read_version(struct reading *reading, const char *name)
{
	const struct rarog_record_filter filter = { .version = name, .clean_only = true };
	struct rarog_history *history = reading->history;
	char *copy;
	int r;

	reading->found.n = 0;
	for (size_t i = 0; i < reading->runs.n; i++)
		reading->runs.v[i] = 0;
	r = rarog_record_each(reading->store, &filter, collect_record, reading);
	if (r < 0 || reading->found.n == 0)
		return r;
	copy = strdup(name);
	if (!copy || rarog_vec_push(&history->versions, copy) < 0) {
		free(copy);
		return rarog_oom();
	}
	return add_amounts(reading, (uint32_t)history->versions.n - 1);
}

/* --- the line --- */

#define MET 1

static int visit(const struct rarog_commit *commit, void *user)
{
	struct reading *reading = user;
	char *name;

	if (reading->history->tip && strcmp(reading->history->tip, commit->name) == 0) {
		reading->has_met = true;
		return MET;
	}
	name = strdup(commit->name);
	if (!name || rarog_vec_push(&reading->names, name) < 0) {
		free(name);
		return rarog_oom();
	}
	return 0;
}

static int walk(struct reading *reading, struct rarog_vcs *vcs, const char *tip)
{
	const struct rarog_walk how = { .n_from = 1, .from = &tip, .first_parent = true };
	int r = rarog_vcs_walk(vcs, &how, visit, reading);

	return r < 0 ? r : 0;
}

static int read_versions(struct reading *reading)
{
	int r = 0;

	for (size_t i = reading->names.n; r == 0 && i-- > 0;)
		r = read_version(reading, reading->names.v[i]);
	return r;
}

/* Bring @history, which may be empty, up to @tip. 1; 0 it does not belong to this line, or profiles
 * were added or removed in what is known. */
static int bring_up(struct reading *reading, struct rarog_vcs *vcs, const char *tip)
{
	const struct rarog_record_filter clean = { .clean_only = true };
	struct rarog_history *history = reading->history;
	bool is_new = !history->tip;
	uint64_t had = history->profiles;
	int64_t total = rarog_record_count(reading->store, &clean);
	int r = total < 0 ? (int)total : walk(reading, vcs, tip);

	if (r == 0 && !is_new && !reading->has_met)
		return 0;
	if (r == 0)
		r = read_versions(reading);
	if (r < 0)
		return r;
	if (is_new)
		history->outside = (uint64_t)total - history->profiles;
	else if ((uint64_t)total != history->profiles + history->outside)
		return 0;
	history->is_changed = is_new || history->profiles != had || reading->names.n > 0;
	free(history->tip);
	history->tip = strdup(tip);
	return history->tip ? 1 : rarog_oom();
}

static int try(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip,
	       void (*progress)(uint64_t done, void *user), void *user,
	       struct rarog_history *history)
{
	rarog_cleanup(reading_release) struct reading reading = {
		.store = store, .history = history, .progress = progress, .user = user
	};

	return bring_up(&reading, vcs, tip);
}

static int fail_empty(void)
{
	return rarog_fail(-ENODATA, "no version of this history has profiles; make some: "
				    "rarog run --commit=REV..");
}

int rarog_history_read(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip, bool keep,
		       void (*progress)(uint64_t done, void *user), void *user,
		       struct rarog_history *ret_history)
{
	rarog_cleanup(rarog_history_release) struct rarog_history history = { 0 };
	rarog_cleanup(rarog_freep) char *folder = NULL;
	rarog_cleanup(rarog_freep) char *path = NULL;
	int r = rarog_store_place(store, RAROG_PLACE_HISTORY, &folder);

	if (r < 0)
		return r;
	path = rarog_asprintf("%s/changes", folder);
	r = path ? rarog_history_load(path, &history) : rarog_oom();
	if (r == 1)
		r = try(store, vcs, tip, progress, user, &history);
	if (r == 0) { /* from the beginning */
		rarog_history_release(&history);
		r = try(store, vcs, tip, progress, user, &history);
	}
	if (r < 0)
		return r;
	if (history.versions.n == 0)
		return fail_empty();
	if (keep && history.is_changed && !rarog_store_is_read_only(store))
		r = rarog_history_save(&history, path);
	*ret_history = rarog_take_struct(history);
	return r < 0 ? r : 0;
}

int rarog_history_read_values(struct rarog_store *store, struct rarog_vcs *vcs, const char *tip,
			      void (*progress)(uint64_t done, void *user), void *user,
			      struct rarog_history *ret_history)
{
	rarog_cleanup(rarog_history_release) struct rarog_history history = { .keeps_values =
										      true };
	int r = try(store, vcs, tip, progress, user, &history);

	if (r < 0)
		return r;
	if (history.versions.n == 0)
		return fail_empty();
	*ret_history = rarog_take_struct(history);
	return 0;
}
