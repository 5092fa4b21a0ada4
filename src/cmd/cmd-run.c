/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked for becomes tasks and versions; src/run does the rest. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/job-spec.h"
#include "cmd/model-jobs.h"
#include "run/schedule.h"
#include "run/stop.h"
#include "store/keep.h"
#include "store/settings.h"
#include "view/jobs/schedule.h"

#define PACK_AFTER 32 /* profiles */

struct args {
	struct rarog_job_options job;
	struct rarog_strings revisions, paths;
	bool first_parent, retry, again, no_build, dry_run, json;
	long every, parallel;
	const char *processors;
};

static const struct rarog_option options[] = {
	RAROG_OPT_GROUP("What is run"),
	RAROG_OPT_STRINGS('c', "cmd", struct args, job.commands, "COMMAND",
			  "the program, with or without arguments; may be repeated, like all of "
			  "these"),
	RAROG_OPT_STRINGS('a', "args", struct args, job.arguments, "ARGUMENTS", "its arguments"),
	RAROG_OPT_STRINGS('w', "workload", struct args, job.workloads, "WORKLOAD",
			  "its last argument, or a generator of .rarog.yml"),
	RAROG_OPTION_CHOICE(struct args, job.choice,
			    "use only this value of a job's option; with -c: set it; may be "
			    "repeated"),
	RAROG_JOB_COLLECTOR_OPTIONS(struct args, job),
	RAROG_OPT_STRINGS(0, "build", struct args, job.build, "LINE",
			  "shell line that builds a version"),
	RAROG_OPT_STRINGS(0, "pre-run", struct args, job.pre_run, "LINE",
			  "shell line to run before every run"),
	RAROG_OPT_STRINGS(0, "post", struct args, job.post, "LINE",
			  "shell line to run after every profile ($RAROG_PROFILE)"),
	RAROG_OPT_GROUP("Which versions (default: the work tree as it is)"),
	RAROG_OPT_STRINGS(0, "commit", struct args, revisions, "REV|A..B",
			  "measure these commits, each built apart from the work tree; may be "
			  "repeated"),
	RAROG_OPT_INT(0, "every", struct args, every, "N", 1, 1000000,
		      "of a range, only every N-th commit, beginning with the newest"),
	RAROG_OPT_FLAG(0, "first-parent", struct args, first_parent,
		       "of a range, only the main line: no merged branches"),
	RAROG_OPT_STRINGS(0, "paths", struct args, paths, "PATH",
			  "of a range, only commits that touch PATH; may be repeated"),
	RAROG_OPT_GROUP("How"),
	RAROG_OPT_INT('r', "repeat", struct args, job.repeat, "N", 1, 100000,
		      "measure each job N times"),
	RAROG_OPT_INT(0, "warmup", struct args, job.warmup, "N", 0, 1000,
		      "first run each job N times without measuring"),
	RAROG_OPT_INT(0, "untraced", struct args, job.untraced, "N", 0, 1000,
		      "make N runs without probes before each measured run, to know what the "
		      "program itself takes"),
	RAROG_OPT_DURATION('t', "timeout", struct args, job.timeout_ns, "TIME",
			   "stop a program after TIME (30s, 2m)"),
	RAROG_OPT_INT('j', "parallel", struct args, parallel, "N", 1, 64,
		      "build N commits at once (default: 1)"),
	RAROG_OPT_STRING(0, "processors", struct args, processors, "LIST",
			 "where programs run: 1,3-5 or all (default: all but the first)"),
	RAROG_OPT_FLAG(0, "no-build", struct args, no_build,
		       "do not build the work tree: measure it as it is"),
	RAROG_OPT_FLAG(0, "no-submodules", struct args, job.no_submodules,
		       "build versions without their submodules, like submodules: no of 'build'"),
	RAROG_OPT_FLAG(0, "retry", struct args, retry,
		       "try versions again that are known not to build or to fail"),
	RAROG_OPT_FLAG(0, "again", struct args, again,
		       "measure also versions that are measured "
		       "already"),
	RAROG_OPT_FLAG('n', "dry-run", struct args, dry_run,
		       "say what would be done, and do nothing"),
	RAROG_OPT_FLAG(0, "json", struct args, json, "write the result as JSON"),
	RAROG_OPT_END,
};

