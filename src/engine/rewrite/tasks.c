/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/rewrite/tasks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <x86intrin.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/rewrite/linker.h"
#include "plan/conflict.h"
#include "plan/function-match.h"
#include "process/filters.h"
#include "process/maps.h"
#include "process/namespaces.h"
#include "process/process.h"
#include "process/task.h"

#define EVENTS_MOST 10000 /* that are looked at when the program has ended */

static struct rarog_rewrite_task *find(struct rarog_rewrite_tasks *t, pid_t tid)
{
	for (size_t i = t->list.n; i-- > 0;)
		if (t->list.v[i].tid == tid)
			return &t->list.v[i];
	return NULL;
}

static struct rarog_rewrite_task *add(struct rarog_rewrite_tasks *t, pid_t tid)
{
	struct rarog_rewrite_task task = { .tid = tid };

	if (rarog_vec_push(&t->list, task) < 0) {
		t->error = rarog_oom();
		return NULL;
	}
	return &t->list.v[t->list.n - 1];
}

static void resume(struct rarog_rewrite_tasks *t, pid_t tid, int signal)
{
	const struct rarog_rewrite_task *task = find(t, tid);
	bool is_watched =
		rarog_ignored_is_watched(&t->waits, tid) || (task && task->handlers.n > 0);

	ptrace(is_watched ? PTRACE_SYSCALL : PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal);
}

/* --- images --- */

static void take_sample(void *context, pid_t tid, uint64_t address)
{
	struct rarog_rewrite_tasks *t = context;
	const struct rarog_rewrite_task *task = find(t, tid);

	if (task && task->image)
		rarog_rewrite_image_sample(task->image, address);
}

/* What has come is of the images that tasks have now. */
static void take_samples(struct rarog_rewrite_tasks *t)
{
	rarog_rewrite_samples_read(&t->samples, take_sample, t);
}

static void leave_image(struct rarog_rewrite_tasks *t, struct rarog_rewrite_task *task)
{
	struct rarog_rewrite_image *image = task->image;

	take_samples(t);
	task->image = NULL;
	if (!image)
		return;
	rarog_rewrite_image_give_back(image, task->row);
	if (image->n_tasks > 0)
		return;
	t->n_unknown += image->n_unknown;
	t->n_changed += image->changed.n;
	rarog_rewrite_image_free(image);
}

/* %gs leads to the row of the task from here on; it is stopped. */
static void set_row(struct rarog_rewrite_task *task)
{
	const struct rarog_rewrite_image *image = task->image;
	struct user_regs_struct regs;

	task->is_unset = false;
	if (!image || ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) < 0)
		return;
	regs.gs_base = rarog_rewrite_image_gs(image, task->row, task->is_inside);
	ptrace(PTRACE_SETREGS, task->tid, NULL, &regs);
}

static void take_row(struct rarog_rewrite_task *task, struct rarog_rewrite_image *image)
{
	task->image = image;
	task->row = image ? rarog_rewrite_image_row(image) : 0;
	task->is_unset = image;
	task->is_inside = false;
	task->handlers = (struct rarog_rewrite_handlers){ 0 };
}

/* A process goes on in the midst of its parent's loops, and of what --within means. */
static void inherit(const struct rarog_rewrite_task *parent, struct rarog_rewrite_task *task)
{
	struct rarog_rewrite_image *image = task->image;
	struct user_regs_struct regs;

	if (!image || rarog_process_status(task->tid, "Tgid:") != task->tid)
		return;
	rarog_rewrite_image_inherit(image, parent->row, task->row);
	task->handlers = parent->handlers;
	if (image->half > 0 && ptrace(PTRACE_GETREGS, parent->tid, NULL, &regs) == 0)
		task->is_inside = regs.gs_base == rarog_rewrite_image_gs(image, parent->row, true);
}

static void enter_image(struct rarog_rewrite_task *task, struct rarog_rewrite_image *image)
{
	take_row(task, image);
	set_row(task);
}

/* --- libraries --- */

