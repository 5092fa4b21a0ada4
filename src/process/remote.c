/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stopped process makes a system call for us by being sent to a `syscall; ret` of its own, with
 * the address it stopped at to return to: nothing of its code is changed, and should we be killed
 * at any moment, it makes that call, returns to where it was, and goes on. The file of shared
 * memory is made there (memfd_create) and opened here through /proc/PID/fd: no descriptor has to be
 * inherited, so this works for every program image, also in containers and after closefrom().
 */
#include "process/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/layout.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "process/maps.h"
#include "process/task.h"

int rarog_remote_open_memory(pid_t pid, struct rarog_remote *remote)
{
	char path[64];

	remote->process = pid;
	remote->pid = rarog_task_living(pid);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)remote->pid);
	remote->memory = open(path, O_RDWR | O_CLOEXEC);
	if (remote->memory < 0)
		return rarog_fail_errno("cannot open %s", path);
	return 0;
}

uint64_t rarog_auxiliary(pid_t pid, uint64_t type)
{
	char path[64];
	uint64_t pair[2], value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fread(pair, sizeof(pair), 1, f) == 1)
		if (pair[0] == type)
			value = pair[1];
	fclose(f);
	return value;
}

void rarog_remote_close(struct rarog_remote *remote)
{
	if (remote->borrowed)
		remote->give_back(remote->borrowed);
	remote->borrowed = NULL;
	rarog_closep(&remote->memory);
}

int rarog_remote_read(struct rarog_remote *remote, uint64_t address, size_t n, void *bytes)
{
	ssize_t done = pread(remote->memory, bytes, n, (off_t)address);

	if (done == (ssize_t)n)
		return 0;
	return rarog_fail(-EFAULT, "process %d: cannot read %zu bytes at %#llx", (int)remote->pid,
			  n, (unsigned long long)address);
}

int rarog_remote_write(struct rarog_remote *remote, uint64_t address, size_t n, const void *bytes)
{
	ssize_t done = pwrite(remote->memory, bytes, n, (off_t)address);

	if (done == (ssize_t)n)
		return 0;
	return rarog_fail(-EFAULT, "process %d: cannot write %zu bytes at %#llx", (int)remote->pid,
			  n, (unsigned long long)address);
}

/* --- stopped under ptrace --- */

/*
 * The gate: `syscall; ret` somewhere in the code that is about to run (the dynamic linker's, or a
 * static program's). With the return address of the interrupted code below its stack, the process
 * goes on there by itself whatever happens to us in between.
 */
#define PIECE 65536

static int find_gate(struct rarog_remote *remote)
{
	static const uint8_t gate[] = { 0x0f, 0x05, 0xc3 };
	struct user_regs_struct regs;
	uint8_t code[PIECE];
	uint64_t end;

	if (ptrace(PTRACE_GETREGS, remote->pid, NULL, &regs) < 0)
		return -errno;
	end = rarog_maps_end_of(remote->pid, regs.rip);
	for (uint64_t at = regs.rip & ~4095ull; at < end; at += PIECE - sizeof(gate)) {
		size_t n = end - at < PIECE ? end - at : PIECE;
		const uint8_t *found;

		if (rarog_remote_read(remote, at, n, code) < 0)
			break;
		found = memmem(code, n, gate, sizeof(gate));
		if (found) {
			remote->gate = at + (uint64_t)(found - code);
			return 0;
		}
	}
	return rarog_fail(-ENOTSUP, "process %d: its start code has no system call to use",
			  (int)remote->pid);
}

/*
 * Signals that arrive in between are held back and sent again: before its first instruction the
 * program has no handlers, so only which of them came, and the order of stop and continue, matter.
 */
struct held {
	int n;
	int signals[_NSIG]; /* each once, the last that came last */
};

static void hold(struct held *held, int signal)
{
	int n = 0;

	for (int i = 0; i < held->n; i++)
		if (held->signals[i] != signal)
			held->signals[n++] = held->signals[i];
	held->signals[n++] = signal;
	held->n = n;
}

