/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread does all ptrace work, since only the thread that attached may. It sleeps in
 * sigtimedwait() for SIGCHLD and never blocks in waitpid(). The program is attached to with
 * PTRACE_SEIZE before it execs, so job control and signals work as without us; if we die, the
 * kernel lets it go on.
 *
 * Every execve stops with the new image mapped and nothing run: there the image is patched, or left
 * alone when it is not to be measured. Forks inherit everything.
 */
#include "collect/trace/inline/tracer.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <x86intrin.h>

#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/str.h"
#include "collect/trace/inline/conflict.h"
#include "collect/trace/inline/filters.h"
#include "collect/trace/inline/ignored.h"
#include "collect/trace/inline/leave.h"
#include "collect/trace/inline/maps.h"
#include "collect/trace/inline/names.h"
#include "collect/trace/inline/newborn.h"
#include "collect/trace/inline/obstacles.h"
#include "collect/trace/inline/process.h"
#include "collect/trace/inline/tracer-state.h"

#define CHUNKS_CHILD  32
#define KILL_AFTER_NS 2000000000ull /* after a time-out's SIGTERM */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void resume(pid_t pid, int signal)
{
	ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)signal);
}

/* @watched: stop at the next system call as well */
static void resume_watched(pid_t pid, int signal, bool watched)
{
	ptrace(watched ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)(intptr_t)signal);
}

/* --- processes --- */

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
	} else if (rarog_vec_push(&t->processes, (struct rarog_traced){ pid, (uint32_t)index, -1,
									false, image }) < 0) {
		return -ENOMEM;
	}
	rarog_drain_process(t->drain, pid, image, (uint32_t)index);
	return index;
}

/* A process that we see for the first time has its parent's image. */
static void meet_process(struct rarog_tracer *t, pid_t pid, pid_t parent)
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
	meet_process(t, pid, parent);
	born = rarog_tracer_find(t, pid);
	if (born)
		born->is_born = true;
}

/* A thread that we know already as a process is only its first one. */
static void meet(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	struct rarog_image *image;
	struct rarog_task task;

	if ((known && !known->is_born) || rarog_task_read(pid, &task) < 0)
		return;
	if (known)
		known->is_born = false;
	else if (task.pid == pid)
		meet_process(t, pid, task.parent);
	image = rarog_drain_image_of(t->drain, task.pid);
	if (image)
		rarog_newborn_begins(image, &task);
}

/* --- which programs are measured --- */