/* Return: whether it is that stop. */
static bool on_loaded(struct rarog_rewrite_tasks *t, struct rarog_rewrite_task *task)
{
	struct user_regs_struct regs;
	struct rarog_remote remote;
	uint64_t start_ns;

	if (!rarog_rewrite_linker_is_at(task->image, task->tid) ||
	    ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) < 0)
		return false;
	start_ns = rarog_now_ns();
	if (rarog_remote_open_trapped(task->tid, &remote) == 0) {
		if (rarog_filters_has(task->tid, rarog_filters_inherited()))
			rarog_warn("libraries that process %d loads are not counted: it is under a "
				   "seccomp filter",
				   (int)task->tid);
		else if (rarog_rewrite_image_libraries(task->image, &remote) < 0)
			rarog_warn("%s", rarog_error_message());
		if (rarog_remote_read(&remote, regs.rsp, sizeof(regs.rip), &regs.rip) == 0)
			regs.rsp += sizeof(regs.rip);
		rarog_remote_close(&remote);
	}
	ptrace(PTRACE_SETREGS, task->tid, NULL, &regs);
	t->stood_ns += rarog_now_ns() - start_ns;
	return true;
}

/* --- exec --- */

static void end_process(struct rarog_rewrite_tasks *t, pid_t pid, int status)
{
	for (size_t i = t->processes.n; i-- > 0;) {
		struct rarog_rewrite_process *process = &t->processes.v[i];

		if (process->pid != pid || process->end_ticks)
			continue;
		process->end_ticks = __rdtsc();
		process->wait_status = status;
		return;
	}
}

static void begin_process(struct rarog_rewrite_tasks *t, pid_t pid)
{
	struct rarog_rewrite_process process = { .pid = pid,
						 .start_ticks = __rdtsc(),
						 .wait_status = -1,
						 .command = rarog_process_command(pid) };

	end_process(t, pid, -1); /* what it was before */
	if (rarog_vec_push(&t->processes, process) == 0)
		return;
	free(process.command);
	t->error = rarog_oom();
}

static int install(struct rarog_rewrite_tasks *t, pid_t pid, const char *path,
		   struct rarog_rewrite_image **ret_image)
{
	struct rarog_remote remote;
	uint64_t start_ns;
	int r;

	if (rarog_conflict_gs(path))
		return rarog_fail(-ENOTSUP, "%s uses the %%gs register itself", path);
	if (rarog_filters_has(pid, rarog_filters_inherited()))
		return rarog_fail(-ENOTSUP,
				  "it is under a seccomp filter, which may forbid what rarog has "
				  "to do inside; start it without the sandbox");
	start_ns = rarog_now_ns();
	r = rarog_remote_open_stopped(pid, &remote);
	if (r < 0)
		return r;
	r = rarog_rewrite_image_new(t->modules, &remote, path, ret_image);
	if (r == 0 && t->modules->plan->libraries)
		r = rarog_rewrite_linker_watch(*ret_image, &remote);
	rarog_remote_close(&remote);
	t->stood_ns += t->started ? rarog_now_ns() - start_ns : 0;
	t->n_images += r == 0;
	return r;
}

/* A process has one tracer only; the leak checker of the sanitizers is one for its own program. */
static bool wants_none(const char *file)
{
	return rarog_conflict_ptrace(file) || rarog_file_names(file, "__asan_init") ||
	       rarog_file_names(file, "__lsan_init");
}

static void let_go(struct rarog_rewrite_tasks *t, struct rarog_rewrite_task *task, const char *path)
{
	rarog_warn("%s is not counted, nor is what it starts: it uses ptrace() itself", path);
	ptrace(PTRACE_DETACH, task->tid, NULL, NULL);
	*task = t->list.v[--t->list.n];
}

static void note_start(struct rarog_rewrite_tasks *t)
{
	if (t->started)
		return;
	t->started = true;
	t->start_ns = rarog_now_ns();
}