static int check_operands(const struct args *args, int n, char **operands)
{
	if (n == 0 || (n == 1 && strcmp(operands[0], "matrix") == 0))
		return 0;
	if (strcmp(operands[0], "job") != 0)
		return rarog_fail(-EINVAL,
				  "'%s': expected job or matrix; versions are given with --commit",
				  operands[0]);
	if (n == 1 && args->job.commands.n == 0)
		return rarog_fail(-EINVAL, "which job? rarog run job NAME, or -c COMMAND");
	if (n > 1 && args->job.commands.n > 0)
		return rarog_fail(-EINVAL, "-c makes a job of its own; leave out '%s'",
				  operands[1]);
	return 0;
}

static int check(const struct args *args, int n, char **operands)
{
	if (args->revisions.n == 0 && (args->paths.n > 0 || args->every > 1 || args->first_parent))
		return rarog_fail(-EINVAL, "--every, --first-parent and --paths are for "
					   "--commit=A..B");
	if (args->revisions.n > 0 && args->no_build)
		return rarog_fail(-EINVAL, "--no-build is for the work tree, not for --commit");
	return check_operands(args, n, operands);
}

/* --- versions --- */

struct session {
	const struct rarog_context *context;
	struct args *args;
	int n_operands;
	char **operands;
	struct rarog_repository repository;
	struct rarog_settings *settings;
	struct rarog_run_spec spec;
	struct rarog_tasks tasks;
	struct rarog_versions versions;
	struct rarog_vcs_state state;
	struct rarog_scratch scratch;
	struct rarog_progress progress;
	const char *said; /* why the last version failed */
};

static void release(struct session *s)
{
	rarog_tasks_release(&s->tasks);
	rarog_run_spec_release(&s->spec);
	rarog_settings_free(s->settings);
	rarog_versions_release(&s->versions);
	rarog_vcs_state_release(&s->state);
	rarog_scratch_release(&s->scratch);
	rarog_repository_release(&s->repository);
}

/* The work tree: a version of its own only if there is a commit or a label. */
static int read_work_tree(struct session *s)
{
	struct rarog_commit commit = { 0 };
	int r = rarog_vcs_state(s->repository.vcs, true, &s->state);

	if (r == 0 && s->state.head)
		r = rarog_vcs_resolve(s->repository.vcs, s->state.head, &commit);
	if (r == 0 && rarog_vec_push(&s->versions.list, commit) < 0)
		r = rarog_oom();
	return r;
}

static int read_versions(struct session *s)
{
	const struct rarog_range range = {
		.revisions = &s->args->revisions,
		.paths = &s->args->paths,
		.first_parent = s->args->first_parent,
		.every = (uint64_t)s->args->every,
	};

	if (s->args->revisions.n > 0)
		return rarog_range_read(s->repository.vcs, &range, &s->versions);
	if (!rarog_vcs_root(s->repository.vcs))
		return rarog_fail(-EINVAL,
				  "a bare repository has no work tree; say which versions: "
				  "--commit=HEAD");
	return read_work_tree(s);
}

/* --- running --- */

static void show_progress(uint64_t done, uint64_t total, void *user)
{
	struct session *s = user;

	(void)total;
	rarog_progress_update(&s->progress, done);
}

static void show_done(const struct rarog_run_row rows[], size_t n, void *user)
{
	struct session *s = user;

	if (s->args->json || s->context->quiet)
		return;
	rarog_progress_update(&s->progress, 0); /* gives the line back */
	rarog_run_say_version(&s->versions, &s->tasks, n, rows, &s->said, stdout);
}

/* Of versions, failures are results; of the work tree, or if nothing else came out, they are one
 * for us. */
static int exit_code(const struct rarog_schedule *schedule)
{
	struct rarog_run_tally tally;

	rarog_run_tally(schedule, &tally);
	if (tally.post_failed > 0)
		return RAROG_EXIT_FAILURE;
	if (tally.failed + tally.known == 0)
		return RAROG_EXIT_OK;
	if (schedule->options->in_place || tally.measured + tally.there == 0)
		return RAROG_EXIT_FAILURE;
	return RAROG_EXIT_OK;
}

