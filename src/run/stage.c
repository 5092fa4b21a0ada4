/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/layout.h"
#include "run/shell.h"
#include "run/splitmix.h"

#define PADDING_MOST 4096u /* a page: where in it a stack begins is what matters */

bool rarog_stage_is_in_series(const struct rarog_stage *stage)
{
	return stage->round && stage->round->series;
}

static int set_variables(const struct rarog_words *variables)
{
	for (size_t i = 0; i < variables->list.n; i++)
		if (putenv(variables->list.v[i]) != 0)
			return rarog_oom();
	return 0;
}

int rarog_stage_environment(const struct rarog_stage *stage)
{
	int r = rarog_shell_environment(rarog_store_path(stage->bench->store));

	return r < 0 ? r : set_variables(&stage->task->environment);
}

int rarog_stage_lay_out(const struct rarog_stage *stage)
{
	const char *program = stage->task->words.list.v[0];

	if (stage->subject->state || !strchr(program, '/'))
		return 0;
	if (!rarog_stage_is_in_series(stage))
		return rarog_layout_restore(program);
	if (stage->round->beside)
		return stage->round->is_laid_out;
	return rarog_layout_draw(stage->subject->directory, program, stage->bench->scratch,
				 stage->round->seed);
}

int rarog_stage_pre_run(const struct rarog_stage *stage)
{
	return rarog_shell_run("pre-run", &stage->task->matrix->pre_run);
}

static int pad(uint64_t seed)
{
	struct rarog_splitmix random = rarog_splitmix_stream(seed, 1);
	char padding[PADDING_MOST + 1] = "";

	memset(padding, 'x', 1 + rarog_splitmix_below(&random, PADDING_MOST - 1));
	return setenv("RAROG_PADDING", padding, 1) < 0 ? rarog_oom() : 0;
}

static int open_input(const struct rarog_stage *stage)
{
	const struct rarog_workload *workload = rarog_task_workload(stage->tasks, stage->task);
	rarog_cleanup(rarog_closep) int fd = -1;
	struct stat status;

	if (stage->task->matrix->way != RAROG_WORKLOAD_STDIN || !*workload->name)
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

int rarog_stage_enter(const struct rarog_stage *stage)
{
	int r = 0;

	if (chdir(stage->subject->directory) < 0)
		return rarog_fail_errno("%s: cannot enter", stage->subject->directory);
	if (rarog_stage_is_in_series(stage))
		r = pad(stage->round->seed);
	return r < 0 ? r : open_input(stage);
}

int rarog_stage_drop_output(void)
{
	rarog_cleanup(rarog_closep) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return rarog_fail_errno("/dev/null: cannot open");
	return 0;
}

static void keep_out_of_the_way(const struct rarog_processors *processors,
				struct rarog_command_line *command)
{
	if (!processors->is_pinned)
		return;
	command->processors = &processors->program;
	if (CPU_COUNT(&processors->rest) > 0)
		sched_setaffinity(0, sizeof(processors->rest), &processors->rest);
}

void rarog_stage_command(const struct rarog_stage *stage, struct rarog_command_line *command)
{
	rarog_command_line_init(command, stage->task->words.list.v);
	command->children.sa_handler = SIG_DFL; /* how rarog was started is no part of a job */
	command->timeout_ns = stage->task->matrix->timeout_ns;
	keep_out_of_the_way(stage->bench->processors, command);
}

int rarog_stage_status(const struct rarog_run_result *result)
{
	return WIFSIGNALED(result->wait_status) ? 128 + WTERMSIG(result->wait_status)
						: WEXITSTATUS(result->wait_status);
}

bool rarog_stage_is_allowed(const struct rarog_run_result *result, void *user)
{
	const struct rarog_matrix *matrix = user;
	int status = rarog_stage_status(result);

	if (result->timed_out)
		return false;
	for (size_t i = 0; i < matrix->statuses.n; i++)
		if (matrix->statuses.v[i] == status)
			return true;
	return matrix->statuses.n == 0 && status == 0;
}
