/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that runs is patched as one that was just started, but for this: other threads may be
 * anywhere. They are all stopped; who stands inside of a window goes on until behind it, and where
 * a signal handler will return into a window, the program goes on for a moment and we try again.
 * What still is so after a while leaves that function unpatched.
 *
 * No other address leads into a window: return addresses do not, since a CALL that ends in one
 * makes a function unfit (doc/design/patching.md).
 *
 * Files are read and judged before, while the program runs.
 */
#include "collect/trace/inline/attach.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "binary/patch-site.h"
#include "collect/trace/inline/contexts.h"
#include "collect/trace/inline/maps.h"
#include "collect/trace/inline/process.h"

#define TRIES    20      /* then functions are left out, and threads that do not stop are stuck */
#define PAUSE_NS 1000000 /* after the first try */

/* --- may it be? --- */

static int fail_traced(pid_t pid, long tracer)
{
	char path[PATH_MAX] = "";
	const char *slash;

	if (rarog_process_path((pid_t)tracer, path) < 0)
		path[0] = '\0';
	slash = strrchr(path, '/');
	return rarog_fail(-EBUSY,
			  "process %d is traced already, by process %ld%s%s%s; let that one detach "
			  "first",
			  (int)pid, tracer, *path ? " (" : "", slash ? slash + 1 : path,
			  *path ? ")" : "");
}

static int ptrace_scope(void)
{
	rarog_cleanup(rarog_fclosep) FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	char text[16] = "";

	return f && fgets(text, sizeof(text), f) ? (int)strtol(text, NULL, 10) : 0;
}

static int fail_forbidden(pid_t pid)
{
	int scope = ptrace_scope();
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) == 0 && st.st_uid != geteuid() && geteuid() != 0)
		return rarog_fail(-EPERM,
				  "process %d is not yours (or has special rights): run rarog as "
				  "its user or as root",
				  (int)pid);
	if (scope >= 3 || (scope > 0 && geteuid() == 0))
		return rarog_fail(-EPERM,
				  "process %d: attaching is forbidden here "
				  "(kernel.yama.ptrace_scope = %d); start the program with rarog "
				  "collect -- PROG",
				  (int)pid, scope);
	if (scope > 0)
		return rarog_fail(-EPERM,
				  "process %d: only root may attach to running programs here "
				  "(kernel.yama.ptrace_scope = %d); run rarog as root, or start "
				  "the program with rarog collect -- PROG",
				  (int)pid, scope);
	return rarog_fail(-EPERM,
			  "process %d must not be traced (special rights, or a sandbox around "
			  "rarog)",
			  (int)pid);
}

static int check_machine(pid_t pid)
{
	unsigned char ident[20] = "";
	char link[64];
	rarog_cleanup(rarog_closep) int fd = -1;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return rarog_fail(-ENOTSUP, "process %d is a thread of the kernel", (int)pid);
	if (fd < 0)
		return fail_forbidden(pid);
	if (read(fd, ident, sizeof(ident)) != sizeof(ident) ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS64 ||
	    ident[18] != EM_X86_64)
		return rarog_fail(-ENOTSUP,
				  "process %d is no 64-bit x86 program; only such can be traced",
				  (int)pid);
	return 0;
}

static bool is_zombie(pid_t pid)
{
	char path[64], line[256];
	rarog_cleanup(rarog_fclosep) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (rarog_starts_with(line, "State:"))
			return strchr(line, 'Z') || strchr(line, 'X');
	return false;
}

int rarog_attach_check(pid_t pid)
{
	long group = rarog_process_status(pid, "Tgid:");
	long tracer = rarog_process_status(pid, "TracerPid:");

	if (group < 0)
		return rarog_fail(-ESRCH, "there is no process %d", (int)pid);
	if (group != pid)
		return rarog_fail(-EINVAL, "%d is a thread of process %ld; name that", (int)pid,
				  group);
	if (pid == getpid())
		return rarog_fail(-EINVAL, "process %d is rarog itself", (int)pid);
	if (is_zombie(pid))
		return rarog_fail(-ESRCH, "process %d has ended", (int)pid);
	if (tracer > 0)
		return fail_traced(pid, tracer);
	return check_machine(pid);
}

