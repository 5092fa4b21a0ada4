/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worker prepares and measures and writes a file; we register it. What the program prints on
 * standard output is dropped, its errors are kept for the case that it fails.
 */
#include "run/measure.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "process/untraced.h"
#include "run/beside.h"
#include "run/log-file.h"
#include "run/opened.h"
#include "run/outside.h"
#include "run/shell.h"
#include "run/techniques.h"
#include "store/record.h"

/* What the worker needs. */
struct run {
	struct rarog_stage stage;
	bool is_first;
	char *output;
	struct rarog_conditions before;
	struct rarog_beside beside;
	struct rarog_opened opened;
	struct rarog_words outside; /* what it names elsewhere */
	bool is_laid_out;
	int warnings; /* file that gets them */
};

/* What it answers. */
struct answer {
	bool is_prepared; /* else .code of the guard is of the preparation */
	struct rarog_collected measured;
};

/* Runs without probes that were made before. */
static const struct rarog_beside *given(const struct run *run)
{
	return run->stage.round ? run->stage.round->beside : NULL;
}

/* --- the header --- */

static void write_round(struct rarog_json *json, const struct run *run)
{
	if (!rarog_stage_is_in_series(&run->stage))
		return;
	rarog_json_object(json, "round");
	rarog_json_string(json, "series", run->stage.round->series);
	rarog_json_uint(json, "number", run->stage.round->number);
	rarog_json_bool(json, "linked_anew", run->is_laid_out);
	rarog_json_bool(json, "at_once", run->stage.round->is_at_once);
	if (run->stage.round->in_turn)
		rarog_json_string(json, "in_turn", run->stage.round->in_turn);
	rarog_json_end_object(json);
}

/* Measured in a work tree that has changes, or in a copy of one. */
static bool is_dirty(const struct rarog_run_subject *subject)
{
	return subject->commit->changed_tree || (subject->state && subject->state->is_dirty);
}

static void describe(struct rarog_json *json, void *user)
{
	struct run *run = user;
	const struct rarog_run_subject *subject = run->stage.subject;
	const struct rarog_workload *workload =
		rarog_task_workload(run->stage.tasks, run->stage.task);
	struct rarog_conditions after;

	rarog_conditions_read(&after);
	if (subject->commit->name) {
		rarog_json_string(json, subject->is_git ? "commit" : "version",
				  subject->commit->name);
		rarog_json_bool(json, "dirty", is_dirty(subject));
	}
	if (subject->commit->tree)
		rarog_json_string(json, "tree", subject->commit->tree);
	if (subject->state && subject->state->diff)
		rarog_json_string(json, "diff", subject->state->diff);
	else if (subject->commit->diff)
		rarog_json_string(json, "diff", subject->commit->diff);
	rarog_job_write(json, &run->stage.task->job);
	if (*workload->name)
		rarog_workload_write(json, workload);
	rarog_machine_write(json, "machine", run->stage.bench->machine);
	rarog_conditions_write(json, "conditions", &run->before, &after);
	rarog_beside_write(json, given(run) ? given(run) : &run->beside);
	write_round(json, run);
	rarog_opened_write(json, &run->opened);
}

/* --- the worker --- */

/* What is read here is what the program is given. */
static int prepare_input(struct run *run)
{
	const struct rarog_stage *stage = &run->stage;
	int r = rarog_outside_names(stage->task, stage->subject->directory, &run->outside);

	if (r == 0)
		r = rarog_opened_watch(stage->subject->directory, &run->outside, &run->opened);
	if (r == 0)
		r = rarog_stage_pre_run(stage);
	if (r == 0)
		r = rarog_stage_enter(stage);
	return r < 0 ? r : rarog_opened_pause(&run->opened);
}

static int prepare(struct run *run, struct rarog_command_line *command)
{
	const struct rarog_stage *stage = &run->stage;
	int r = rarog_stage_environment(stage);

	if (r == 0)
		r = rarog_stage_lay_out(stage);
	run->is_laid_out = r > 0;
	r = r < 0 ? r : prepare_input(run);
	if (r == 0)
		r = rarog_stage_drop_output();
	rarog_stage_command(stage, command);
	return r;
}

static bool accept_any(const struct rarog_run_result *run, void *user)
{
	(void)run;
	(void)user;
	return true;
}

static int warm_up(const struct run *run, const struct rarog_command_line *command)
{
	int64_t n = run->is_first && !given(run) ? run->stage.task->matrix->warmup : 0;
	struct rarog_beside ignored = { 0 };
	int r = rarog_beside_run(command, n, accept_any, NULL, &ignored);

	rarog_beside_release(&ignored);
	return r;
}

