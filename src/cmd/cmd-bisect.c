/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the version that changed an amount: versions are built and measured by src/run, where to
 * look next is decided by check/search.h. What is stored already counts and is not measured again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/job-spec.h"
#include "cmd/project.h"
#include "run/schedule.h"
#include "run/scratch.h"
#include "run/stop.h"
#include "store/repository.h"
#include "view/history/bisect.h"

struct args {
	const char *good, *bad, *job, *processors;
	struct rarog_job_options jobs;
	long runs, most_runs, most_builds;
	bool json;
};

struct session {
	const struct rarog_context *context;
	const struct args *args;
	bool is_named; /* the metric */
	struct rarog_repository repository;
	struct rarog_settings *settings;
	struct rarog_run_spec spec;
	struct rarog_tasks tasks;
	struct rarog_scratch scratch;
	struct rarog_hash class;
	struct rarog_bisection found;
	struct rarog_history_calls calls;
	uint64_t set; /* of what is left out below the function, where it is good; others do not
			 count */
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("Between which versions"),
	RAROG_OPT_STRING('g', "good", struct args, good, "REV",
			 "a version before the change (needed)"),
	RAROG_OPT_STRING('b', "bad", struct args, bad, "REV", "a version after the change (HEAD)"),
	RAROG_OPT_GROUP("What is run"),
	RAROG_OPT_STRING(0, "job", struct args, job, "NAME",
			 "this job of .rarog.yml (needed if there are several)"),
	RAROG_OPT_STRINGS('c', "cmd", struct args, jobs.commands, "COMMAND",
			  "measure this program with its arguments instead"),
	RAROG_OPTION_CHOICE(struct args, jobs.choice,
			    "use only this value of a job's option; with -c: set it; may be "
			    "repeated"),
	RAROG_JOB_COLLECTOR_OPTIONS(struct args, jobs),
	RAROG_OPT_STRINGS(0, "build", struct args, jobs.build, "LINE",
			  "shell line that builds a version"),
	RAROG_OPT_STRING(0, "processors", struct args, processors, "LIST",
			 "where programs run, as in rarog run"),
	RAROG_OPT_GROUP("How"),
	RAROG_OPT_INT('r', "runs", struct args, runs, "N", 1, 1000,
		      "make N runs of a version at a time (5; for calls and instructions 2)"),
	RAROG_OPT_INT(0, "most-runs", struct args, most_runs, "N", 2, 10000,
		      "make at most N runs of one version (20)"),
	RAROG_OPT_INT(0, "most-builds", struct args, most_builds, "N", 1, 10000,
		      "give up after N measured versions (30)"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the result as JSON"),
	RAROG_OPT_END,
};

static void bisect_release(struct session *s)
{
	rarog_tasks_release(&s->tasks);
	rarog_run_spec_release(&s->spec);
	rarog_settings_free(s->settings);
	rarog_scratch_release(&s->scratch);
	rarog_repository_release(&s->repository);
	rarog_history_calls_release(&s->calls);
	rarog_bisection_release(&s->found);
}

/* --- the versions --- */

static int add_version(const struct rarog_commit *commit, void *user)
{
	struct session *s = user;
	struct rarog_commit copy;
	int r = rarog_commit_copy(commit, &copy);

	if (r == 0 && rarog_vec_push(&s->found.line.list, copy) < 0) {
		rarog_commit_release(&copy);
		return rarog_oom();
	}
	return r;
}

static void reverse(struct rarog_versions *line)
{
	for (size_t i = 0; i < line->list.n / 2; i++) {
		struct rarog_commit kept = line->list.v[i];

		line->list.v[i] = line->list.v[line->list.n - 1 - i];
		line->list.v[line->list.n - 1 - i] = kept;
	}
}

static int read_line(struct session *s)
{
	rarog_cleanup(rarog_commit_release) struct rarog_commit good = { 0 }, bad = { 0 };
	rarog_cleanup(rarog_freep) char *range = NULL;
	struct rarog_vcs *vcs = s->repository.vcs;
	int r = rarog_vcs_resolve(vcs, s->args->good, &good);

	r = r < 0 ? r : rarog_vcs_resolve(vcs, s->args->bad ? s->args->bad : "HEAD", &bad);
	r = r < 0 ? r : rarog_vcs_is_ancestor(vcs, good.name, bad.name);
	if (r == 0)
		return rarog_fail(-EINVAL, "%s is no ancestor of %s; is it the other way round?",
				  s->args->good, s->args->bad ? s->args->bad : "HEAD");
	if (r < 0)
		return r;
	range = rarog_asprintf("%s..%s", good.name, bad.name);
	if (!range)
		return rarog_oom();
	const char *from = range;
	const struct rarog_walk walk = { .n_from = 1, .from = &from, .first_parent = true };

	r = rarog_vcs_walk(vcs, &walk, add_version, s);
	if (r == 0 && s->found.line.list.n == 0)
		return rarog_fail(-EINVAL, "%s and %s are the same version", s->args->good,
				  s->args->bad ? s->args->bad : "HEAD");
	if (r == 0)
		r = add_version(&good, s);
	reverse(&s->found.line);
	return r < 0 ? r : rarog_search_init(&s->found.search, s->found.line.list.n - 1);
}

/* --- the job --- */

/* Instructions; then it knows no times of functions. */
static bool counts(const struct rarog_run_collector *collector)
{
	return rarog_collector_traits(collector->kind->name, collector->engine->name) &
	       RAROG_COLLECTOR_EXACT;
}

static bool only_counts(const struct rarog_run_spec *spec)
{
	bool is_so = spec->matrices.n > 0;

	for (size_t i = 0; i < spec->matrices.n; i++)
		for (size_t k = 0; k < spec->matrices.v[i].collectors.n; k++)
			is_so &= counts(&spec->matrices.v[i].collectors.v[k]);
	return is_so;
}

/* Where none was named: of what counts instructions these, else time. */
static int choose_metric(struct session *s)
{
	if (s->is_named)
		return 0;
	return rarog_quantity_name_parse(only_counts(&s->spec) ? "instructions" : "wall",
					 &s->found.metric);
}

static int read_spec(struct session *s)
{
	int r = rarog_job_spec_read(&s->args->jobs, s->settings, &s->spec);
	bool is_untraced;

	if (r == 0)
		r = choose_metric(s);
	is_untraced = s->found.metric.metric == RAROG_SERIES_WALL ||
		      s->found.metric.metric == RAROG_SERIES_CPU;
	for (size_t i = 0; r == 0 && i < s->spec.matrices.n; i++)
		if (is_untraced && s->spec.matrices.v[i].untraced == 0)
			s->spec.matrices.v[i].untraced = 1;
	return r;
}

/* Only what the job's collector knows. */
static int check_metric(const struct session *s)
{
	const struct rarog_run_collector *collector = s->tasks.list.v[0].collector;
	bool is_counted = counts(collector);
	bool has_time = s->found.metric.function && !rarog_series_is_count(s->found.metric.metric);

	if (s->found.metric.metric == RAROG_SERIES_INSTRUCTIONS && !is_counted)
		return rarog_fail(
			-EINVAL,
			"instructions are counted by 'collector: blocks', of programs that "
			"rarog cc compiled, and by 'engine: vex'; this job has '%s'",
			collector->kind->name);
	if (is_counted && has_time)
		return rarog_fail(-EINVAL,
				  "the collector %s (%s) does not measure times of functions; "
				  "%s:instructions is known",
				  collector->kind->name, collector->engine->name,
				  s->found.metric.function);
	return 0;
}

static int choose_job(struct session *s)
{
	const struct rarog_generator_place place = {
		.directory = s->scratch.path,
		.root = rarog_vcs_root(s->repository.vcs),
	};
	int r = rarog_job_tasks(&s->spec, s->args->job != NULL, &s->args->job, &place, &s->tasks);

	if (r == 0 && s->tasks.list.n != 1)
		return rarog_fail(
			-EINVAL,
			"%zu jobs: bisect follows one; name it with --job and --option, or "
			"give a command with -c",
			s->tasks.list.n);
	return r < 0 ? r : check_metric(s);
}

static int open_all(struct session *s)
{
	int r = rarog_repository_open(NULL, NULL, &s->repository);

	if (r == 0)
		r = rarog_settings_open(rarog_vcs_root(s->repository.vcs), s->context->settings,
					&s->settings);
	if (r == 0)
		r = read_spec(s);
	if (r == 0)
		r = read_line(s);
	if (r == 0 && rarog_store_is_read_only(s->repository.store))
		r = rarog_fail(-EROFS, "%s: cannot be written: nothing can be kept there",
			       rarog_store_path(s->repository.store));
	if (r == 0)
		r = rarog_scratch_clean(&s->repository);
	if (r == 0)
		r = rarog_scratch_make(&s->repository, &s->scratch);
	return r < 0 ? r : choose_job(s);
}

/* --- measuring --- */

static const struct rarog_hash *job_key(const struct session *s)
{
	return &s->tasks.list.v[0].job.key;
}

/* Those of a version that are of the set of the good one, as soon as that is known. */
static int read_position(struct session *s, size_t at)
{
	struct rarog_search_position *position = &s->found.search.positions[at];
	struct rarog_amounts_of_runs amounts = {
		.calls = &s->calls,
		.set = s->set,
		.has_set = at > 0 && s->found.search.positions[0].values.n > 0,
	};
	int r = rarog_quantity_of_version(s->repository.store, s->found.line.list.v[at].name,
					  job_key(s), &s->class, &s->found.metric, &amounts);

	position->values.n = 0;
	for (size_t i = 0; r == 0 && i < amounts.list.n; i++)
		r = rarog_search_add(&s->found.search, at, amounts.list.v[i]);
	if (at == 0)
		s->set = amounts.set;
	rarog_vec_release(&amounts.list);
	return r;
}

/* What one version calls may tell what another one's times contain: then all are read again. */
static int read_all(struct session *s)
{
	int r = 0;

	do {
		s->calls.is_stale = false;
		for (size_t at = 0; r == 0 && at < s->found.line.list.n; at++)
			r = read_position(s, at);
	} while (r == 0 && s->calls.is_stale);
	return r;
}

static int read_values(struct session *s, size_t at)
{
	bool may_be_of_set = at == 0 && rarog_series_is_exclusive(s->found.metric.metric);
	int r = read_position(s, at);

	return r == 0 && (may_be_of_set || s->calls.is_stale) ? read_all(s) : r;
}

static int64_t count_profiles(struct session *s, size_t at)
{
	const struct rarog_record_filter filter = { .version = s->found.line.list.v[at].name,
						    .job_key = job_key(s),
						    .machine_class = &s->class,
						    .clean_only = true };

	return rarog_record_count(s->repository.store, &filter);
}

static int run_schedule(struct session *s, struct rarog_schedule *schedule, const size_t at[])
{
	uint64_t had = 0;
	int r = rarog_schedule_plan(schedule);

	had = schedule->built;
	if (r == 0)
		r = rarog_schedule_run(schedule);
	s->found.built += schedule->built - had;
	for (size_t i = 0; r == 0 && i < schedule->rows.n; i++) {
		const struct rarog_run_row *row = &schedule->rows.v[i];

		s->found.runs += row->made;
		s->found.search.positions[at[row->version]].is_broken =
			row->state == RAROG_ROW_FAILED || row->state == RAROG_ROW_KNOWN;
	}
	return r;
}

static struct rarog_bisect_view view_of(const struct session *s)
{
	return (struct rarog_bisect_view){ .of = &s->found,
					   .out = stdout,
					   .json = s->args->json,
					   .quiet = s->context->quiet,
					   .width = s->context->width };
}

static int note_measured(struct session *s, size_t at)
{
	const struct rarog_bisect_view view = view_of(s);
	struct rarog_search_position *position = &s->found.search.positions[at];
	size_t had = position->values.n;
	int r = read_values(s, at);

	if (r < 0)
		return r;
	s->found.versions_measured += had == 0;
	if (position->values.n == 0)
		position->is_broken = true;
	rarog_bisect_say(&view, position->is_broken ? "skipped" : "measured", at);
	return !position->is_broken;
}

/* Until each of the @n versions has @runs: several are built, then run by turns, in random order.
 * Return: 1 all can be measured, 0 one cannot, -errno. */
static int measure(struct session *s, size_t n, const size_t at[], size_t runs)
{
	struct rarog_versions these = { 0 };
	const struct rarog_schedule_options how = {
		.parallel = n,
		.seed = 1,
		.processors = s->args->processors,
		.machine_class = rarog_settings_text(s->settings, "machine.class"),
		.max_build_bytes = rarog_settings_size(s->settings, "gc.max-builds"),
	};
	struct rarog_schedule schedule = { .repository = &s->repository,
					   .options = &how,
					   .versions = &these,
					   .tasks = &s->tasks,
					   .scratch = s->scratch.path };
	int64_t repeat = 0;
	int r = 0, all = 1;

	for (size_t i = 0; r == 0 && i < n; i++) {
		int64_t there = count_profiles(s, at[i]);
		int64_t more = (int64_t)runs - (int64_t)s->found.search.positions[at[i]].values.n;

		repeat = there + more > repeat ? there + more : repeat;
		r = there < 0 ? (int)there : 0;
		if (r == 0 && rarog_vec_push(&these.list, s->found.line.list.v[at[i]]) < 0)
			r = rarog_oom();
	}
	for (size_t i = 0; i < s->spec.matrices.n; i++)
		s->spec.matrices.v[i].repeat = repeat;
	if (r == 0)
		r = run_schedule(s, &schedule, at);
	rarog_schedule_release(&schedule);
	rarog_vec_release(&these.list); /* the versions are the line's */
	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = note_measured(s, at[i]);
		all &= r;
	}
	return r < 0 ? r : all;
}