/* Wait for the next stop of @pid. An end is left for the tracer to find. */
static int wait_stop(pid_t pid, int *ret_status)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return -ESRCH;
	return waitpid(pid, ret_status, __WALL | WNOHANG) == pid ? 0 : -ESRCH;
}

/* Go on to the next entry into or return from a system call. */
static int go_on(pid_t pid)
{
	struct held held = { 0 };
	int status = 0;

	while (status >> 8 != (SIGTRAP | 0x80)) {
		int r = ptrace(PTRACE_SYSCALL, pid, NULL, NULL) < 0 ? -errno : 0;

		if (r == 0)
			r = wait_stop(pid, &status);
		if (r < 0)
			return r;
		if (status >> 16 == 0 && WSTOPSIG(status) < _NSIG)
			hold(&held, WSTOPSIG(status));
	}
	for (int i = 0; i < held.n; i++)
		kill(pid, held.signals[i]);
	return 0;
}

void rarog_remote_set_call(struct user_regs_struct *regs, int64_t number, const int64_t a[6])
{
	regs->rax = (unsigned long long)number;
	regs->orig_rax = (unsigned long long)-1; /* no restart of an interrupted call */
	regs->rdi = (unsigned long long)a[0];
	regs->rsi = (unsigned long long)a[1];
	regs->rdx = (unsigned long long)a[2];
	regs->r10 = (unsigned long long)a[3];
	regs->r8 = (unsigned long long)a[4];
	regs->r9 = (unsigned long long)a[5];
}

static int64_t call_stopped(struct rarog_remote *remote, int64_t number, const int64_t a[6])
{
	struct user_regs_struct saved, regs;
	int r;

	if (ptrace(PTRACE_GETREGS, remote->pid, NULL, &saved) < 0)
		return -errno;
	regs = saved;
	if (rarog_remote_write(remote, saved.rsp - 8, 8, &saved.rip) < 0)
		return -EFAULT;
	regs.rip = remote->gate;
	regs.rsp = saved.rsp - 8;
	rarog_remote_set_call(&regs, number, a);
	if (ptrace(PTRACE_SETREGS, remote->pid, NULL, &regs) < 0)
		return -errno;
	r = go_on(remote->pid);
	if (r == 0)
		r = go_on(remote->pid);
	if (r < 0)
		return r;
	saved.orig_rax = (unsigned long long)-1;
	if (ptrace(PTRACE_GETREGS, remote->pid, NULL, &regs) < 0 ||
	    ptrace(PTRACE_SETREGS, remote->pid, NULL, &saved) < 0)
		return -ESRCH;
	return (int64_t)regs.rax;
}

int rarog_remote_open_stopped(pid_t pid, struct rarog_remote *ret_remote)
{
	int r;

	*ret_remote = (struct rarog_remote){ .pid = pid, .memory = -1, .call = call_stopped };
	/* The stop that reports an execve lies inside of it; its result is still to be written. */
	r = go_on(pid);
	if (r < 0)
		return rarog_fail(r, "process %d: cannot be brought to its first instruction: %s",
				  (int)pid, strerror(-r));
	r = rarog_remote_open_memory(pid, ret_remote);
	if (r == 0)
		r = find_gate(ret_remote);
	if (r < 0)
		rarog_remote_close(ret_remote);
	return r;
}

/* --- waiting in the agent --- */

/* A thread that gave us up, because we were silent, has left: it hears no answer. */
static bool is_left(const struct rarog_remote *remote)
{
	return __atomic_load_n(remote->is_gone, __ATOMIC_SEQ_CST) ||
	       __atomic_load_n(remote->gone, __ATOMIC_SEQ_CST) ||
	       (kill(remote->process, 0) < 0 && errno == ESRCH);
}