/* Return: whether it is to go on. */
static bool on_exec(struct rarog_rewrite_tasks *t, pid_t pid)
{
	struct rarog_rewrite_task *task = find(t, pid), *other;
	struct rarog_rewrite_image *image = NULL;
	char path[PATH_MAX], link[64];
	unsigned long before = 0;
	const char *file;
	int r;

	if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &before) == 0 && (pid_t)before != pid) {
		other = find(t, (pid_t)before); /* a thread that has become the process */
		if (other) {
			leave_image(t, other);
			*other = t->list.v[--t->list.n];
			task = find(t, pid);
		}
	}
	if (task)
		leave_image(t, task);
	else
		task = add(t, pid);
	if (!task)
		return true;
	r = rarog_process_path(pid, path);
	file = rarog_process_file(pid, path, link);
	if (r == 0 && wants_none(file)) {
		note_start(t);
		let_go(t, task, path);
		return false;
	}
	if (r == 0 &&
	    rarog_program_is_meant(t->modules->plan, !t->started && !t->is_script, path, path))
		r = install(t, pid, file, &image);
	if (r < 0 && !t->started && !t->is_script) {
		t->error = r;
		kill(pid, SIGKILL);
	} else if (r < 0) {
		rarog_warn("%s is not counted: %s", path, rarog_error_message());
		t->n_refused++;
	}
	enter_image(task, image);
	if (image)
		begin_process(t, pid);
	note_start(t);
	return true;
}

/* --- tasks --- */

/* It has the memory of the one that made it, or a copy. */
static void begin(struct rarog_rewrite_tasks *t, pid_t parent, pid_t tid)
{
	struct rarog_rewrite_task *from = find(t, parent), *task = find(t, tid);
	struct rarog_rewrite_image *image = from ? from->image : NULL;
	bool is_stopped = task && task->is_waiting;

	if (!task)
		task = add(t, tid);
	if (!task)
		return;
	task->is_waiting = false;
	take_row(task, image);
	if (image)
		inherit(find(t, parent), task);
	if (!is_stopped)
		return;
	set_row(task);
	resume(t, tid, 0);
}

static bool is_stop_signal(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void on_event_stop(struct rarog_rewrite_tasks *t, pid_t tid, int signal)
{
	struct rarog_rewrite_task *task = find(t, tid);

	if (!task) {
		task = add(t, tid);
		if (task)
			task->is_waiting = true;
		return;
	}
	if (task->is_unset)
		set_row(task);
	if (is_stop_signal(signal))
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
	else
		resume(t, tid, 0);
}

/* Return: the signal that it goes on with; -1: it has gone on. */
static int take_signal(struct rarog_rewrite_tasks *t, struct rarog_rewrite_task *task, pid_t tid,
		       int signal)
{
	if (signal == (SIGTRAP | 0x80)) {
		if (rarog_ignored_is_watched(&t->waits, tid))
			rarog_ignored_call(&t->waits, tid);
		if (task)
			rarog_handlers_call(&task->handlers, task->image, tid);
		return 0;
	}
	if (signal == SIGTRAP && task &&
	    (rarog_handlers_step(&task->handlers, task->image, tid) || on_loaded(t, task)))
		return 0;
	rarog_ignored_signal(&t->waits, tid, signal);
	return task && rarog_handlers_signal(&task->handlers, task->image, tid, signal) ? -1
											: signal;
}

/* Or a system call that is watched. */
static void on_signal(struct rarog_rewrite_tasks *t, pid_t tid, int signal)
{
	signal = take_signal(t, find(t, tid), tid, signal);
	if (signal >= 0)
		resume(t, tid, signal);
}

static void stopped(struct rarog_rewrite_tasks *t, pid_t tid, int status)
{
	struct rarog_rewrite_task *task = find(t, tid);
	unsigned long born;

	if (task && (status >> 16 != 0 || WSTOPSIG(status) != SIGTRAP))
		task->handlers.is_coming = false;
	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		if (!on_exec(t, tid))
			return;
		break;
	case PTRACE_EVENT_STOP:
		on_event_stop(t, tid, WSTOPSIG(status));
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &born) == 0)
			begin(t, tid, (pid_t)born);
		break;
	default:
		on_signal(t, tid, WSTOPSIG(status));
		return;
	}
	resume(t, tid, 0);
}