static bool has_symbols(const char *path)
{
	rarog_cleanup(rarog_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Shdr section;

	if (fd < 0 || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	for (unsigned i = 0; i < header.e_shnum; i++) {
		off_t at = (off_t)(header.e_shoff + (uint64_t)i * sizeof(section));

		if (pread(fd, &section, sizeof(section), at) == (ssize_t)sizeof(section) &&
		    section.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

static bool is_measured(struct rarog_tracer *t, const char *path, const char *file)
{
	struct rarog_match *programs = &t->modules->plan->programs;
	const char *name = strrchr(path, '/');
	const char *names[] = { path, name ? name + 1 : path };

	if (programs->include.n > 0 || programs->exclude.n > 0)
		return rarog_match_test(programs, RAROG_COUNT(names), names);
	if (!t->started && !t->is_script)
		return true;
	return has_symbols(file);
}

/* The program's file, when its name was a script's, is an interpreter that nobody asked for. */
static bool is_script(const char *name)
{
	char path[PATH_MAX];

	return rarog_program_find(name, path) == 0 && rarog_program_is_script(path);
}

/* --- exec --- */

static int install(struct rarog_tracer *t, pid_t pid, const char *path,
		   struct rarog_image **ret_image)
{
	uint32_t chunks = t->started ? CHUNKS_CHILD : RAROG_CHUNKS_FIRST;
	struct rarog_remote remote;
	uint64_t start = now_ns();
	int r;

	rarog_maps_log(pid);
	r = rarog_image_judge(t->modules, pid, path);
	if (r == 0)
		r = rarog_remote_open_stopped(pid, &remote);
	if (r == 0) {
		r = rarog_image_new(t->modules, t->recorder, &remote, path, chunks, ret_image);
		rarog_remote_close(&remote);
	}
	t->result.install_ns += now_ns() - start;
	t->result.images += r == 0;
	return r;
}

/* A line about a program is said once, however often it is started. */
static bool is_news(struct rarog_tracer *t, const char *path)
{
	char *copy;

	for (size_t i = 0; i < t->told.n; i++)
		if (strcmp(t->told.v[i], path) == 0)
			return false;
	copy = strdup(path);
	if (!copy || rarog_vec_push(&t->told, copy) < 0)
		free(copy);
	t->result.explained = true;
	return true;
}

/* @reason: why the program itself is not measured, NULL: it is */
static void explain(struct rarog_tracer *t, const char *path, const char *reason)
{
	const char *and_more = reason ? ", nor is what it starts" : "";

	if (!reason && !t->leaves_children)
		return;
	if (!is_news(t, path))
		return;
	if (reason)
		rarog_warn("%s is not traced%s: %s", path, t->leaves_children ? and_more : "",
			   reason);
	else
		rarog_warn("what %s starts is not traced: it uses ptrace() itself; trace that "
			   "program without it",
			   path);
}

/* For the message when nothing was measured. */
static void note_other(struct rarog_tracer *t, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *others = t->result.others;
	size_t n = strlen(others), room = sizeof(t->result.others) - n;

	if (!strstr(others, name) && strlen(name) + 3 < room)
		snprintf(others + n, room, "%s%s", n ? ", " : "", name);
}

/* Only SIGKILL takes @pid out of the stop in which we hold it. What it was killed by is known
 * later. */
static bool was_killed(pid_t pid)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) < 0 && errno == ESRCH;
}

static void on_exec(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	uint32_t parent = known ? known->index : RAROG_NONE;
	struct rarog_image *image = NULL;
	char path[PATH_MAX] = "", link[64];
	int r = rarog_process_path(pid, path);
	const char *file = rarog_process_file(pid, path, link);

	if (known) {
		rarog_recorder_end_process(t->recorder, known->index, __rdtsc(), -1);
		rarog_drain_process_gone(t->drain, pid, __rdtsc());
	}
	t->leaves_children = r == 0 && t->modules->plan->follow && rarog_conflict_ptrace(file);
	if (r == 0 && is_measured(t, path, file))
		r = install(t, pid, file, &image);
	else
		note_other(t, path);
	if (r < 0 && was_killed(pid))
		; /* as it would have been without us */
	else if (r < 0 && !t->started && !t->is_script)
		t->error = r;
	else
		explain(t, path, r != 0 ? rarog_error_message() : NULL);
	if (rarog_obstacles_rights(file))
		rarog_warn("%s runs without its special rights (set-user-id, capabilities): the "
			   "kernel gives none to what is traced, unless by root",
			   path);
	if (image)
		rarog_drain_image(t->drain, image);
	if (!t->started) {
		t->result.start_ticks = __rdtsc();
		t->start_ns = now_ns();
		t->started = true;
	}
	rarog_tracer_add(t, pid, parent, image);
}

/* --- stops --- */

static bool is_stop_signal(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* The leak checker of the sanitizers attaches to its own program at the end, debuggers to what they
 * start. */
bool rarog_tracer_wants_none(struct rarog_tracer *t, pid_t pid)
{
	char path[PATH_MAX];

	if (!t->modules->plan->follow || t->leaves_children)
		return true;
	return rarog_process_path(pid, path) == 0 &&
	       (rarog_file_names(path, "__asan_init") || rarog_file_names(path, "__lsan_init"));
}

/* The kernel tells us of our own child's end only: of others that we let go, pidfds do. */
void rarog_tracer_watch_released(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);

	t->is_released |= pid == t->launch.pid;
	if (known && (t->attachment || pid != t->launch.pid))
		known->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
}

static void let_go(struct rarog_tracer *t, pid_t pid)
{
	rarog_tracer_watch_released(t, pid);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void on_exec_stop(struct rarog_tracer *t, pid_t pid)
{
	struct rarog_image *image;

	if (t->leaves) { /* nothing of ours is in it */
		rarog_tracer_end(t, pid, -1);
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return;
	}
	on_exec(t, pid);
	if (t->error < 0)
		kill(pid, SIGKILL);
	else if (rarog_tracer_wants_none(t, pid)) {
		let_go(t, pid);
		return;
	}
	image = rarog_drain_image_of(t->drain, pid);
	if (image && !t->attachment) /* else they do not come by us when it is let go */
		image->control->signals = 1;
	if (image)
		rarog_newborn_first(image, pid);
	resume(pid, 0);
}

/*
 * The drain has the modules while it works in a process that loads a library, with the help of a
 * thread there. That thread may be stopped by a signal, for us to let it go on: whoever waits for
 * the modules here waits for ever.
 */
static bool try_exec(struct rarog_tracer *t, pid_t pid)
{
	if (pthread_mutex_trylock(&t->install_lock) != 0)
		return false;
	on_exec_stop(t, pid);
	pthread_mutex_unlock(&t->install_lock);
	return true;
}

static void forget_waiting(struct rarog_tracer *t, pid_t pid)
{
	for (size_t i = t->waiting.n; i-- > 0;)
		if (t->waiting.v[i] == pid)
			t->waiting.v[i] = t->waiting.v[--t->waiting.n];
}

static void try_waiting(struct rarog_tracer *t)
{
	for (size_t i = t->waiting.n; i-- > 0;) {
		pid_t pid = t->waiting.v[i];

		if (try_exec(t, pid))
			forget_waiting(t, pid);
	}
}

static void on_birth(struct rarog_tracer *t, pid_t pid)
{
	unsigned long born;

	if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &born) == 0)
		rarog_tracer_born(t, (pid_t)born, (pid_t)rarog_process_status(pid, "Tgid:"));
}

/* Agents must know whether a handler may have begun. Of which process a thread is would take longer
 * to find out. */
static void count_signal(struct rarog_tracer *t)
{
	for (size_t i = 0; i < t->processes.n; i++) {
		struct rarog_image *image = t->processes.v[i].image;

		if (image && image->control->signals)
			__atomic_fetch_add(&image->control->signals, 1, __ATOMIC_SEQ_CST);
	}
}

#define LOOK_AGAIN_NS 1000000

/* After it an agent may have to ask for the thread's stack for signals. */
static void look_for_filter(struct rarog_tracer *t, pid_t tid)
{
	uint64_t now = now_ns();
	struct rarog_image *image;
	struct rarog_task task;

	if (now - t->looked_ns < LOOK_AGAIN_NS)
		return;
	t->looked_ns = now;
	if (rarog_task_read(tid, &task) < 0 || !rarog_filters_of(&task))
		return;
	image = rarog_drain_image_of(t->drain, task.pid);
	if (image)
		rarog_filters_tell(image, task.pid);
}

/* It is on its way to a program. */
static void on_signal(struct rarog_tracer *t, pid_t pid, int signal)
{
	count_signal(t);
	look_for_filter(t, pid);
	if (!t->attachment)
		rarog_relay_arrives(&t->relay, t->launch.pid, pid, signal);
	resume_watched(pid, signal, rarog_ignored_signal(&t->waits, pid, signal));
}

static void on_stop(struct rarog_tracer *t, pid_t pid, int status)
{
	int signal = WSTOPSIG(status);

	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		if (!try_exec(t, pid) && rarog_vec_push(&t->waiting, pid) < 0)
			let_go(t, pid); /* unmeasured rather than stopped */
		return;
	case PTRACE_EVENT_STOP:
		meet(t, pid);
		if (is_stop_signal(signal)) {
			ptrace(PTRACE_LISTEN, pid, NULL, NULL);
			return;
		}
		break;
	case 0:
		if (signal == (SIGTRAP | 0x80)) /* a system call */
			resume_watched(pid, 0, rarog_ignored_call(&t->waits, pid));
		else
			on_signal(t, pid, signal);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		on_birth(t, pid);
		break;
	default:
		break;
	}
	resume_watched(pid, 0, rarog_ignored_is_watched(&t->waits, pid));
}

void rarog_tracer_end(struct rarog_tracer *t, pid_t pid, int status)
{
	struct rarog_traced *known = rarog_tracer_find(t, pid);
	uint64_t ticks = __rdtsc();

	if (!known)
		return;
	rarog_recorder_end_process(t->recorder, known->index, ticks, status);
	rarog_drain_process_gone(t->drain, pid, ticks);
	rarog_closep(&known->pidfd);
	*known = t->processes.v[--t->processes.n];
	if (pid != t->launch.pid)
		return;
	t->run.wait_status = status;
	t->run.wall_ns = now_ns() - t->start_ns;
	t->result.end_ticks = ticks;
	t->ended = true;
}

/* After a time-out, children that outlive the program are waited for, too: they had the SIGTERM. */
static bool is_over(const struct rarog_tracer *t)
{
	return t->ended && !(t->run.timed_out && t->processes.n > 0);
}

static void reap(struct rarog_tracer *t)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while (!is_over(t) && (pid = wait4(-1, &status, WNOHANG | __WALL, &usage)) > 0) {
		if (WIFSTOPPED(status)) {
			on_stop(t, pid, status);
			continue;
		}
		forget_waiting(t, pid);
		rarog_ignored_end(&t->waits, pid);
		if (pid == t->launch.pid) {
			t->run.usage = usage;
			if (!rarog_tracer_find(t, pid)) { /* did not even exec */
				t->run.wait_status = status;
				t->ended = true;
			}
		}
		rarog_tracer_end(t, pid, status);
	}
}