/* -ESRCH: no answer. */
static int wait_answer(const struct rarog_remote *remote)
{
	uint32_t *state = &remote->request->state;
	struct timespec tenth = { .tv_nsec = 100 * 1000 * 1000 };

	while (__atomic_load_n(state, __ATOMIC_SEQ_CST) == RAROG_REQUEST_CALL) {
		syscall(SYS_futex, state, FUTEX_WAIT, RAROG_REQUEST_CALL, &tenth, NULL, 0);
		if (is_left(remote))
			return -ESRCH;
	}
	return 0;
}

static int64_t call_waiting(struct rarog_remote *remote, int64_t number, const int64_t a[6])
{
	struct rarog_request *request = remote->request;
	int r;

	if (is_left(remote))
		return -ESRCH;
	request->number = number;
	memcpy(request->arguments, a, sizeof(request->arguments));
	__atomic_store_n(&request->state, RAROG_REQUEST_CALL, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &request->state, FUTEX_WAKE, 1, NULL, NULL, 0);
	__atomic_store_n(remote->is_calling, 1, __ATOMIC_SEQ_CST);
	r = wait_answer(remote);
	__atomic_store_n(remote->is_calling, 0, __ATOMIC_SEQ_CST);
	return r < 0 ? r : request->result;
}

int rarog_remote_open_waiting(pid_t pid, struct rarog_request *request, const uint32_t *is_gone,
			      const uint32_t *gone, uint32_t *is_calling,
			      struct rarog_remote *ret_remote)
{
	*ret_remote = (struct rarog_remote){
		.call = call_waiting,
		.request = request,
		.is_gone = is_gone,
		.gone = gone,
		.is_calling = is_calling,
	};
	return rarog_remote_open_memory(pid, ret_remote);
}

/* --- on top of both --- */

int64_t rarog_remote_map(struct rarog_remote *remote, uint64_t address, uint64_t size,
			 int protection, int flags, int fd, uint64_t offset)
{
	const int64_t a[6] = { (int64_t)address, (int64_t)size, protection, flags, fd,
			       (int64_t)offset };

	return remote->call(remote, SYS_mmap, a);
}

void rarog_remote_hide(struct rarog_remote *remote, uint64_t address, uint64_t size)
{
	const int64_t a[6] = { (int64_t)address, (int64_t)size, MADV_DONTDUMP };

	remote->call(remote, SYS_madvise, a);
}

/* memfd_create() wants a name in the process's memory. */
static int64_t remote_name(struct rarog_remote *remote)
{
	const int64_t a[6] = {
		0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0
	};
	int64_t page = remote->call(remote, SYS_mmap, a);

	if (page < 0 && page > -4096)
		return page;
	if (rarog_remote_write(remote, (uint64_t)page, 6, "rarog") < 0)
		return -EFAULT;
	return page;
}

int rarog_remote_memfd(struct rarog_remote *remote, uint64_t size, int *ret_remote_fd)
{
	int64_t name = remote_name(remote), theirs;
	char path[64];
	int ours;

	if (name < 0 && name > -4096)
		return rarog_fail((int)name, "process %d: cannot map memory: %s", (int)remote->pid,
				  strerror((int)-name));
	theirs = remote->call(remote, SYS_memfd_create, (int64_t[6]){ name, MFD_CLOEXEC });
	remote->call(remote, SYS_munmap, (int64_t[6]){ name, 4096 });
	if (theirs < 0)
		return rarog_fail((int)theirs, "process %d: memfd_create: %s", (int)remote->pid,
				  strerror((int)-theirs));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)remote->pid, (int)theirs);
	ours = open(path, O_RDWR | O_CLOEXEC);
	if (ours < 0 || ftruncate(ours, (off_t)size) < 0) {
		int r = rarog_fail_errno("cannot make shared memory of %llu KiB%s",
					 (unsigned long long)size >> 10,
					 errno == EFBIG ? " (raise ulimit -f)" : "");

		rarog_remote_close_fd(remote, (int)theirs);
		if (ours >= 0)
			close(ours);
		return r;
	}
	*ret_remote_fd = (int)theirs;
	return ours;
}

void rarog_remote_close_fd(struct rarog_remote *remote, int fd)
{
	remote->call(remote, SYS_close, (int64_t[6]){ fd });
}
