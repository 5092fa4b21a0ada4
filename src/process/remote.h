/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System calls and memory inside another process, which is either stopped under ptrace (before its
 * first instruction, or anywhere) or has a thread waiting for us in the agent (after a library was
 * loaded).
 */
#ifndef RAROG_PROCESS_REMOTE_H
#define RAROG_PROCESS_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct user_regs_struct;

struct rarog_request;
struct rarog_borrowed;
struct rarog_threads;

struct rarog_remote {
	pid_t process;
	pid_t pid;     /* of its tasks one that has its memory: the first, unless that has ended */
	int memory;    /* /proc/PID/mem */
	uint64_t gate; /* of the stopped variant: `syscall; ret` there */
	/* Make a system call there. Return: its result (-errno), or -ESRCH if the process is gone.
	 */
	int64_t (*call)(struct rarog_remote *remote, int64_t number, const int64_t arguments[6]);
	struct rarog_request *request;   /* of the agent variant … */
	const uint32_t *is_gone;         /* … becomes 1 when its process has ended … */
	const uint32_t *gone;            /* … not 0 when no thread there waits for us */
	uint32_t *is_calling;            /* … 1 while it is waited for */
	struct rarog_borrowed *borrowed; /* thread of the running variant … */
	void (*give_back)(struct rarog_borrowed *borrowed); /* … of which this lets go */
};

/**
 * rarog_remote_open_stopped() - @pid is in a ptrace stop of the calling thread
 * rarog_remote_open_waiting() - a thread of @pid waits in @request
 *
 * Return: 0; -errno with message. rarog_remote_close() ends both (the process stays as it is).
 */
int rarog_remote_open_stopped(pid_t pid, struct rarog_remote *ret_remote);
int rarog_remote_open_waiting(pid_t pid, struct rarog_request *request, const uint32_t *is_gone,
			      const uint32_t *gone, uint32_t *is_calling,
			      struct rarog_remote *ret_remote);
void rarog_remote_close(struct rarog_remote *remote);

/**
 * rarog_remote_open_running() - borrow one of @threads, all of which are stopped
 *
 * Until rarog_remote_close() that thread makes the calls. If rarog is killed meanwhile it goes on
 * where it was.
 *
 * Return: 0; -ENOTSUP and others with message.
 */
int rarog_remote_open_running(struct rarog_threads *threads, struct rarog_remote *ret_remote);

struct rarog_signal_action { /* as the kernel has it */
	uint64_t handler, flags, restorer, mask;
};

/**
 * rarog_remote_set_trap() - exchange what a running process does with SIGTRAP
 * @action: NULL: it shall do nothing at all
 * @ret_old: what was set before; NULL: not wanted
 *
 * Return: 0; -errno with message.
 */
int rarog_remote_set_trap(struct rarog_remote *remote, const struct rarog_signal_action *action,
			  struct rarog_signal_action *ret_old);

/** rarog_remote_open_memory() - of the process that task @pid is in. 0; -errno with message. */
int rarog_remote_open_memory(pid_t pid, struct rarog_remote *remote);

/** rarog_auxiliary() - a value of the process's auxiliary vector (AT_…), 0: none. */
uint64_t rarog_auxiliary(pid_t pid, uint64_t type);

/* Return: 0, or -errno with message if not all @n bytes could be moved. Writing goes through
 * read-only mappings (private copies). */
int rarog_remote_read(struct rarog_remote *remote, uint64_t address, size_t n, void *bytes);
int rarog_remote_write(struct rarog_remote *remote, uint64_t address, size_t n, const void *bytes);

/** rarog_remote_map() - mmap() there; @fd: a descriptor of that process. Address or -errno. */
int64_t rarog_remote_map(struct rarog_remote *remote, uint64_t address, uint64_t size,
			 int protection, int flags, int fd, uint64_t offset);

/** rarog_remote_hide() - leave what is ours out of core dumps. Kernels that cannot do that write it
 * there, which does no harm but costs room. Forked children have inherited it. */
void rarog_remote_hide(struct rarog_remote *remote, uint64_t address, uint64_t size);

/**
 * rarog_remote_memfd() - make a memory file of @size bytes that both processes can map
 * @ret_remote_fd: its descriptor there; close it with rarog_remote_close_fd()
 * Return: our descriptor, or -errno with message.
 */
int rarog_remote_memfd(struct rarog_remote *remote, uint64_t size, int *ret_remote_fd);
void rarog_remote_close_fd(struct rarog_remote *remote, int fd);

/** rarog_remote_set_call() - registers of a thread that is to make system call @number. */
void rarog_remote_set_call(struct user_regs_struct *regs, int64_t number, const int64_t a[6]);

#endif