static void look_after_released(struct rarog_tracer *t)
{
	for (size_t i = t->processes.n; i-- > 0;) {
		struct pollfd fd = { .fd = t->processes.v[i].pidfd, .events = POLLIN };

		if (fd.fd >= 0 && poll(&fd, 1, 0) == 1)
			rarog_tracer_end(t, t->processes.v[i].pid, -1);
	}
}

/* --- time and signals --- */

static void kill_all(struct rarog_tracer *t, int signal)
{
	for (size_t i = 0; i < t->processes.n; i++)
		kill(t->processes.v[i].pid, signal);
}

static void watch_time(struct rarog_tracer *t)
{
	uint64_t limit = t->command->timeout_ns, spent;

	if (limit == 0 || !t->started)
		return;
	spent = now_ns() - t->start_ns;
	if (spent >= limit && !t->term_sent) {
		t->run.timed_out = t->term_sent = true;
		kill_all(t, SIGTERM);
		kill_all(t, SIGCONT);
	} else if (spent >= limit + KILL_AFTER_NS) {
		kill_all(t, SIGKILL);
	}
}

int rarog_tracer_wait(struct rarog_tracer *t, const sigset_t *signals, siginfo_t *ret_info)
{
	bool hurry = t->command->timeout_ns && !t->term_sent;
	long ms = t->waiting.n > 0 ? 1 : hurry ? 10 : 100;
	struct timespec moment = { .tv_nsec = ms * 1000000 };

	return sigtimedwait(signals, ret_info, &moment);
}