static size_t runs_at_a_time(const struct session *s)
{
	if (s->args->runs > 0)
		return (size_t)s->args->runs;
	return rarog_series_is_count(s->found.metric.metric) ? 2 : 5;
}

/* --- the search --- */

static int read_stored(struct session *s)
{
	struct rarog_machine machine = { 0 };
	int r = rarog_machine_read(rarog_settings_text(s->settings, "machine.class"), &machine);

	if (r == 0)
		r = rarog_machine_class(&machine, &s->class);
	rarog_machine_release(&machine);
	if (r == 0)
		r = read_all(s);
	for (size_t at = 0; r == 0 && at < s->found.line.list.n; at++)
		s->found.stored += s->found.search.positions[at].values.n > 0;
	return r;
}

/* The message: why an end has no values. */
static int say_no_values(struct session *s, size_t at)
{
	const char *name = s->found.line.list.v[at].name;
	int r = rarog_run_collector_able(s->tasks.list.v[0].collector);
	bool is_apart = at > 0 && count_profiles(s, at) > 0 &&
			rarog_series_is_exclusive(s->found.metric.metric);

	if (is_apart)
		return rarog_fail(
			-EINVAL,
			"%s: its own time in %.10s may contain that of other functions than "
			"in %.10s, as other ones were left out below it; take %s:inclusive",
			s->found.metric.function, name, s->found.line.list.v[0].name,
			s->found.metric.function);
	if (r == 0)
		r = rarog_fail(-EINVAL,
			       "%.10s cannot be measured (rarog log shows why); take "
			       "another end",
			       name);
	return r;
}

