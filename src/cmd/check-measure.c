/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/check-measure.h"
#include "cmd/check-undecided.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <gsl/gsl_cdf.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "num/spending.h"
#include "run/schedule.h"
#include "run/stop.h"
#include "store/record.h"

#define FIRST_LOOK 6 /* rounds; before that no p could be small enough */
#define LOOK_EVERY 2
#define LOOK_PART  10 /* … or a tenth of the rounds so far */
#define UNTRACED   3  /* runs without probes in a round */
#define TWICE      2  /* rounds after which counts of blocks are known to be the same every time */

/* More is not worth it, unless it is asked for. */
static const struct {
	long runs;
	uint64_t budget_ns;
} limits[] = {
	[RAROG_CHECK_UNTIL_PROGRAM] = { 20, 600000000000 },
	[RAROG_CHECK_UNTIL_FUNCTIONS] = { 100, 1800000000000 },
};

struct session {
	const struct rarog_context *context;
	struct rarog_check_measure how;
	const struct rarog_check_options *options;
	const struct rarog_check_pair *pair;
	struct rarog_repository repository; /* the project's */
	struct rarog_job_options job;
	struct rarog_run_spec spec;
	struct rarog_tasks tasks;
	struct rarog_versions versions; /* target, base */
	struct rarog_scratch scratch;
	struct rarog_progress progress;
	uint64_t started_ns, max_build_bytes;
	size_t looks;
	uint32_t next_look;                     /* rounds */
	double times[RAROG_SPENDING_LOOKS_MAX]; /* of the looks: share of the rounds */
	bool out_of_time;
	bool is_counted; /* all jobs count blocks: no times, so no runs for their sake */
	RAROG_VEC(struct rarog_check_rule) rules; /* the user's, alpha as of the last look */
};

static void session_release(struct session *s)
{
	rarog_tasks_release(&s->tasks);
	rarog_run_spec_release(&s->spec);
	rarog_versions_release(&s->versions);
	rarog_scratch_release(&s->scratch);
	rarog_vec_release(&s->rules);
}

/* --- what was measured so far --- */

static int add_profiles(struct session *s, const struct rarog_schedule *schedule, size_t version,
			struct rarog_run_set *run_set)
{
	int r = 0;

	for (size_t i = 0; i < schedule->rows.n; i++) {
		const struct rarog_run_row *row = &schedule->rows.v[i];

		for (size_t k = 0; r == 0 && row->version == version && k < row->profiles.n; k++) {
			struct rarog_profile *profile;

			r = rarog_record_open(s->repository.store, &row->profiles.v[k], &profile);
			if (r == 0)
				r = rarog_run_set_add(run_set, profile, &row->profiles.v[k]);
		}
	}
	return r;
}

/* A name under which git finds it: sources are compared by it. */
static const char *content_of(const struct rarog_commit *commit)
{
	return commit->changed_tree ? commit->changed_tree : commit->name;
}

static int compare(struct session *s, const struct rarog_schedule *schedule,
		   struct rarog_checks *checks)
{
	const struct rarog_check_options options = { .n = s->rules.n,
						     .rules = s->rules.v,
						     .is_forced = s->options->is_forced,
						     .vcs = s->repository.vcs };
	rarog_cleanup(rarog_run_set_release) struct rarog_run_set base = { 0 };
	rarog_cleanup(rarog_run_set_release) struct rarog_run_set target = { 0 };
	int r = rarog_run_set_init(&base, s->pair->base_name, content_of(s->pair->base));

	if (r == 0)
		r = rarog_run_set_init(&target, s->pair->target_name, content_of(s->pair->target));
	if (r == 0)
		r = add_profiles(s, schedule, 1, &base);
	if (r == 0)
		r = add_profiles(s, schedule, 0, &target);
	return r < 0 ? r : rarog_checks_add(checks, &options, &base, &target);
}

/* --- looks --- */

static int alpha_index(const struct rarog_check_method *method)
{
	for (int i = 0; method->thresholds && method->thresholds[i].name; i++)
		if (strcmp(method->thresholds[i].name, "alpha") == 0)
			return i;
	return -1;
}

/* Is anything to be seen after so many rounds? */
static bool is_time_to_look(const struct session *s, uint32_t rounds)
{
	if (s->looks + 1 >= RAROG_SPENDING_LOOKS_MAX) /* one is kept for the end */
		return false;
	if (s->is_counted && rounds < FIRST_LOOK)
		return rounds == TWICE;
	return rounds >= FIRST_LOOK && rounds >= s->next_look;
}