/* A program that fails without probes is not run with them. Return: 1: it failed; 0, -errno. */
static int run_beside(struct run *run, const struct rarog_command_line *command,
		      struct rarog_run_result *ret_failed)
{
	void *matrix = (void *)(uintptr_t)run->stage.task->matrix;
	struct rarog_beside *beside = &run->beside;
	int r = given(run) ? 0
			   : rarog_beside_run(command, run->stage.task->matrix->untraced,
					      rarog_stage_is_allowed, matrix, beside);

	if (r < 0 || beside->runs.n == 0)
		return r;
	*ret_failed = beside->runs.v[beside->runs.n - 1];
	return !rarog_stage_is_allowed(ret_failed, matrix);
}

/* --- techniques of the job --- */

/* The store and the version system are opened anew: those of the parent are its own. */
struct optimized {
	struct rarog_techniques techniques;
	struct rarog_store *store;
	struct rarog_vcs *vcs;
	char *argv[3];
};

static void optimized_release(struct optimized *o)
{
	rarog_techniques_release(&o->techniques);
	rarog_store_free(o->store);
	rarog_vcs_free(o->vcs);
}

static int open_again(const struct run *run, struct optimized *o)
{
	const struct rarog_run_subject *subject = run->stage.subject;
	struct rarog_technique_stats *stats = &o->techniques.stats;
	int r = rarog_store_open(rarog_store_path(run->stage.bench->store), NULL, &o->store);

	if (r == 0)
		r = rarog_vcs_open(run->stage.bench->root,
				   subject->is_git ? RAROG_VCS_GIT : RAROG_VCS_PLAIN, &o->vcs);
	stats->store = o->store;
	stats->vcs = o->vcs;
	stats->version = subject->commit->name;
	stats->is_changed = is_dirty(subject);
	stats->root = subject->directory;
	stats->given_class = run->stage.bench->machine->given_class;
	return r;
}

/* A job is known by what the user wrote: what is run has paths of the moment. */
static int begin_techniques(const struct run *run, struct optimized *o)
{
	const struct rarog_run_task *task = run->stage.task;
	struct rarog_techniques *t = &o->techniques;
	int r;

	t->options = &task->collector->parameters.optimize;
	r = rarog_techniques_begin(t);
	if (r < 0 || !rarog_optimizer_is_on(&t->optimizer))
		return r;
	o->argv[0] = task->job.command;
	o->argv[1] = *task->job.arguments ? task->job.arguments : NULL;
	t->stats.argv = o->argv;
	t->stats.workload = task->job.workload;
	t->stats.configuration = task->job.configuration;
	r = open_again(run, o);
	return r < 0 ? r : rarog_techniques_look(t);
}

static void adapt(void *techniques, const struct rarog_engine *engine, struct rarog_plan *plan)
{
	rarog_techniques_plan(techniques, engine, plan);
}

/* The run counts, whatever becomes of what it has taught. */
static void end_techniques(const struct run *run, struct optimized *o)
{
	if (rarog_techniques_keep(&o->techniques, run->output) == 0)
		return;
	rarog_warn("what this run says of functions is not kept: %s", rarog_error_message());
	rarog_error_clear();
}

static int collect(const struct run *run, const struct rarog_trace_options *trace,
		   struct rarog_collected *ret_collected)
{
	rarog_cleanup(optimized_release) struct optimized optimized = { 0 };
	struct rarog_trace_options options = *trace;
	void *matrix = (void *)(uintptr_t)run->stage.task->matrix;
	int r = begin_techniques(run, &optimized);

	options.adapt = adapt;
	options.adapter = &optimized.techniques;
	if (r == 0)
		r = rarog_run_collector_measure(run->stage.task->collector, &options,
						ret_collected);
	optimized.techniques.stats.allows_status =
		r >= 0 && rarog_stage_is_allowed(&ret_collected->run, matrix);
	if (r >= 0)
		end_techniques(run, &optimized);
	return r;
}

static int work(void *user, struct rarog_str *reply)
{
	struct run *run = user;
	struct rarog_command_line command;
	struct answer answer = { 0 };
	const struct rarog_trace_options options = {
		.command = &command,
		.output = run->output,
		.describe = describe,
		.user = run,
	};
	int r = prepare(run, &command);

	command.counters = &run->stage.task->collector->requests;
	if (r == 0)
		r = warm_up(run, &command);
	if (r == 0) {
		rarog_conditions_read(&run->before);
		answer.is_prepared = true;
		r = run_beside(run, &command, &answer.measured.run);
	}
	if (r == 0 && answer.is_prepared)
		r = rarog_opened_watch(run->stage.subject->directory, &run->outside, &run->opened);
	rarog_log_record_warnings(run->warnings);
	if (r == 0 && answer.is_prepared)
		r = collect(run, &options, &answer.measured);
	rarog_log_record_warnings(-1);
	rarog_beside_release(&run->beside);
	rarog_opened_release(&run->opened);
	rarog_words_release(&run->outside);
	rarog_str_add_bytes(reply, sizeof(answer), (const char *)&answer);
	return r < 0 ? r : 0;
}