/* Both by turns, so that what happens to the machine happens to both. */
static int measure_ends_until(struct session *s, size_t runs)
{
	const size_t ends[] = { 0, s->found.search.n };
	size_t at[2], n = 0;
	int r;

	for (size_t i = 0; i < 2; i++)
		if (s->found.search.positions[ends[i]].values.n < runs)
			at[n++] = ends[i];
	r = n > 0 ? measure(s, n, at, runs) : 1;
	for (size_t i = 0; r == 0 && i < n; i++)
		if (s->found.search.positions[at[i]].is_broken)
			return say_no_values(s, at[i]);
	return r < 0 ? r : 0;
}

/* Are the ends different at all? 1, 0, -errno. */
static int measure_ends(struct session *s)
{
	size_t most = (size_t)s->args->most_runs, runs = runs_at_a_time(s);
	bool is_exact = false;

	for (runs = runs < 2 ? 2 : runs;; runs = 2 * runs < most ? 2 * runs : most) {
		int r = measure_ends_until(s, runs);

		if (r == 0)
			r = rarog_search_differs(&s->found.search, &is_exact);
		if (r != 0 || is_exact || runs >= most)
			return r;
	}
}

static int search(struct session *s, struct rarog_search_result *result)
{
	for (;;) {
		int r = rarog_search_update(&s->found.search);
		size_t next;

		if (r == 0)
			r = rarog_search_result(&s->found.search, result);
		if (r < 0 || result->likely >= RAROG_BISECT_ENOUGH)
			return r;
		if (s->found.versions_measured >= (uint64_t)s->args->most_builds)
			return 0;
		next = rarog_search_next(&s->found.search, (size_t)s->args->most_runs);
		if (next == SIZE_MAX)
			return 0;
		r = measure(s, 1, &next,
			    s->found.search.positions[next].values.n + runs_at_a_time(s));
		if (r < 0)
			return r;
	}
}