static int report(struct session *s, const struct rarog_schedule *schedule, int r)
{
	if (r < 0 && r != -ECANCELED)
		return r;
	if (s->args->json) {
		int written = rarog_run_json(schedule, stdout);

		if (written < 0)
			return written;
	}
	if (!s->context->quiet)
		rarog_run_say_summary(schedule, r == -ECANCELED, stderr);
	if (r == -ECANCELED)
		return RAROG_EXIT_SIGNAL + (rarog_stop_signal() ? rarog_stop_signal() : 2);
	return exit_code(schedule);
}

/* House-keeping: what was measured is kept, whatever becomes of it. */
static void tidy(struct session *s)
{
	int r = rarog_store_repack_after(s->repository.store, PACK_AFTER);

	if (r < 0)
		rarog_debug(RAROG_LOG_STORE, "not packed: %s", rarog_error_message());
	rarog_error_clear();
}

/* Configurations of a job differ in the middle of long lines, which a narrow table cuts. */
static int plan_width(const struct session *s)
{
	for (size_t i = 0; i < s->tasks.list.n; i++)
		if (s->tasks.list.v[i].job.configuration && *s->tasks.list.v[i].job.configuration)
			return 0;
	return isatty(STDOUT_FILENO) ? s->context->width : 0;
}

static int run_schedule(struct session *s, struct rarog_schedule *schedule)
{
	int r = rarog_schedule_plan(schedule);

	if (r < 0)
		return r;
	if (s->args->dry_run && s->args->json)
		return rarog_run_json(schedule, stdout);
	if (s->args->dry_run)
		return rarog_run_say_plan(schedule, stdout, plan_width(s), s->context->colour);
	rarog_progress_start(&s->progress, "measuring", "runs", schedule->runs_total,
			     s->context->quiet);
	r = rarog_schedule_run(schedule);
	rarog_progress_finish(&s->progress);
	r = report(s, schedule, r);
	if (r >= 0 && r < RAROG_EXIT_SIGNAL)
		tidy(s);
	return r;
}