static void over(struct rarog_rewrite_tasks *t, pid_t tid, int status, const struct rusage *usage)
{
	struct rarog_rewrite_task *task = find(t, tid);

	rarog_ignored_end(&t->waits, tid);
	end_process(t, tid, status);
	if (task) {
		leave_image(t, task);
		*task = t->list.v[--t->list.n];
	}
	if (tid != t->program)
		return;
	t->run.usage = *usage;
	t->run.wait_status = status;
	t->run.wall_ns = t->started ? rarog_now_ns() - t->start_ns : 0;
	t->ended = true;
}

/* Return: whether there was anything. */
static bool look(struct rarog_rewrite_tasks *t)
{
	struct rusage usage;
	int status;
	pid_t tid = wait4(-1, &status, WNOHANG | __WALL, &usage);

	if (tid <= 0)
		return false;
	if (WIFSTOPPED(status))
		stopped(t, tid, status);
	else
		over(t, tid, status, &usage);
	return true;
}

void rarog_rewrite_tasks_look(struct rarog_rewrite_tasks *t)
{
	while (!t->ended && look(t))
		;
	take_samples(t);
}

/* Counts do not need them. */
static int open_samples(struct rarog_rewrite_tasks *t, pid_t pid)
{
	const struct rarog_plan *plan = t->modules->plan;
	int r = 0;

	if (plan->times == RAROG_BLOCK_TIMES_ESTIMATED && plan->roots.include.n > 0)
		r = rarog_fail(-ENOTSUP, "samples do not tell what runs inside of a function; "
					 "--times=measured does");
	else if (plan->times == RAROG_BLOCK_TIMES_ESTIMATED)
		r = rarog_rewrite_samples_open(&t->samples, pid);
	if (r == 0 || r == -ENOMEM)
		return r;
	t->no_samples = strdup(rarog_error_message());
	rarog_error_clear();
	return t->no_samples ? 0 : rarog_oom();
}

int rarog_rewrite_tasks_start(struct rarog_rewrite_tasks *t, pid_t pid)
{
	long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
		       PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;

	t->program = pid;
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) < 0)
		return rarog_fail(-errno,
				  "cannot trace a child process (is ptrace forbidden here?): %s; "
				  "rarog doctor says what to allow",
				  strerror(errno));
	return open_samples(t, pid);
}

void rarog_rewrite_tasks_kill(struct rarog_rewrite_tasks *t, int signal)
{
	t->run.timed_out = true;
	for (size_t i = 0; i < t->list.n; i++)
		if (rarog_process_status(t->list.v[i].tid, "Tgid:") == t->list.v[i].tid)
			kill(t->list.v[i].tid, signal);
}

/* What has ended or stopped meanwhile is seen to first. */
static void let_all_go(struct rarog_rewrite_tasks *t)
{
	for (int i = 0; i < EVENTS_MOST && t->list.n > 0 && look(t); i++)
		;
	for (size_t i = 0; i < t->list.n; i++) {
		struct rarog_rewrite_task *task = &t->list.v[i];

		rarog_handlers_leave(&task->handlers, task->tid);

		bool lives = !task->image || !task->image->loaded ||
			     rarog_rewrite_linker_leave(task->image, task->tid);

		t->n_running += lives && task->image && !t->run.timed_out &&
				rarog_process_status(task->tid, "Tgid:") == task->tid;
	}
}

void rarog_rewrite_tasks_release(struct rarog_rewrite_tasks *t)
{
	let_all_go(t);
	while (t->list.n > 0) {
		leave_image(t, &t->list.v[t->list.n - 1]);
		t->list.n--;
	}
	rarog_rewrite_samples_release(&t->samples);
	for (size_t i = 0; i < t->processes.n; i++)
		end_process(t, t->processes.v[i].pid, -1);
	rarog_vec_release(&t->list);
	rarog_ignored_release(&t->waits);
}

void rarog_rewrite_tasks_free(struct rarog_rewrite_tasks *t)
{
	rarog_rewrite_tasks_release(t);
	for (size_t i = 0; i < t->processes.n; i++)
		free(t->processes.v[i].command);
	rarog_vec_release(&t->processes);
	free(t->no_samples);
}
