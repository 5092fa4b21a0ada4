/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that the tracer follows: met, begun, let go, ended. */
#include <sys/ptrace.h>
#include <x86intrin.h>

#include "base/clock.h"
#include "base/ended.h"
#include "engine/inline/ptrace/tracer-state.h"
#include "process/process.h"
#include "process/task.h"

struct rarog_traced *rarog_tracer_find(struct rarog_tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->processes.n; i++)
		if (t->processes.v[i].pid == pid)
			return &t->processes.v[i];
	return NULL;
}

/* A new entry of the profile for @pid; replaces the one before (exec). */
long rarog_tracer_add(struct rarog_tracer *t, pid_t pid, uint32_t parent, struct rarog_image *image)
{
	rarog_cleanup(rarog_freep) char *command = rarog_process_command(pid);
	struct rarog_process process = {
		.pid = (uint32_t)pid,
		.parent = parent,
		.start_ticks = __rdtsc(),
		.wait_status = -1,
		.command = command,
	};
	long index = rarog_recorder_add_process(t->recorder, &process);
	struct rarog_traced *known = rarog_tracer_find(t, pid);

	if (index < 0)
		return index;
	if (known) {
		known->index = (uint32_t)index;
		known->image = image;
		known->is_quiet = false;
		known->due_ns = 0;
		known->turns_seen = 0;
	} else if (rarog_vec_push(&t->processes, (struct rarog_traced){ .pid = pid,
									.index = (uint32_t)index,
									.end = -1,
									.image = image }) < 0) {
		return -ENOMEM;
	}
	rarog_drain_process(t->drain, pid, image, (uint32_t)index);
	return index;
}

/* The kernel tells us of our own child's end only: others that we let go are looked at. */
void rarog_tracer_watch_released(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);

	t->is_released |= pid == t->program;
	if (known && (t->attachment || pid != t->program))
		known->end = rarog_ended_open(pid);
}

void rarog_tracer_let_go(struct rarog_tracer *t, pid_t pid)
{
	rarog_tracer_watch_released(t, pid);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

void rarog_tracer_end(struct rarog_tracer *t, pid_t pid, int status)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	uint64_t ticks = __rdtsc();

	if (!known)
		return;
	rarog_recorder_end_process(t->recorder, known->index, ticks, status);
	rarog_drain_process_gone(t->drain, pid, ticks);
	rarog_closep(&known->end);
	*known = t->processes.v[--t->processes.n];
	if (pid != t->program)
		return;
	t->run.wait_status = status;
	t->run.wall_ns = rarog_now_ns() - t->start_ns;
	t->result.end_ticks = ticks;
	t->ended = true;
}

long rarog_tracer_options(const struct rarog_tracer *t)
{
	long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	if (t->modules->plan->follow)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	return options;
}

/* A process that we see for the first time has its parent's image. */
void rarog_tracer_meet(struct rarog_tracer *t, pid_t pid, pid_t parent)
{
	struct rarog_traced *known = rarog_tracer_find(t, parent);

	if (known)
		rarog_tracer_add(t, pid, known->index, rarog_drain_image_of(t->drain, parent));
}

/* It stops, too, but later perhaps, when its parent is let go and forgotten already. */
void rarog_tracer_born(struct rarog_tracer *t, pid_t pid, pid_t parent)
{
	struct rarog_traced *born;

	if (rarog_tracer_find(t, pid) || rarog_process_status(pid, "Tgid:") != pid)
		return;
	rarog_tracer_meet(t, pid, parent);
	born = rarog_tracer_find(t, pid);
	if (born)
		born->is_born = true;
}