/* What cannot be read would stay without its hooks: of unwinders, exceptions need them. */
static int check_files(pid_t pid)
{
	rarog_cleanup(rarog_freep) char *lost = rarog_maps_lost(pid);

	if (!lost)
		return 0;
	return rarog_fail(-ENOTSUP,
			  "process %d: %s was replaced since it was loaded (or is in a container); "
			  "restart the program (or run rarog in the container)",
			  (int)pid, lost);
}

/* --- windows --- */

struct windows {
	size_t n;
	uint64_t *entries; /* ascending */
};

static void windows_release(struct windows *windows)
{
	free(windows->entries);
}

/* The entry whose window @address lies inside of; 0: none. At the entry itself nobody is in the
 * way. */
static uint64_t window_of(const struct windows *windows, uint64_t address)
{
	size_t low = 0, high = windows->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (windows->entries[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address - windows->entries[low - 1] < RAROG_PATCH_SIZE
		       ? windows->entries[low - 1]
		       : 0;
}

static bool is_in_window(const void *context, uint64_t address)
{
	return window_of(context, address) != 0;
}

static int find_windows(struct rarog_modules *modules, pid_t pid, const char *program,
			struct windows *windows)
{
	long n;

	free(windows->entries);
	*windows = (struct windows){ 0 };
	n = rarog_image_windows(modules, pid, program, &windows->entries);
	if (n < 0)
		return (int)n;
	windows->n = (size_t)n;
	return 0;
}

/* --- stopped --- */

static int fail_gs(pid_t pid, uint64_t base)
{
	rarog_cleanup(rarog_freep) char *path = rarog_maps_path_at(pid, base + RAROG_SHARED);

	if (path && rarog_starts_with(path, "/memfd:rarog"))
		return rarog_fail(-EBUSY,
				  "process %d still has the probes of a measurement that was "
				  "killed; it can be measured again when it was restarted",
				  (int)pid);
	return rarog_fail(-EBUSY,
			  "process %d uses the %%gs register itself, as the probes would; it "
			  "cannot be traced",
			  (int)pid);
}

static int check_threads(const struct rarog_threads *threads)
{
	for (size_t i = 0; i < threads->v.n; i++) {
		const struct user_regs_struct *regs = &threads->v.v[i].regs;

		if (regs->gs_base != 0)
			return fail_gs(threads->pid, regs->gs_base);
		if (regs->fs_base == 0)
			return rarog_fail(-ENOTSUP,
					  "process %d: thread %d has no thread pointer (%%fs), "
					  "which probes need",
					  (int)threads->pid, (int)threads->v.v[i].tid);
		if ((regs->cs & 0xffff) != 0x33)
			return rarog_fail(-ENOTSUP,
					  "process %d: thread %d runs 32-bit code; it cannot be "
					  "traced",
					  (int)threads->pid, (int)threads->v.v[i].tid);
	}
	return 0;
}

/* Where handlers will return to inside of windows. */
static int find_contexts(const struct rarog_threads *threads, const struct windows *windows,
			 struct rarog_contexts *contexts)
{
	struct rarog_remote remote = { .memory = -1 };
	int r = rarog_remote_open_memory(threads->pid, &remote);

	if (r == 0)
		r = rarog_contexts_find(&remote, threads, is_in_window, windows, contexts);
	rarog_remote_close(&remote);
	return r;
}

struct attempt {
	struct rarog_modules *modules;
	struct rarog_recorder *recorder;
	const char *program;
	uint32_t chunks;
	struct windows windows;
	struct rarog_image *image;
};

static int leave_windows(const struct attempt *a, struct rarog_threads *threads, bool is_last)
{
	int r = rarog_threads_leave(threads, is_in_window, &a->windows);

	if (r != -EBUSY)
		return r;
	return is_last ? rarog_fail(
				 r,
				 "process %d: a thread does not leave the beginning of a function",
				 (int)threads->pid)
		       : -EAGAIN;
}

/* Return: 0 attached; -EAGAIN: not now. */
static int attach_stopped(struct attempt *a, struct rarog_threads *threads, bool is_last)
{
	struct rarog_contexts contexts = { 0 };
	int r = check_threads(threads);

	if (r == 0)
		r = check_files(threads->pid);
	if (r == 0) /* libraries may have come since */
		r = find_windows(a->modules, threads->pid, a->program, &a->windows);
	if (r == 0)
		r = leave_windows(a, threads, is_last);
	if (r == 0)
		r = find_contexts(threads, &a->windows, &contexts);
	if (r == 0 && contexts.v.n > 0 && !is_last)
		r = -EAGAIN;
	for (size_t i = 0; i < contexts.v.n; i++)
		contexts.v.v[i] = window_of(&a->windows, contexts.v.v[i]);
	if (r == 0)
		r = rarog_image_attach(a->modules, a->recorder, threads, a->program, a->chunks,
				       contexts.v.n, contexts.v.v, &a->image);
	rarog_vec_release(&contexts.v);
	return r;
}

static void pause_ns(long ns)
{
	const struct timespec moment = { .tv_nsec = ns };

	nanosleep(&moment, NULL);
}

static int fail_stop(pid_t pid, int r)
{
	switch (r) {
	case RAROG_THREADS_EXEC:
		return rarog_fail(-EAGAIN,
				  "process %d is becoming another program just now; try again",
				  (int)pid);
	case -ESRCH:
		return rarog_fail(r, "process %d has ended", (int)pid);
	case -EBUSY:
		return rarog_fail(r,
				  "process %d: a thread does not stop (it waits in the kernel, for "
				  "a disk or for a vfork); try again",
				  (int)pid);
	case -EPERM:
		return rarog_process_status(pid, "TracerPid:") > 0
			       ? fail_traced(pid, rarog_process_status(pid, "TracerPid:"))
			       : fail_forbidden(pid);
	default:
		return r;
	}
}

/* Return: 0 attached; -EAGAIN: not now, the program goes on. */
static int try_once(struct attempt *a, pid_t pid, struct rarog_threads *threads, bool is_last)
{
	int r = rarog_threads_stop(pid, threads);

	if (r == -EBUSY && !is_last)
		return -EAGAIN;
	r = r == 0 ? attach_stopped(a, threads, is_last) : fail_stop(pid, r);
	if (r == 0)
		return 0;
	if (r == -EAGAIN && !is_last)
		rarog_threads_resume(threads, -1);
	else
		rarog_threads_let_go(threads);
	rarog_threads_release(threads);
	return r;
}

static int try_all(struct attempt *a, pid_t pid, struct rarog_threads *threads)
{
	int r = -EAGAIN;

	for (int i = 1; r == -EAGAIN && i <= TRIES; i++) {
		r = try_once(a, pid, threads, i == TRIES);
		if (r == -EAGAIN)
			pause_ns(i * PAUSE_NS);
	}
	return r;
}

int rarog_attach(struct rarog_modules *modules, struct rarog_recorder *recorder, pid_t pid,
		 uint32_t chunks, struct rarog_threads *threads, struct rarog_image **ret_image)
{
	struct attempt a = { .modules = modules, .recorder = recorder, .chunks = chunks };
	char path[PATH_MAX], link[64];
	int r = rarog_attach_check(pid);

	if (r == 0)
		r = rarog_process_path(pid, path);
	if (r == 0)
		r = check_files(pid);
	if (r < 0)
		return r;
	a.program = rarog_process_file(pid, path, link);
	r = rarog_image_judge(modules, pid, a.program);
	if (r == RAROG_IMAGE_LET_BE)
		return rarog_fail_prefix(-ENOTSUP, "process %d cannot be traced", (int)pid);
	if (r == 0)
		r = find_windows(modules, pid, a.program, &a.windows);
	if (r == 0)
		r = try_all(&a, pid, threads);
	windows_release(&a.windows);
	if (r == 0)
		*ret_image = a.image;
	return r;
}
