/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worker prepares and measures and writes a file; we register it. What the program prints on
 * standard output is dropped, its errors are kept for the case that it fails.
 */
#include "run/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "collect/untraced.h"
#include "run/beside.h"
#include "run/layout.h"
#include "run/log-file.h"
#include "run/shell.h"
#include "run/splitmix.h"
#include "store/record.h"

/* What the worker needs. */
struct run {
	const struct rarog_run_bench *bench;
	const struct rarog_run_subject *subject;
	const struct rarog_tasks *tasks;
	const struct rarog_task *task;
	bool is_first;
	const struct rarog_run_round *round;
	char *output;
	struct rarog_conditions before;
	struct rarog_beside beside;
	bool is_laid_out;
};

/* What it answers. */
struct answer {
	bool is_prepared; /* else .code of the guard is of the preparation */
	struct rarog_measured measured;
};

/* --- the header --- */

static bool is_in_series(const struct run *run)
{
	return run->round && run->round->series;
}

static void write_round(struct rarog_json *json, const struct run *run)
{
	if (!is_in_series(run))
		return;
	rarog_json_object(json, "round");
	rarog_json_string(json, "series", run->round->series);
	rarog_json_uint(json, "number", run->round->number);
	rarog_json_bool(json, "linked_anew", run->is_laid_out);
	rarog_json_end_object(json);
}

static void describe(struct rarog_json *json, void *user)
{
	const struct run *run = user;
	const struct rarog_run_subject *subject = run->subject;
	const struct rarog_workload *workload = rarog_task_workload(run->tasks, run->task);
	struct rarog_conditions after;

	rarog_conditions_read(&after);
	if (subject->commit->name) {
		rarog_json_string(json, subject->is_git ? "commit" : "version",
				  subject->commit->name);
		rarog_json_bool(json, "dirty", subject->state && subject->state->is_dirty);
	}
	if (subject->commit->tree)
		rarog_json_string(json, "tree", subject->commit->tree);
	if (subject->state && subject->state->diff)
		rarog_json_string(json, "diff", subject->state->diff);
	rarog_job_write(json, &run->task->job);
	if (*workload->name)
		rarog_workload_write(json, workload);
	rarog_machine_write(json, "machine", run->bench->machine);
	rarog_conditions_write(json, "conditions", &run->before, &after);
	rarog_beside_write(json, &run->beside);
	write_round(json, run);
}

/* --- the worker --- */

static int set_variables(const struct rarog_strings *variables)
{
	for (size_t i = 0; i < variables->n; i++)
		if (putenv((char *)(uintptr_t)variables->v[i]) != 0)
			return rarog_oom();
	return 0;
}

#define PADDING_MOST 4096u /* a page: where in it a stack begins is what matters */

static int pad(uint64_t seed)
{
	struct rarog_splitmix random = rarog_splitmix_stream(seed, 1);
	char padding[PADDING_MOST + 1] = "";

	memset(padding, 'x', 1 + rarog_splitmix_below(&random, PADDING_MOST - 1));
	return setenv("RAROG_PADDING", padding, 1) < 0 ? rarog_oom() : 0;
}

/* Only of builds that are ours; a program of PATH belongs to somebody else. */
static int lay_out(struct run *run)
{
	const char *program = run->task->words.list.v[0];
	bool is_ours = !run->subject->state && strchr(program, '/');
	int r;

	if (is_ours && !is_in_series(run))
		return rarog_layout_restore(program);
	r = is_ours ? rarog_layout_draw(run->subject->directory, program, run->bench->scratch,
					run->round->seed)
		    : 0;
	run->is_laid_out = r > 0;
	return r < 0 ? r : 0;
}

