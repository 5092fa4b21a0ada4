/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program in rarog's process group that does kill(0, SIGUSR1) would end rarog, and one that does
 * kill(0, SIGTERM) would get it a second time from us. Nobody says whether a signal went to a
 * group, but a tracer sees what its program gets, and from whom: the second of the same kind from
 * the same sender is ours. What we pass on has a mark, si_errno, which the kernel carries and
 * nobody else uses; it holds si_code, since user space may only send negative ones.
 */
#include "collect/relay.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collect/trace/inline/remote.h"

#define MARK      0x52415200 /* + si_code + MARK_ZERO */
#define MARK_ZERO 0x7f
#define RECENT_NS 1000000000ull

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void rarog_relay_signals(sigset_t *ret_signals)
{
	static const int some[] = { SIGHUP,  SIGINT,    SIGQUIT,   SIGTERM,  SIGUSR1,
				    SIGUSR2, SIGALRM,   SIGVTALRM, SIGPROF,  SIGIO,
				    SIGPWR,  SIGSTKFLT, SIGABRT,   SIGWINCH, SIGURG };

	sigemptyset(ret_signals);
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		sigaddset(ret_signals, some[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaddset(ret_signals, i);
}

/* By whom? -1: by nobody who could have sent it to others, too. 0: by the kernel, whose SIGHUP goes
 * to the leader of a session at least. */
static pid_t sender_of(const siginfo_t *info)
{
	if (info->si_code == SI_USER || info->si_code == SI_QUEUE)
		return info->si_pid;
	return info->si_code == SI_KERNEL && info->si_signo == SIGHUP ? 0 : -1;
}

static bool is_of_terminals(int signal)
{
	return signal == SIGINT || signal == SIGQUIT;
}

void rarog_relay_send(pid_t program, const siginfo_t *from, bool traced)
{
	siginfo_t info = *from;
	pid_t sender = sender_of(from);

	if (sender < 0 || sender == program || (!traced && is_of_terminals(from->si_signo)))
		return;
	if (traced)
		info.si_errno = MARK + MARK_ZERO + info.si_code;
	if (info.si_code >= 0)
		info.si_code = SI_QUEUE;
	if (syscall(SYS_rt_sigqueueinfo, program, info.si_signo, &info) < 0 && errno == EAGAIN)
		kill(program, info.si_signo);
}

static bool is_thread_of(pid_t program, pid_t tid)
{
	return tid == program || rarog_process_status(tid, "Tgid:") == program;
}

static bool had_it(struct rarog_relay *relay, int signal, pid_t sender)
{
	uint64_t then = relay->seen[signal].ns;

	relay->seen[signal].ns = 0;
	return then && relay->seen[signal].sender == sender && now_ns() - then < RECENT_NS;
}

bool rarog_relay_arrives(struct rarog_relay *relay, pid_t program, pid_t tid, int signal)
{
	siginfo_t info;
	pid_t sender;

	if (signal <= 0 || signal >= _NSIG || ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) < 0)
		return true;
	if ((info.si_errno & ~0xff) == MARK) {
		info.si_code = (info.si_errno & 0xff) - MARK_ZERO;
		info.si_errno = 0;
		if (had_it(relay, signal, sender_of(&info)))
			return false;
		ptrace(PTRACE_SETSIGINFO, tid, NULL, &info);
		return true;
	}
	sender = sender_of(&info);
	if (sender >= 0 && is_thread_of(program, tid)) {
		relay->seen[signal].sender = sender;
		relay->seen[signal].ns = now_ns();
	}
	return true;
}

void rarog_relay_drop(void)
{
	const struct timespec none = { 0 };
	sigset_t signals;

	rarog_relay_signals(&signals);
	while (sigtimedwait(&signals, NULL, &none) > 0 || errno == EINTR)
		;
}