/* --- waiting --- */

int rarog_run_wait(struct rarog_guard *guard, int (*tick)(void *user), void *user,
		   struct rarog_guard_end *ret_end)
{
	struct rarog_guard *const guards[] = { guard };

	while (rarog_guards_wait(1, guards) < 0)
		if (tick(user) != 0)
			rarog_guard_stop(guard);
	return rarog_guard_finish(guard, ret_end);
}

/* --- judging --- */

static enum rarog_outcome judge_failure(const struct answer *answer, bool is_answered)
{
	if (!is_answered || (answer->is_prepared && answer->measured.run.launch_error == 0))
		return RAROG_OUTCOME_NOT_COLLECTED;
	return RAROG_OUTCOME_NOT_RUN;
}

static void judge_run(const struct run *run, const struct rarog_run_result *result,
		      struct rarog_run_outcome *outcome)
{
	outcome->status = rarog_stage_status(result);
	outcome->wall_ns = result->wall_ns;
	outcome->outcome = RAROG_OUTCOME_MEASURED;
	if (result->timed_out) {
		outcome->outcome = RAROG_OUTCOME_TIMED_OUT;
		snprintf(outcome->message, sizeof(outcome->message),
			 "stopped after its time limit");
	} else if (!rarog_stage_is_allowed(result, (void *)(uintptr_t)run->stage.task->matrix)) {
		outcome->outcome = RAROG_OUTCOME_FAILED;
		snprintf(outcome->message, sizeof(outcome->message),
			 WIFSIGNALED(result->wait_status) ? "killed by signal %d"
							  : "ended with status %d",
			 WIFSIGNALED(result->wait_status) ? WTERMSIG(result->wait_status)
							  : outcome->status);
	}
}

static int judge(const struct run *run, const struct rarog_guard_end *end,
		 struct rarog_run_outcome *outcome)
{
	struct answer answer = { 0 };
	bool is_answered = end->n_reply == sizeof(answer);

	if (end->code == -ECANCELED)
		return end->code;
	if (is_answered)
		memcpy(&answer, end->reply, sizeof(answer));
	outcome->status = -1;
	outcome->calls = answer.measured.calls;
	outcome->lost = answer.measured.lost;
	outcome->untraced = answer.measured.untraced;
	outcome->profile_bytes = answer.measured.profile_bytes;
	if (end->code == -ENOSPC || end->code == -EROFS || end->code == -ENOMEM)
		return end->code; /* nothing that a commit could do about */
	if (end->code < 0) {
		outcome->outcome = judge_failure(&answer, is_answered);
		snprintf(outcome->message, sizeof(outcome->message), "%s", rarog_error_message());
		return 0;
	}
	judge_run(run, &answer.measured.run, outcome);
	return 0;
}

/* --- keeping --- */

static int keep_profile(const struct run *run, struct rarog_run_outcome *outcome)
{
	const struct rarog_commit *commit = run->stage.subject->commit;
	struct rarog_record_options options = {
		.commit = commit->name ? commit : NULL,
	};
	int64_t id = 0;
	int r = rarog_record_add(run->stage.bench->store, run->output, &options, &id,
				 &outcome->profile);

	return r < 0 ? r : 0;
}

static int work_post(void *user, struct rarog_str *reply)
{
	const struct rarog_run_task *task = user;

	(void)reply;
	return rarog_shell_run("post", &task->matrix->post);
}

/* The commands find the profile's file and hash in their environment. */
static int run_post(const struct run *run, int (*tick)(void *user), void *user,
		    struct rarog_run_outcome *outcome)
{
	rarog_cleanup(rarog_freep) char *path = NULL;
	struct rarog_guard_options options = {
		.work = work_post,
		.user = (void *)(uintptr_t)run->stage.task,
		.directory = run->stage.bench->root,
		.log = STDERR_FILENO,
		.input = -1,
	};
	struct rarog_guard guard;
	struct rarog_guard_end end = { 0 };
	int r;

	if (run->stage.task->matrix->post.n == 0)
		return 0;
	r = rarog_record_path(run->stage.bench->store, &outcome->profile, &path);
	if (r < 0)
		return r;
	setenv("RAROG_PROFILE", path, 1);
	setenv("RAROG_PROFILE_HASH", rarog_hash_hex(&outcome->profile).text, 1);
	r = rarog_guard_start(&options, &guard);
	if (r == 0)
		r = rarog_run_wait(&guard, tick, user, &end);
	free(end.reply);
	if (r < 0 || end.code == -ECANCELED)
		return r < 0 ? r : end.code;
	outcome->post_failed = end.code < 0;
	if (end.code < 0)
		snprintf(outcome->message, sizeof(outcome->message), "%s", rarog_error_message());
	return 0;
}

