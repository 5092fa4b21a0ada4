/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that return EINTR when they are interrupted, handler or not (signal(7)). Others go on by
 * themselves, with the time that was left: nanosleep, poll, select, futex. close() may return EINTR
 * as well, but its descriptor is gone then: it must not be here.
 *
 * The limit of time is an argument, or belongs to the socket, which is asked through a descriptor
 * of our own (pidfd_getfd(), Linux 5.6).
 */
#include "process/calls.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "process/remote.h"
#include "process/task.h"

/* --- limits --- */

static uint64_t of_timespec(pid_t tid, uint64_t at)
{
	long seconds, ns;

	if (!at)
		return RAROG_NO_LIMIT;
	errno = 0;
	seconds = ptrace(PTRACE_PEEKDATA, tid, at, NULL);
	ns = ptrace(PTRACE_PEEKDATA, tid, at + 8, NULL);
	if (errno || seconds < 0 || seconds > 1000000000)
		return RAROG_NO_LIMIT;
	return (uint64_t)seconds * 1000000000 + (uint64_t)ns;
}

static uint64_t of_socket(pid_t tid, uint64_t fd, int option)
{
	rarog_cleanup(rarog_closep) int process =
		(int)syscall(SYS_pidfd_open, (pid_t)rarog_process_status(tid, "Tgid:"), 0);
	rarog_cleanup(rarog_closep) int ours = -1;
	struct timeval limit;
	socklen_t size = sizeof(limit);

	if (process < 0)
		return RAROG_NO_LIMIT;
	ours = (int)syscall(SYS_pidfd_getfd, process, (int)fd, 0);
	if (ours < 0 || getsockopt(ours, SOL_SOCKET, option, &limit, &size) < 0 ||
	    (limit.tv_sec == 0 && limit.tv_usec == 0))
		return RAROG_NO_LIMIT;
	return (uint64_t)limit.tv_sec * 1000000000 + (uint64_t)limit.tv_usec * 1000;
}

static uint64_t milliseconds_4(pid_t tid, const struct user_regs_struct *regs)
{
	(void)tid;
	return (int)regs->r10 < 0 ? RAROG_NO_LIMIT : (uint64_t)(int)regs->r10 * 1000000;
}

static uint64_t timespec_3(pid_t tid, const struct user_regs_struct *regs)
{
	return of_timespec(tid, regs->rdx);
}

static uint64_t timespec_4(pid_t tid, const struct user_regs_struct *regs)
{
	return of_timespec(tid, regs->r10);
}

static uint64_t timespec_5(pid_t tid, const struct user_regs_struct *regs)
{
	return of_timespec(tid, regs->r8);
}

static uint64_t receiving(pid_t tid, const struct user_regs_struct *regs)
{
	return of_socket(tid, regs->rdi, SO_RCVTIMEO);
}

static uint64_t sending(pid_t tid, const struct user_regs_struct *regs)
{
	return of_socket(tid, regs->rdi, SO_SNDTIMEO);
}

/* --- calls --- */

static const struct call {
	uint16_t number;
	uint64_t (*limit_ns)(pid_t tid, const struct user_regs_struct *regs); /* NULL: none */
	long timed_out; /* result when the time is over */
} calls[] = {
	{ SYS_epoll_wait, milliseconds_4, 0 },   { SYS_epoll_pwait, milliseconds_4, 0 },
	{ SYS_epoll_pwait2, timespec_4, 0 },     { SYS_semop, NULL, 0 },
	{ SYS_semtimedop, timespec_4, -EAGAIN }, { SYS_rt_sigtimedwait, timespec_3, -EAGAIN },
	{ SYS_io_getevents, timespec_5, 0 },     { SYS_io_pgetevents, timespec_5, 0 },
	{ SYS_io_uring_enter, NULL, 0 },         { SYS_accept, receiving, -EAGAIN },
	{ SYS_accept4, receiving, -EAGAIN },     { SYS_read, receiving, -EAGAIN },
	{ SYS_readv, receiving, -EAGAIN },       { SYS_recvfrom, receiving, -EAGAIN },
	{ SYS_recvmsg, receiving, -EAGAIN },     { SYS_recvmmsg, receiving, -EAGAIN },
	{ SYS_write, sending, -EAGAIN },         { SYS_writev, sending, -EAGAIN },
	{ SYS_sendto, sending, -EAGAIN },        { SYS_sendmsg, sending, -EAGAIN },
	{ SYS_sendmmsg, sending, -EAGAIN },      { SYS_connect, sending, -EINPROGRESS },
};

static const struct call *find(uint64_t number)
{
	for (size_t i = 0; i < RAROG_COUNT(calls); i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

bool rarog_call_is_cut(const struct user_regs_struct *regs)
{
	return (int64_t)regs->rax == -EINTR && find(regs->orig_rax);
}

uint64_t rarog_call_limit_ns(pid_t tid, const struct user_regs_struct *regs, long *ret_timed_out)
{
	const struct call *call = find(regs->orig_rax);

	*ret_timed_out = call ? call->timed_out : -EINTR;
	return call && call->limit_ns ? call->limit_ns(tid, regs) : RAROG_NO_LIMIT;
}
