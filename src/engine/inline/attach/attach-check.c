/* SPDX-License-Identifier: GPL-3.0-or-later */
/* May this program be attached to, and if not: why? */
#include "engine/inline/attach/attach-check.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "engine/inline/attach/attach.h"
#include "engine/inline/code/image.h"
#include "process/filters.h"
#include "process/maps.h"
#include "process/process.h"
#include "process/remote.h"
#include "process/sharing.h"
#include "process/task.h"

/* --- before it is touched --- */

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

/* Calls @look with each of its threads until that is not 0. Return: that; -ESRCH. */
static int each_thread(pid_t pid, int (*look)(pid_t pid, pid_t tid, long *context), long *context)
{
	char path[64];
	struct dirent *entry;
	DIR *directory;
	int r = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	if (!directory)
		return rarog_fail(-ESRCH, "process %d has ended", (int)pid);
	while (r == 0 && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			r = look(pid, tid, context);
	}
	closedir(directory);
	return r;
}

static int count_thread(pid_t pid, pid_t tid, long *n)
{
	(void)pid;
	(void)tid;
	++*n;
	return 0;
}

static long count_threads(pid_t pid)
{
	long n = 0;

	return each_thread(pid, count_thread, &n) < 0 ? 0 : n;
}

/* Of one thread only, perhaps. Merely to be stopped may end it: the kernel makes its sleep go on by
 * another call than its own. */
static int check_filter(pid_t pid, pid_t tid, long *inherited)
{
	if (!rarog_filters_has(tid, *inherited))
		return 0;
	return rarog_fail(-ENOTSUP,
			  "process %d: thread %d has a seccomp filter, which may forbid what rarog "
			  "has to do inside; start the program with rarog collect -- PROG",
			  (int)pid, (int)tid);
}

static int check_filters(pid_t pid)
{
	long inherited = rarog_filters_inherited();

	return each_thread(pid, check_filter, &inherited);
}

static int fail_first(pid_t pid)
{
	return rarog_fail(-ENOTSUP,
			  "process %d: its first thread has ended before the others; what "
			  "the kernel tells of it is not enough to attach",
			  (int)pid);
}

int rarog_attach_check(pid_t pid)
{
	long group = rarog_process_status(pid, "Tgid:");
	long tracer = rarog_process_status(pid, "TracerPid:");
	int r;

	if (group < 0)
		return rarog_fail(-ESRCH, "there is no process %d", (int)pid);
	if (group != pid)
		return rarog_fail(-EINVAL, "%d is a thread of process %ld; name that", (int)pid,
				  group);
	if (pid == getpid())
		return rarog_fail(-EINVAL, "process %d is rarog itself", (int)pid);
	if (is_zombie(pid) && count_threads(pid) > 1)
		return fail_first(pid);
	if (is_zombie(pid))
		return rarog_fail(-ESRCH, "process %d has ended", (int)pid);
	if (tracer > 0)
		return fail_traced(pid, tracer);
	r = check_machine(pid);
	return r < 0 ? r : check_filters(pid);
}

/* By a child, which lets go as it ends: so the process need not stop for it. */
static int try_seize(pid_t pid)
{
	int status = 0;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 ? errno : 0);
	if (waitpid(child, &status, 0) != child)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EPERM;
}

int rarog_attach_allows(pid_t pid)
{
	if (rarog_attach_check(pid) == 0)
		return try_seize(pid) == -EPERM ? fail_forbidden(pid) : 0;
	rarog_error_clear();
	return 0;
}

/* What cannot be read would stay without its hooks: of unwinders, exceptions need them. */
int rarog_attach_check_files(pid_t pid)
{
	rarog_cleanup(rarog_freep) char *lost = rarog_maps_lost(pid);

	if (!lost)
		return 0;
	return rarog_fail(-ENOTSUP,
			  "process %d: %s was replaced since it was loaded (or is in a container); "
			  "restart the program (or run rarog in the container)",
			  (int)pid, lost);
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

static int check_thread(const struct rarog_threads *threads, const struct rarog_thread *thread,
			long filters)
{
	const struct user_regs_struct *regs = &thread->regs;
	int pid = (int)threads->pid, tid = (int)thread->tid;

	if (regs->gs_base != 0)
		return fail_gs(threads->pid, regs->gs_base);
	if (regs->fs_base == 0)
		return rarog_fail(
			-ENOTSUP,
			"process %d: thread %d has no thread pointer (%%fs), which probes "
			"need",
			pid, tid);
	if ((regs->cs & 0xffff) != 0x33)
		return rarog_fail(-ENOTSUP,
				  "process %d: thread %d runs 32-bit code; it cannot be traced",
				  pid, tid);
	return check_filter(threads->pid, thread->tid, &filters);
}

int rarog_attach_check_threads(const struct rarog_threads *threads)
{
	pid_t sharer = rarog_sharing_find(threads->pid, threads->anyone);
	long filters = rarog_filters_inherited();

	if (threads->anyone != threads->pid)
		return fail_first(threads->pid);
	if (sharer)
		return rarog_fail(-ENOTSUP,
				  "process %d shares its memory with process %d, which would run "
				  "into the probes; it cannot be traced",
				  (int)threads->pid, (int)sharer);
	for (size_t i = 0; i < threads->v.n; i++) {
		int r = check_thread(threads, &threads->v.v[i], filters);

		if (r < 0)
			return r;
	}
	return 0;
}

int rarog_attach_unless_ended(pid_t pid, int r)
{
	bool ended = is_zombie(pid) || rarog_process_status(pid, "Tgid:") < 0;

	return ended && r != -ENOTSUP ? rarog_attach_fail(pid, -ESRCH) : r;
}

int rarog_attach_fail(pid_t pid, int r)
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
