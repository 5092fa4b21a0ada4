/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tasks of the program, by ptrace: each gets a row of counters before its first instruction,
 * each program image its copies. The thread that starts does all of it.
 */
#ifndef RAROG_ENGINE_REWRITE_TASKS_H
#define RAROG_ENGINE_REWRITE_TASKS_H

#include "engine/request.h"
#include "engine/rewrite/handlers.h"
#include "engine/rewrite/image.h"
#include "engine/rewrite/samples.h"
#include "process/ignored.h"
#include "process/untraced.h"

struct rarog_rewrite_task {
	pid_t tid;
	struct rarog_rewrite_handlers handlers;
	struct rarog_rewrite_image *image; /* NULL: it is not measured */
	uint32_t row;
	bool is_inside;  /* of what --within means, when it begins */
	bool is_unset;   /* %gs does not lead to it yet */
	bool is_waiting; /* stopped, until its parent has said so */
};

/* A program that was executed. */
struct rarog_rewrite_process {
	pid_t pid;
	uint64_t start_ticks, end_ticks; /* 0: it goes on */
	int wait_status;
	char *command;
};

struct rarog_rewrite_tasks {
	struct rarog_rewrite_modules *modules;
	pid_t program;
	bool is_script;
	RAROG_VEC(struct rarog_rewrite_task) list;
	RAROG_VEC(struct rarog_rewrite_process) processes;
	struct rarog_waits waits;
	struct rarog_rewrite_samples samples;
	char *no_samples; /* why; NULL: there are, or nobody wanted some */
	struct rarog_run_result run;
	uint64_t start_ns;
	uint64_t stood_ns; /* since then, for programs that came later */
	uint64_t n_images, n_unknown, n_changed;
	uint64_t n_refused; /* programs that were started and are not counted */
	uint64_t n_running; /* processes that were let go */
	bool started, ended;
	int error;
};

/** rarog_rewrite_tasks_start() - trace @pid, which waits for its execve(). 0; -errno with message.
 */
int rarog_rewrite_tasks_start(struct rarog_rewrite_tasks *tasks, pid_t pid);

/** rarog_rewrite_tasks_look() - see to all that has stopped or ended. */
void rarog_rewrite_tasks_look(struct rarog_rewrite_tasks *tasks);

void rarog_rewrite_tasks_kill(struct rarog_rewrite_tasks *tasks, int signal);

/** rarog_rewrite_tasks_release() - let go of what still lives, and take its counts so far. */
void rarog_rewrite_tasks_release(struct rarog_rewrite_tasks *tasks);

/** rarog_rewrite_tasks_free() - that, and forget what there was. */
void rarog_rewrite_tasks_free(struct rarog_rewrite_tasks *tasks);

#endif