/* What of @alpha is left for the look that was noted last. */
static int spend(const struct session *s, double alpha, double *ret_alpha)
{
	double bounds[RAROG_SPENDING_LOOKS_MAX];
	int r = rarog_spending_bounds(RAROG_SPENDING_POCOCK, alpha, s->looks, s->times, bounds);

	if (r == 0)
		*ret_alpha = 2 * gsl_cdf_ugaussian_Q(bounds[s->looks - 1]);
	return r;
}

static int begin_look(struct session *s, uint32_t rounds)
{
	int r = 0;

	s->times[s->looks++] = (double)rounds / (double)s->how.runs;
	s->next_look = rounds + (rounds / LOOK_PART > LOOK_EVERY ? rounds / LOOK_PART : LOOK_EVERY);
	for (size_t i = 0; r == 0 && i < s->rules.n; i++) {
		struct rarog_check_rule *rule = &s->rules.v[i];
		int at = alpha_index(rule->method);

		if (at >= 0)
			r = spend(s, s->options->rules[i].thresholds[at], &rule->thresholds[at]);
	}
	return r;
}

static bool is_decided(const struct session *s, const struct rarog_checks *checks)
{
	for (size_t i = 0; i < checks->list.n; i++) {
		const struct rarog_verdict *verdict = &checks->list.v[i].verdict;

		if (verdict->is_open || verdict->is_unexplained ||
		    (s->how.until == RAROG_CHECK_UNTIL_FUNCTIONS &&
		     rarog_verdict_undecided(verdict) > 0))
			return false;
	}
	return true;
}

static bool are_same_programs(const struct rarog_checks *checks)
{
	for (size_t i = 0; i < checks->list.n; i++)
		if (!checks->list.v[i].verdict.is_same_program)
			return false;
	return checks->list.n > 0;
}

/* The first runs tell which files they open: of the same program nothing needs to be measured. */
static int look_at_programs(struct session *s, const struct rarog_schedule *schedule)
{
	rarog_cleanup(rarog_checks_release) struct rarog_checks checks = { 0 };
	int r = compare(s, schedule, &checks);

	return r < 0 ? r : are_same_programs(&checks);
}

static int look(const struct rarog_schedule *schedule, uint32_t rounds, void *user)
{
	struct session *s = user;
	rarog_cleanup(rarog_checks_release) struct rarog_checks checks = { 0 };
	int r;

	s->out_of_time = s->how.budget_ns && rarog_now_ns() - s->started_ns >= s->how.budget_ns;
	if (s->out_of_time)
		return 1;
	if (rounds == 1)
		return look_at_programs(s, schedule);
	if (!is_time_to_look(s, rounds))
		return 0;
	r = begin_look(s, rounds);
	if (r == 0)
		r = compare(s, schedule, &checks);
	return r < 0 ? r : is_decided(s, &checks);
}

/* --- the end --- */

static uint32_t rounds_of(const struct rarog_schedule *schedule)
{
	uint32_t most = 0;

	for (size_t i = 0; i < schedule->rows.n; i++)
		if (schedule->rows.v[i].made > most)
			most = schedule->rows.v[i].made;
	return most;
}

/* A version that cannot be measured cannot be judged. */
static int check_rows(const struct session *s, const struct rarog_schedule *schedule)
{
	for (size_t i = 0; i < schedule->rows.n; i++) {
		const struct rarog_run_row *row = &schedule->rows.v[i];
		const struct rarog_run_task *task = &s->tasks.list.v[row->task];

		if (row->state != RAROG_ROW_FAILED && row->state != RAROG_ROW_KNOWN)
			continue;
		return rarog_fail(-EIO, "%s: '%s': %s",
				  row->version == 0 ? s->pair->target_name : s->pair->base_name,
				  task->job.command, row->message ? row->message : "it failed");
	}
	return 0;
}

static int note_end(const struct session *s, uint32_t rounds, struct rarog_checks *checks)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < checks->list.n; i++)
		r = rarog_verdict_note(
			&checks->list.v[i].verdict,
			s->out_of_time ? "the time was up after %u rounds; --budget gives more"
			: rounds < (uint32_t)s->how.runs
				? rounds == 1 ? "decided after %u round"
					      : "decided after %u rounds, in random order"
				: "measured in %u rounds, in random order",
			rounds);
	for (size_t i = 0; r == 0 && i < checks->list.n; i++)
		r = rarog_verdict_note_undecided(&checks->list.v[i].verdict,
						 s->how.until == RAROG_CHECK_UNTIL_FUNCTIONS);
	return r;
}

static bool counts_blocks(const struct rarog_run_collector *collector)
{
	return collector->kind->traits & RAROG_COLLECTOR_BLOCKS;
}