static int schedule(struct session *s)
{
	const struct rarog_schedule_options how = {
		.again = s->args->again,
		.retry = s->args->retry,
		.no_build = s->args->no_build,
		.in_place = s->args->revisions.n == 0,
		.parallel = (size_t)s->args->parallel,
		.seed = (uint64_t)1,
		.processors = s->args->processors,
		.machine_class = rarog_settings_text(s->settings, "machine.class"),
		.state = &s->state,
		.max_build_bytes = rarog_settings_size(s->settings, "gc.max-builds"),
		.done = show_done,
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
	int r = run_schedule(s, &schedule);

	rarog_schedule_release(&schedule);
	return r;
}

/* Of each version that was measured, or of the work tree. -errno: one could not be made. */
static int make_models(struct session *s)
{
	struct rarog_model_jobs jobs = {
		.context = s->context,
		.spec = &s->spec,
		.n = s->n_operands > 1 ? (size_t)s->n_operands - 1 : 0,
		.names = (const char *const *)s->operands + 1,
		.is_quiet = s->context->quiet || s->args->json,
	};
	static const char *const matrix[] = { NULL };
	int r = 0;

	if (s->n_operands == 1) { /* "matrix" */
		jobs.n = 1;
		jobs.names = matrix;
	}
	if (s->args->revisions.n == 0)
		return rarog_model_jobs_run(&jobs);
	for (size_t i = 0; r == 0 && i < s->versions.list.n; i++) {
		jobs.version = s->versions.list.v[i].name;
		r = rarog_model_jobs_run(&jobs);
	}
	return r;
}

static int open_all(struct session *s)
{
	const struct rarog_store_options store = { .read_only = s->args->dry_run };
	int r = rarog_repository_open(NULL, &store, &s->repository);

	if (r == 0)
		r = rarog_settings_open_of(s->repository.vcs, s->context->settings, &s->settings);
	if (r == 0)
		r = rarog_job_spec_read(&s->args->job, s->settings, &s->spec);
	if (r == 0)
		r = rarog_model_jobs_check(&s->spec);
	if (r < 0)
		return r;
	if (s->args->dry_run)
		return read_versions(s);
	if (rarog_store_is_read_only(s->repository.store))
		return rarog_fail(-EROFS, "%s: cannot be written: nothing can be kept there",
				  rarog_store_path(s->repository.store));
	r = rarog_scratch_clean(&s->repository);
	if (r == 0)
		r = read_versions(s);
	return r < 0 ? r : rarog_scratch_make(&s->repository, &s->scratch);
}

/* "job NAME…", "matrix", or nothing: all. */
static int make_tasks(struct session *s, const struct rarog_generator_place *place)
{
	const char *const matrix = NULL;
	bool is_matrix = s->n_operands == 1 && strcmp(s->operands[0], "matrix") == 0;
	size_t n = s->n_operands > 1 ? (size_t)s->n_operands - 1 : 0;

	if (is_matrix)
		return rarog_job_tasks(&s->spec, 1, &matrix, place, &s->tasks);
	return rarog_job_tasks(&s->spec, n, (const char *const *)s->operands + (n > 0), place,
			       &s->tasks);
}

static int run_session(struct session *s)
{
	struct rarog_generator_place place;
	int r;

	rarog_stop_watch();
	r = open_all(s);
	if (r < 0)
		return r;
	place = (struct rarog_generator_place){
		.directory = s->scratch.path,
		.root = rarog_vcs_root(s->repository.vcs),
	};
	r = make_tasks(s, &place);
	if (r == 0)
		r = schedule(s);
	if (r != RAROG_EXIT_OK || s->args->dry_run)
		return r;
	return make_models(s) < 0 || s->spec.refused.n > 0 ? RAROG_EXIT_FAILURE : r;
}

static int run(const struct rarog_context *context, int argc, char **argv)
{
	struct args args = { .job = RAROG_JOB_OPTIONS_DEFAULT, .every = 1, .parallel = 1 };
	struct session session = { .context = context,
				   .args = &args,
				   .scratch = RAROG_SCRATCH_NONE };
	int first = rarog_options_parse(options, argc, argv, false, &args), r = first;

	if (r >= 0)
		r = check(&args, argc - first, argv + first);
	r = r < 0 ? rarog_usage_error(r) : rarog_option_choice_read(&args.job.choice);
	session.n_operands = argc - first;
	session.operands = argv + first;
	if (r == 0)
		r = run_session(&session);
	release(&session);
	rarog_option_choice_release(&args.job.choice);
	rarog_options_release(options, &args);
	return r;
}

const struct rarog_command rarog_cmd_run = {
	.name = "run",
	.summary = "build, run and measure jobs, here or over a range of commits",
	.usage = "[job NAME…|matrix] [OPTION…]",
	.description =
		"Runs the jobs of .rarog.yml, or the one that -c, -a and -w describe, and keeps a "
		"profile of each run with the version that was measured. 'matrix' and 'job NAME' "
		"choose some of the jobs. doc/howto/run-jobs.md says what a job consists of.\n\n"
		"Without --commit, the work tree is built and measured. With --commit, each commit "
		"is checked out and built in a directory of its own; the work tree, the index and "
		"the stash are not touched. Builds are kept and used again for the same tree, "
		"build lines and compilers. A version that was measured already, by the same job "
		"on the same class of machine, is not measured again. So rarog run goes on where "
		"it was if it was interrupted or killed and is started again. A commit that does "
		"not build, or whose run fails, is recorded as such, and tried again only with "
		"--retry.\n\n"
		"Several builds may run at a time. Only one run is measured at a time, while "
		"nothing is built, on processors of its own.\n\n"
		"Exit status:\n"
		"    0  all jobs are measured; with --commit, failures are results, too\n"
		"    2  wrong usage\n"
		"    3  rarog failed, a job of the work tree failed, or no commit could be "
		"measured\n"
		"    128+N  interrupted by signal N; what was measured is kept",
	.examples = "rarog run\n"
		    "rarog run job parse --repeat 5\n"
		    "rarog run -c ./prog -a -v -w small.txt -w big.txt\n"
		    "rarog run matrix --commit v1.0..main --first-parent --every 10\n"
		    "rarog run --commit HEAD~3 --commit HEAD --build 'make -j2' -c ./prog\n"
		    "rarog run --commit main~50..main --dry-run",
	.options = options,
	.run = run,
};