long rarog_tracer_options(const struct rarog_tracer *t)
{
	long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	if (t->modules->plan->follow)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	return options;
}

static int attach(struct rarog_tracer *t)
{
	if (ptrace(PTRACE_SEIZE, t->launch.pid, NULL, (void *)rarog_tracer_options(t)) < 0)
		return rarog_fail(-errno,
				  "cannot trace a child process (is ptrace forbidden here?): %s; "
				  "rarog doctor says what to allow",
				  strerror(errno));
	return 0;
}

void rarog_tracer_attend(struct rarog_tracer *t)
{
	reap(t);
	if (is_over(t))
		return;
	try_waiting(t);
	look_after_released(t);
	rarog_clock_watch_look(t->watch);
}

static int supervise(struct rarog_tracer *t, const sigset_t *signals)
{
	while (!is_over(t)) {
		siginfo_t info;

		rarog_tracer_attend(t);
		if (is_over(t))
			break;
		watch_time(t);
		if (rarog_tracer_wait(t, signals, &info) > 0 && !t->ended &&
		    rarog_relay_wants(&t->relay, &info))
			rarog_relay_send(&t->relay, t->launch.pid, &info);
	}
	while (t->waiting.n > 0)
		let_go(t, t->waiting.v[--t->waiting.n]);
	if (t->error < 0)
		return t->error;
	t->run.launch_error = rarog_launch_failed(&t->launch, t->command->argv[0]);
	return t->run.launch_error;
}