/* Nobody is to be sent to a job that would be refused. */
static bool is_possible(struct rarog_matrix *matrix)
{
	int r = 0;

	if (!*matrix->name || matrix->is_left_out || matrix->is_refused)
		return false;
	r = rarog_matrix_choose(matrix);
	for (size_t i = 0; r == 0 && i < matrix->collectors.n; i++)
		r = rarog_run_collector_able(&matrix->collectors.v[i]);
	if (r < 0)
		rarog_error_clear();
	return r == 0;
}

/* A job of the project that counts blocks; NULL: there is none. */
static const char *job_of_blocks(struct session *s)
{
	for (size_t i = 0; i < s->spec.matrices.n; i++) {
		struct rarog_matrix *matrix = &s->spec.matrices.v[i];
		bool counts = false;

		for (size_t k = 0; k < matrix->collectors.n; k++)
			counts |= counts_blocks(&matrix->collectors.v[k]);
		if (counts && is_possible(matrix))
			return matrix->name;
	}
	return NULL;
}

static bool is_below_time(const struct rarog_check *check)
{
	const struct rarog_verdict *verdict = &check->verdict;

	return !check->comparison.has_blocks && !verdict->is_same_program &&
	       verdict->finding != RAROG_FINDING_DEGRADATION &&
	       verdict->finding != RAROG_FINDING_IMPROVEMENT;
}

/* What time cannot tell, counts can. */
static int note_counts(struct session *s, struct rarog_checks *checks)
{
	const char *job = job_of_blocks(s);
	int r = 0;

	for (size_t i = 0; i < checks->list.n; i++)
		if (checks->list.v[i].comparison.has_blocks)
			return 0; /* they were counted beside */
	for (size_t i = 0; r == 0 && i < checks->list.n; i++) {
		if (!is_below_time(&checks->list.v[i]))
			continue;
		r = rarog_verdict_note(
			&checks->list.v[i].verdict,
			job ? "times do not tell a change of less than 2 %% of the run; the job %s "
			      "counts instructions, which do: rarog check --measure --job %s"
			    : "times do not tell a change of less than 2 %% of the run; a job with "
			      "the collector blocks counts instructions, which do",
			job, job);
	}
	return r;
}

/* Jobs that were left out: users who look at the verdict alone must see that. */
static int note_refused(const struct session *s, struct rarog_checks *checks)
{
	for (size_t i = 0; i < s->spec.refused.n; i++) {
		char *note = strdup(s->spec.refused.v[i]);

		if (!note || rarog_vec_push(&checks->notes, note) < 0) {
			free(note);
			return rarog_oom();
		}
		checks->is_incomplete = true;
	}
	return 0;
}

static int conclude(struct session *s, const struct rarog_schedule *schedule,
		    struct rarog_checks *checks)
{
	uint32_t rounds = rounds_of(schedule);
	double now = (double)rounds / (double)s->how.runs;
	int r = check_rows(s, schedule);

	if (r == 0 && (s->looks == 0 || s->times[s->looks - 1] < now))
		r = begin_look(s, rounds);
	if (r == 0)
		r = compare(s, schedule, checks);
	if (r == 0)
		r = note_end(s, rounds, checks);
	if (r == 0)
		r = note_counts(s, checks);
	return r < 0 ? r : note_refused(s, checks);
}

/* --- measuring --- */

static void show_progress(uint64_t done, uint64_t total, void *user)
{
	struct session *s = user;

	(void)total;
	rarog_progress_update(&s->progress, done);
}

static int measure(struct session *s, const char *machine_class, uint64_t seed,
		   struct rarog_checks *checks)
{
	char series[17];
	const struct rarog_schedule_options how = {
		.again = true,
		.retry = true, /* a build that failed once, too: it is asked for now */
		.parallel = (size_t)s->how.parallel,
		.seed = seed,
		.processors = s->how.processors,
		.machine_class = machine_class,
		.max_build_bytes = s->max_build_bytes,
		.series = series,
		.in_turn = s->how.in_turn,
		.enough = look,
		.progress = show_progress,
		.user = s,
	};
	struct rarog_schedule schedule = {
		.repository = &s->repository,
		.options = &how,
		.versions = &s->versions,
		.tasks = &s->tasks,
		.scratch = s->scratch.path,
	};
	int r;

	snprintf(series, sizeof(series), "%016llx", (unsigned long long)seed);
	r = rarog_schedule_plan(&schedule);
	rarog_progress_start(&s->progress, "measuring", "runs", schedule.runs_total,
			     s->context->quiet);
	if (r == 0)
		r = rarog_schedule_run(&schedule);
	rarog_progress_finish(&s->progress);
	if (r == 0)
		r = conclude(s, &schedule, checks);
	rarog_schedule_release(&schedule);
	return r;
}