/* A function whose name is mistyped costs nothing anywhere. */
static bool is_nothing(const struct rarog_search_position *end)
{
	for (size_t i = 0; i < end->values.n; i++)
		if (end->values.v[i] > 0)
			return false;
	return true;
}

/* Where both ends are alike: 0; -ENOENT nothing of the function ran in either. */
static int check_ends(const struct rarog_bisection *b)
{
	const struct rarog_search_position *good = b->search.positions, *bad = good + b->search.n;

	if (!b->metric.function || !is_nothing(good) || !is_nothing(bad))
		return 0;
	return rarog_fail(-ENOENT,
			  "%s: nothing of it ran in %.10s or in %.10s; rarog show has the "
			  "functions that did",
			  b->metric.function, b->line.list.v[0].name,
			  b->line.list.v[b->search.n].name);
}

static int bisect(struct session *s)
{
	const struct rarog_bisect_view view = view_of(s);
	struct rarog_search_result result = { 0 };
	int r = read_stored(s), differ = r < 0 ? r : measure_ends(s);

	r = differ < 0 ? differ : differ ? search(s, &result) : check_ends(&s->found);
	if (r == 0)
		r = rarog_bisect_report(&view, differ ? &result : NULL);
	if (r < 0)
		return r;
	return result.likely >= RAROG_BISECT_ENOUGH ? RAROG_EXIT_OK : RAROG_EXIT_INCONCLUSIVE;
}

