/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the tracer share: tracer.c, tracer-exec.c, tracer-stops.c, tracer-attach.c. */
#ifndef RAROG_ENGINE_INLINE_PTRACE_TRACER_STATE_H
#define RAROG_ENGINE_INLINE_PTRACE_TRACER_STATE_H

#include <pthread.h>

#include "base/vec.h"
#include "engine/inline/coexist/break-traps.h"
#include "engine/inline/ptrace/deferred-signals.h"
#include "engine/inline/ptrace/tracer.h"
#include "engine/inline/ring/drain.h"
#include "process/ignored.h"

struct rarog_traced {
	pid_t pid;
	uint32_t index;            /* process of the profile */
	int end;                   /* of one that we let go: rarog_ended(); negative: not */
	bool is_born;              /* its parent was, and it has not stopped yet */
	bool is_quiet;             /* all probes are out, because of a hook (tracer-traps.h) … */
	uint64_t turns_seen;       /* jumps that were turned: code/turned.h */
	uint64_t due_ns;           /* … or should have been since then; 0: need not */
	struct rarog_image *image; /* NULL: it is not measured */
};

struct rarog_tracer {
	const struct rarog_attachment *attachment; /* NULL: the program was started here */
	struct rarog_modules *modules;
	struct rarog_recorder *recorder;
	struct rarog_drain *drain;
	struct rarog_thinning *thinning; /* borrowed */
	pthread_mutex_t install_lock;
	struct rarog_clock_watch *watch;
	pid_t program; /* that was started, or attached to */
	RAROG_VEC(struct rarog_traced) processes;
	RAROG_VEC(pid_t)
	waiting; /* stopped in an exec, until the drain has done with the modules */
	struct rarog_waits waits;
	struct rarog_deferred_signals holding;
	struct rarog_run_result run; /* as far as the tracer knows */
	struct rarog_inline_result result;
	uint64_t start_ns;
	uint64_t stood_ns;  /* since then, for programs that came later */
	uint64_t looked_ns; /* for a filter, of a thread that got a signal */
	bool started;       /* the program's first image runs */
	bool ended, is_script;
	bool is_released;       /* the program that was started */
	bool leaves;            /* what is traced is to be let go */
	bool tells_agents;      /* that a signal waits */
	bool leaves_children;   /* the program of the last exec traces what it starts */
	RAROG_VEC(char *) told; /* programs that a line was said about */
	int error;              /* that keeps the program from running */
};

/** rarog_tracer_attach() - start() of a program that runs. */
int rarog_tracer_attach(struct rarog_tracer *t);

/** rarog_tracer_leave_all() - … and its end: all that is traced is let go. */
void rarog_tracer_leave_all(struct rarog_tracer *t);

/** rarog_tracer_options() - PTRACE_O_… of what is followed. */
long rarog_tracer_options(const struct rarog_tracer *t);

/** rarog_tracer_find() - what is known of process @pid, NULL: nothing. */
struct rarog_traced *rarog_tracer_find(struct rarog_tracer *t, pid_t pid);

/** rarog_tracer_add() - a new entry of the profile for @pid. Its number or -errno. */
long rarog_tracer_add(struct rarog_tracer *t, pid_t pid, uint32_t parent,
		      struct rarog_image *image);

/** rarog_tracer_meet() - process @pid, seen for the first time, has the image of @parent. */
void rarog_tracer_meet(struct rarog_tracer *t, pid_t pid, pid_t parent);

/** rarog_tracer_born() - @pid was made by a thread of process @parent, whose image it has; a thread
 * is none of our business. It may not have stopped yet. */
void rarog_tracer_born(struct rarog_tracer *t, pid_t pid, pid_t parent);

/** rarog_tracer_end() - @pid is not measured any more; @status: as waitpid() said, -1: it goes on,
 * or it is unknown. */
void rarog_tracer_end(struct rarog_tracer *t, pid_t pid, int status);

/** rarog_tracer_attend() - deal with everything that has stopped or ended meanwhile. */
void rarog_tracer_attend(struct rarog_tracer *t);

/** rarog_tracer_watch_release() - @pid is not traced any more, but its end wanted. */
void rarog_tracer_watch_released(struct rarog_tracer *t, pid_t pid);

/** rarog_tracer_let_go() - @pid, stopped, goes on untraced; its end is wanted. */
void rarog_tracer_let_go(struct rarog_tracer *t, pid_t pid);

/** rarog_tracer_is_clear() - a rarog_deferred_is_clear; of a struct rarog_tracer. */
bool rarog_tracer_is_clear(void *tracer, pid_t tid);

/** rarog_tracer_tell_agents() - whether a signal waits until a thread is out of the agent. */
void rarog_tracer_tell_agents(struct rarog_tracer *t);

/** rarog_tracer_stopped() - @pid has, with @status of waitpid(); it goes on, now or later. */
void rarog_tracer_stopped(struct rarog_tracer *t, pid_t pid, int status);

/** rarog_tracer_exec() - @pid stands in its new program; it goes on when the modules are free. */
void rarog_tracer_exec(struct rarog_tracer *t, pid_t pid);

/** rarog_tracer_try_execs() - see to those that could not go on then. */
void rarog_tracer_try_execs(struct rarog_tracer *t);

/** rarog_tracer_forget_exec() - @pid has ended meanwhile. */
void rarog_tracer_forget_exec(struct rarog_tracer *t, pid_t pid);

/** rarog_tracer_drop_execs() - let go of all of them, unmeasured. */
void rarog_tracer_drop_execs(struct rarog_tracer *t);

/** rarog_tracer_wants_none() - must a program be let go so that it can trace itself? */
bool rarog_tracer_wants_none(struct rarog_tracer *t, pid_t pid);

#endif