static int add_version(struct session *s, const struct rarog_commit *of)
{
	struct rarog_commit commit = { 0 };
	int r = rarog_commit_copy(of, &commit);

	if (r == 0 && rarog_vec_push(&s->versions.list, commit) < 0) {
		rarog_commit_release(&commit);
		r = rarog_oom();
	}
	return r;
}

/* Runs without probes are for times: not where all that is measured are counts. */
static void set_untraced(struct session *s)
{
	for (size_t i = 0; s->job.untraced < 0 && i < s->spec.matrices.n; i++) {
		struct rarog_matrix *matrix = &s->spec.matrices.v[i];

		matrix->untraced = 0;
		for (size_t k = 0; k < matrix->collectors.n; k++)
			if (!counts_blocks(&matrix->collectors.v[k]))
				matrix->untraced = UNTRACED;
	}
}

/* Of several jobs those are left out whose engine does not work here: the rest is measured. */
static int leave_out_unable(struct session *s)
{
	struct rarog_tasks *tasks = &s->tasks;
	const struct rarog_engine *able = NULL;
	bool is_alone = tasks->list.n == 1;

	for (size_t i = 0; i < tasks->list.n;) {
		const struct rarog_run_task *task = &tasks->list.v[i];
		int r = task->collector->engine == able ? 0
							: rarog_run_collector_able(task->collector);

		if (r == 0) {
			able = task->collector->engine;
			i++;
			continue;
		}
		if (r != -ENOMEM && !is_alone)
			r = rarog_job_refuse(&s->spec, task->matrix);
		if (r < 0)
			return r;
		rarog_tasks_leave_out(tasks, i);
	}
	return tasks->list.n > 0 ? 0 : rarog_fail(-ENOTSUP, "no job can be measured here");
}

static int prepare(struct session *s, const struct rarog_settings *settings)
{
	struct rarog_generator_place place;
	int r = rarog_scratch_clean(&s->repository);

	for (size_t i = 0; r == 0 && i < s->options->n; i++)
		r = rarog_vec_push(&s->rules, s->options->rules[i]) < 0 ? rarog_oom() : 0;
	if (r == 0)
		r = rarog_job_spec_read(&s->job, settings, &s->spec);
	if (r == 0)
		r = rarog_scratch_make(&s->repository, &s->scratch);
	if (r < 0)
		return r;
	set_untraced(s);
	place = (struct rarog_generator_place){
		.directory = s->scratch.path,
		.root = rarog_vcs_root(s->repository.vcs),
	};
	r = rarog_job_tasks(&s->spec, s->how.names.n, s->how.names.v, &place, &s->tasks);
	if (r == 0)
		r = leave_out_unable(s);
	if (r == 0)
		r = add_version(s, s->pair->target);
	for (size_t i = 0; i < s->tasks.list.n; i++)
		s->is_counted |= counts_blocks(s->tasks.list.v[i].collector);
	for (size_t i = 0; i < s->tasks.list.n; i++)
		s->is_counted &= counts_blocks(s->tasks.list.v[i].collector);
	return r < 0 ? r : add_version(s, s->pair->base);
}

int rarog_check_measure(const struct rarog_context *context, const struct rarog_project *project,
			const struct rarog_check_measure *how,
			const struct rarog_check_options *options,
			const struct rarog_check_pair *pair, struct rarog_checks *checks)
{
	rarog_cleanup(session_release) struct session s = {
		.context = context,
		.how = *how,
		.options = options,
		.pair = pair,
		.repository = { .vcs = project->vcs, .store = project->store },
		.job = how->job,
		.scratch = RAROG_SCRATCH_NONE,
		.started_ns = rarog_now_ns(),
		.max_build_bytes = rarog_settings_size(project->settings, "gc.max-builds"),
	};
	uint64_t seed;
	int r;

	if (s.how.runs == 0)
		s.how.runs = limits[how->until].runs;
	if (s.how.budget_ns == RAROG_CHECK_BUDGET)
		s.how.budget_ns = limits[how->until].budget_ns;
	s.job.repeat = s.how.runs;
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		return rarog_fail_errno("no random numbers");
	rarog_stop_watch();
	r = prepare(&s, project->settings);
	if (r == 0)
		r = measure(&s, rarog_settings_text(project->settings, "machine.class"), seed,
			    checks);
	if (r < 0 && rarog_stop_signal())
		return rarog_error_exit(r, RAROG_EXIT_SIGNAL + rarog_stop_signal());
	return r;
}