/* Where the engine does not work the version is not to blame: it is tried again. */
static bool lacks_engine(const struct run *run, const struct rarog_run_outcome *outcome)
{
	int r = outcome->outcome == RAROG_OUTCOME_NOT_COLLECTED
			? rarog_run_collector_able(run->stage.task->collector)
			: 0;

	rarog_error_clear();
	return r < 0;
}

/* A failure of the program is a fact about the version, and recorded as one. */
static int keep_attempt(const struct run *run, int log, struct rarog_run_outcome *outcome)
{
	const struct rarog_run_subject *subject = run->stage.subject;
	struct rarog_attempt attempt = {
		.version = subject->commit->name,
		.tree = subject->commit->tree,
		.job = &run->stage.task->job,
		.machine = run->stage.bench->machine,
		.outcome = outcome->outcome,
		.status = outcome->status,
		.message = outcome->message,
	};
	int r = 0;

	if (outcome->outcome != RAROG_OUTCOME_MEASURED)
		r = rarog_log_file_keep(log, rarog_store_objects(run->stage.bench->store),
					&outcome->log);
	attempt.log = outcome->log;
	if (r == 0 && subject->commit->name && !is_dirty(subject) && !lacks_engine(run, outcome))
		r = rarog_attempt_put(run->stage.bench->store, &attempt);
	return r;
}

static int start(struct run *run, int log, struct rarog_guard *guard)
{
	struct rarog_guard_options options = {
		.work = work,
		.user = run,
		.directory = run->stage.subject->directory,
		.log = log,
		.input = -1,
	};

	return rarog_guard_start(&options, guard);
}

/* Of a program that failed: what it said last. */
static void add_reason(int log, struct rarog_run_outcome *outcome)
{
	size_t n = strlen(outcome->message);
	char last[256];

	rarog_log_file_last(log, sizeof(last), last);
	if (*last)
		snprintf(outcome->message + n, sizeof(outcome->message) - n, ": %s", last);
}

/* The worker's own lines would go where the program's do. */
static void read_warnings(const struct run *run, struct rarog_run_outcome *outcome)
{
	ssize_t n = pread(run->warnings, outcome->warnings, sizeof(outcome->warnings) - 1, 0);

	outcome->warnings[n > 0 ? n : 0] = '\0';
}

static void unlinkp(char **path)
{
	if (*path)
		unlink(*path);
	free(*path);
}

int rarog_run_measure(const struct rarog_run_bench *bench, const struct rarog_run_subject *subject,
		      const struct rarog_tasks *tasks, const struct rarog_run_task *task,
		      bool is_first, const struct rarog_run_round *round, int (*tick)(void *user),
		      void *user, struct rarog_run_outcome *ret_outcome)
{
	rarog_cleanup(unlinkp) char *output = rarog_asprintf("%s/profile.rarog", bench->scratch);
	rarog_cleanup(rarog_closep) int log = rarog_log_file_open(bench->scratch);
	rarog_cleanup(rarog_closep) int warnings = memfd_create("warnings", MFD_CLOEXEC);
	struct run run = {
		.stage = { bench, subject, tasks, task, round },
		.is_first = is_first,
		.output = output,
		.warnings = warnings,
	};
	struct rarog_run_outcome outcome = { 0 };
	struct rarog_guard_end end = { 0 };
	struct rarog_guard guard;
	int r = output ? (log < 0 ? log : start(&run, log, &guard)) : rarog_oom();

	if (r == 0)
		r = rarog_run_wait(&guard, tick, user, &end);
	if (r == 0)
		r = judge(&run, &end, &outcome);
	if (r == 0 && outcome.outcome == RAROG_OUTCOME_FAILED)
		add_reason(log, &outcome);
	read_warnings(&run, &outcome);
	free(end.reply);
	if (r == 0 && outcome.outcome != RAROG_OUTCOME_MEASURED)
		r = rarog_disk_is_full(bench->scratch);
	if (r == 0 && outcome.outcome == RAROG_OUTCOME_MEASURED)
		r = keep_profile(&run, &outcome);
	if (r == 0)
		r = keep_attempt(&run, log, &outcome);
	if (r == 0 && outcome.outcome == RAROG_OUTCOME_MEASURED)
		r = run_post(&run, tick, user, &outcome);
	if (r == 0)
		*ret_outcome = outcome;
	return r;
}