static int run_session(struct session *s)
{
	int r;

	rarog_stop_watch();
	r = open_all(s);
	if (r == 0)
		r = bisect(s);
	if (r == -ECANCELED)
		return RAROG_EXIT_SIGNAL + (rarog_stop_signal() ? rarog_stop_signal() : 2);
	return r;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .jobs = RAROG_JOB_OPTIONS_DEFAULT,
			     .most_runs = 20,
			     .most_builds = 30 };
	struct session session = { .context = context,
				   .args = &args,
				   .scratch = RAROG_SCRATCH_NONE };
	int first = rarog_options_parse(options, argc, argv, false, &args), r = first;

	if (r >= 0 && argc - first > 1)
		r = rarog_fail(-EINVAL,
			       "give one METRIC: wall, cpu, instructions, FUNCTION, FUNCTION:cpu, "
			       "FUNCTION:calls, FUNCTION:instructions");
	if (r >= 0 && !args.good)
		r = rarog_fail(-EINVAL, "from where? --good REV, a version before the change");
	session.is_named = r >= 0 && argc > first;
	if (session.is_named)
		r = rarog_quantity_name_parse(argv[first], &session.found.metric);
	if (session.found.metric.metric == RAROG_SERIES_INSTRUCTIONS && args.jobs.commands.n > 0 &&
	    !args.jobs.collector &&
	    (!args.jobs.engine || /* else it is another collector's */
	     rarog_collector_has(rarog_collector_find("blocks"), args.jobs.engine)))
		args.jobs.collector = "blocks";
	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&args.jobs.choice);
	if (r == 0)
		r = run_session(&session);
	bisect_release(&session);
	rarog_option_choice_release(&args.jobs.choice);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_bisect = {
	.name = "bisect",
	.summary = "find the version that changed an amount, with as few builds as possible",
	.usage = "[OPTION…] --good REV [--bad REV] [METRIC]",
	.description =
		"Measures versions between two ends until one of them is, with 95 % probability, "
		"the version at which METRIC changed. METRIC is wall (the default: time of the "
		"program without probes), cpu, FUNCTION (its own time), FUNCTION:inclusive, "
		"FUNCTION:cpu and FUNCTION:waited (the parts of its own time on a processor, and "
		"waiting) or FUNCTION:calls. For a job that counts blocks (collector: blocks) it "
		"is instructions (the default there) or FUNCTION:instructions. The main line is "
		"searched (first parents); a merge stands for all commits that it brought.\n"
		"\n"
		"First both ends are measured; if they do not differ beyond noise, that is the "
		"result. Every measured version changes how likely each of the others is. The next "
		"version is the one whose result is least foreseeable. If the runs of a version do "
		"not decide, it is measured again rather than another one built. Profiles and "
		"builds of the store are used, and new ones are kept there. A version that does "
		"not build or run is skipped; if the change may be there, all versions that cannot "
		"be told apart are named.\n"
		"\n"
		"Exit status: 0 found, 2 wrong usage, 3 failure, 4 not sure, or the ends do not "
		"differ; 128+N interrupted by signal N.",
	.examples = "rarog bisect --good v1.2\n"
		    "rarog bisect --good v1.2 --bad v1.3 parse:calls\n"
		    "rarog bisect --good HEAD~50 -c './prog -x big.txt' --build make",
	.options = options,
	.run = run,
};