/* Without them there is no CPU time, which the profile says. Counting needs none. */
static int watch_switches(struct rarog_tracer *t)
{
	struct rarog_switch_rings *rings = NULL;
	struct rarog_switches *switches = NULL;
	int r;

	if (t->modules->plan->detail == RAROG_DETAIL_COUNT)
		return 0;
	if (rarog_switch_rings_new(t->launch.pid, RAROG_SWITCH_PAGES, &rings) < 0) {
		rarog_debug(RAROG_LOG_INSTALL, "%s", rarog_error_message());
		snprintf(t->result.no_cpu_time, sizeof(t->result.no_cpu_time), "%s",
			 rarog_error_message());
		return 0;
	}
	r = rarog_switches_new(t->recorder, rings, &switches);
	if (r == 0)
		rarog_drain_switches(t->drain, switches);
	return r;
}

static int run_attached(struct rarog_tracer *t, const sigset_t *signals)
{
	int r = rarog_launch(t->command, &t->launch);

	if (r < 0)
		return r;
	r = attach(t);
	if (r == 0)
		r = watch_switches(t);
	if (r < 0) {
		kill(t->launch.pid, SIGKILL);
		waitpid(t->launch.pid, NULL, 0);
	} else {
		rarog_launch_go(&t->launch);
		r = supervise(t, signals);
	}
	rarog_relay_drop(); /* Ctrl-C that ended the program came here, too */
	rarog_launch_release(&t->launch);
	return r;
}

static void count_patches(struct rarog_tracer *t)
{
	for (const struct rarog_module *m = t->modules->first; m; m = m->next) {
		t->result.functions += m->n_wanted;
		t->result.patched += m->probes.n;
	}
}

static void release(struct rarog_tracer *t)
{
	for (size_t i = 0; i < t->processes.n; i++)
		rarog_closep(&t->processes.v[i].pidfd);
	for (size_t i = 0; i < t->told.n; i++)
		free(t->told.v[i]);
	rarog_vec_release(&t->processes);
	rarog_vec_release(&t->waiting);
	rarog_ignored_release(&t->waits);
	rarog_vec_release(&t->told);
}

static int stop_drain(void *drain)
{
	return rarog_drain_stop(drain);
}

int rarog_tracer_init(struct rarog_tracer *t, sigset_t *ret_signals)
{
	static const int ends[] = { SIGHUP, SIGINT };
	int r = rarog_drain_new(t->recorder, &t->install_lock, &t->drain);

	if (r < 0)
		return r;
	if (t->attachment) {
		sigemptyset(ret_signals);
		sigaddset(ret_signals, SIGTERM);
		rarog_signals_add(ret_signals, RAROG_COUNT(ends), ends);
	} else {
		rarog_relay_signals(ret_signals);
	}
	sigaddset(ret_signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, ret_signals, &t->mask);
	if (!t->attachment)
		rarog_relay_begin(&t->relay);
	return 0;
}

int rarog_tracer_finish(struct rarog_tracer *t, int r)
{
	int drained;

	rarog_relay_end(&t->relay);
	drained = rarog_leave_during(stop_drain, t->drain);
	if (!t->attachment) /* else signals stay blocked: a second one must not end us before the
			     * profile is stored */
		sigprocmask(SIG_SETMASK, &t->mask, NULL);
	release(t);
	count_patches(t);
	return r < 0 ? r : drained;
}

int rarog_inline_run(const struct rarog_command_line *command, struct rarog_modules *modules,
		     struct rarog_recorder *recorder, struct rarog_clock_watch *watch,
		     struct rarog_run_result *ret_run, struct rarog_inline_result *ret_inline)
{
	struct rarog_tracer t = {
		.command = command,
		.modules = modules,
		.recorder = recorder,
		.watch = watch,
		.install_lock = PTHREAD_MUTEX_INITIALIZER,
		.launch = RAROG_LAUNCH_NONE,
		.is_script = is_script(command->argv[0]),
	};
	sigset_t signals;
	int r = rarog_tracer_init(&t, &signals);

	if (r < 0)
		return r;
	r = rarog_tracer_finish(&t, run_attached(&t, &signals));
	*ret_run = t.run;
	*ret_inline = t.result;
	return r;
}