static int open_input(const struct run *run)
{
	const struct rarog_workload *workload = rarog_task_workload(run->tasks, run->task);
	rarog_cleanup(rarog_closep) int fd = -1;
	struct stat status;

	if (run->task->matrix->way != RAROG_WORKLOAD_STDIN || !*workload->name)
		return 0;
	if (stat(workload->text, &status) == 0 && S_ISFIFO(status.st_mode))
		return rarog_fail(-EINVAL,
				  "%s: a pipe can be read once only; the workload must be a file",
				  workload->text);
	fd = open(workload->text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rarog_fail_errno("%s: cannot open the workload", workload->text);
	if (dup2(fd, STDIN_FILENO) < 0)
		return rarog_fail_errno("cannot redirect the input");
	return 0;
}

/* The log has the errors; the output is not looked at. */
static int drop_output(void)
{
	rarog_cleanup(rarog_closep) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return rarog_fail_errno("/dev/null: cannot open");
	return 0;
}

/* The program has its processors for itself, if there are others for us. */
static void keep_out_of_the_way(const struct rarog_processors *processors,
				struct rarog_command_line *command)
{
	if (!processors->is_pinned)
		return;
	command->processors = &processors->program;
	if (CPU_COUNT(&processors->rest) > 0)
		sched_setaffinity(0, sizeof(processors->rest), &processors->rest);
}

static int prepare(struct run *run, struct rarog_command_line *command)
{
	const struct rarog_matrix *matrix = run->task->matrix;
	int r = rarog_shell_environment(rarog_store_path(run->bench->store));

	if (r == 0)
		r = set_variables(&matrix->environment);
	if (r == 0 && is_in_series(run))
		r = pad(run->round->seed);
	if (r == 0)
		r = lay_out(run);
	if (r == 0)
		r = rarog_shell_run("pre-run", &matrix->pre_run);
	if (r == 0)
		r = open_input(run);
	if (r == 0)
		r = drop_output();
	rarog_command_line_init(command, run->task->words.list.v);
	command->timeout_ns = matrix->timeout_ns;
	keep_out_of_the_way(run->bench->processors, command);
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
	int64_t n = run->is_first ? run->task->matrix->warmup : 0;
	struct rarog_beside ignored = { 0 };
	int r = rarog_beside_run(command, n, accept_any, NULL, &ignored);

	rarog_beside_release(&ignored);
	return r;
}

static int exit_status(const struct rarog_run_result *result)
{
	return WIFSIGNALED(result->wait_status) ? 128 + WTERMSIG(result->wait_status)
						: WEXITSTATUS(result->wait_status);
}

static bool is_allowed(const struct rarog_run_result *result, void *user)
{
	const struct rarog_matrix *matrix = user;
	int status = exit_status(result);

	if (result->timed_out)
		return false;
	for (size_t i = 0; i < matrix->statuses.n; i++)
		if (matrix->statuses.v[i] == status)
			return true;
	return matrix->statuses.n == 0 && status == 0;
}

/* A program that fails without probes is not run with them. Return: 1: it failed; 0, -errno. */
static int run_beside(struct run *run, const struct rarog_command_line *command,
		      struct rarog_run_result *ret_failed)
{
	void *matrix = (void *)(uintptr_t)run->task->matrix;
	struct rarog_beside *beside = &run->beside;
	int r = rarog_beside_run(command, run->task->matrix->untraced, is_allowed, matrix, beside);

	if (r < 0 || beside->runs.n == 0)
		return r;
	*ret_failed = beside->runs.v[beside->runs.n - 1];
	return !is_allowed(ret_failed, matrix);
}

static int work(void *user, struct rarog_str *reply)
{
	struct run *run = user;
	struct rarog_command_line command;
	struct answer answer = { 0 };
	struct rarog_measurement measurement = {
		.collector = run->task->collector,
		.command = &command,
		.output = run->output,
		.describe = describe,
		.user = run,
	};
	int r = prepare(run, &command);

	if (r == 0)
		r = warm_up(run, &command);
	if (r == 0) {
		rarog_conditions_read(&run->before);
		answer.is_prepared = true;
		r = run_beside(run, &command, &answer.measured.run);
	}
	if (r == 0 && answer.is_prepared)
		r = run->task->collector->kind->measure(&measurement, &answer.measured);
	rarog_beside_release(&run->beside);
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
	outcome->status = exit_status(result);
	outcome->wall_ns = result->wall_ns;
	outcome->outcome = RAROG_OUTCOME_MEASURED;
	if (result->timed_out) {
		outcome->outcome = RAROG_OUTCOME_TIMED_OUT;
		snprintf(outcome->message, sizeof(outcome->message),
			 "stopped after its time limit");
	} else if (!is_allowed(result, (void *)(uintptr_t)run->task->matrix)) {
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
	const struct rarog_commit *commit = run->subject->commit;
	struct rarog_record_options options = {
		.commit = commit->name ? commit : NULL,
	};
	int64_t id = 0;
	int r = rarog_record_add(run->bench->store, run->output, &options, &id, &outcome->profile);

	return r < 0 ? r : 0;
}

static int work_post(void *user, struct rarog_str *reply)
{
	const struct rarog_task *task = user;

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
		.user = (void *)(uintptr_t)run->task,
		.directory = run->bench->root,
		.log = STDERR_FILENO,
		.input = -1,
	};
	struct rarog_guard guard;
	struct rarog_guard_end end = { 0 };
	int r;

	if (run->task->matrix->post.n == 0)
		return 0;
	r = rarog_record_path(run->bench->store, &outcome->profile, &path);
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

/* A failure of the program is a fact about the version, and recorded as one. */
static int keep_attempt(const struct run *run, int log, struct rarog_run_outcome *outcome)
{
	const struct rarog_run_subject *subject = run->subject;
	struct rarog_attempt attempt = {
		.version = subject->commit->name,
		.tree = subject->commit->tree,
		.job = &run->task->job,
		.machine = run->bench->machine,
		.outcome = outcome->outcome,
		.status = outcome->status,
		.message = outcome->message,
	};
	int r = 0;

	if (outcome->outcome != RAROG_OUTCOME_MEASURED)
		r = rarog_log_file_keep(log, rarog_store_objects(run->bench->store), &outcome->log);
	attempt.log = outcome->log;
	if (r == 0 && subject->commit->name && !(subject->state && subject->state->is_dirty))
		r = rarog_attempt_put(run->bench->store, &attempt);
	return r;
}

static int start(struct run *run, int log, struct rarog_guard *guard)
{
	struct rarog_guard_options options = {
		.work = work,
		.user = run,
		.directory = run->subject->directory,
		.log = log,
		.input = -1,
	};

	return rarog_guard_start(&options, guard);
}

static void unlinkp(char **path)
{
	if (*path)
		unlink(*path);
	free(*path);
}

int rarog_run_measure(const struct rarog_run_bench *bench, const struct rarog_run_subject *subject,
		      const struct rarog_tasks *tasks, const struct rarog_task *task, bool is_first,
		      const struct rarog_run_round *round, int (*tick)(void *user), void *user,
		      struct rarog_run_outcome *ret_outcome)
{
	rarog_cleanup(unlinkp) char *output = rarog_asprintf("%s/profile.rarog", bench->scratch);
	rarog_cleanup(rarog_closep) int log = rarog_log_file_open(bench->scratch);
	struct run run = {
		.bench = bench,
		.subject = subject,
		.tasks = tasks,
		.task = task,
		.is_first = is_first,
		.round = round,
		.output = output,
	};
	struct rarog_run_outcome outcome = { 0 };
	struct rarog_guard_end end = { 0 };
	struct rarog_guard guard;
	int r = output ? (log < 0 ? log : start(&run, log, &guard)) : rarog_oom();

	if (r == 0)
		r = rarog_run_wait(&guard, tick, user, &end);
	if (r == 0)
		r = judge(&run, &end, &outcome);
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
